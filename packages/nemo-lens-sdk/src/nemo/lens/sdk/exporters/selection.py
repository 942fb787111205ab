# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which signal goes to which exporters: the configuration, and OpenTelemetry's own variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.configuration.exporter_names import NO_EXPORTER
from nemo.lens.configuration.foreign_variables import read_foreign_variable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from nemo.lens.config import NemoLensConfig

SIGNALS: Final = ("traces", "metrics", "logs")


def exporters_by_signal(
    config: NemoLensConfig, *, replaced: Collection[str] = ()
) -> Mapping[str, tuple[str, ...]]:
    """Say which exporters each signal goes to.

    `OTEL_TRACES_EXPORTER`, `OTEL_METRICS_EXPORTER` and `OTEL_LOGS_EXPORTER` may say `none`, which
    switches the signal off whatever else is configured, or name exporters, which counts as long as
    nobody chose `config.exporter`. They never switch on a signal that `config` leaves off.

    Args:
        config: The configuration.
        replaced: Signals whose exporter the caller of set-up brought along; that wins over any
            variable.

    Returns:
        For each signal that is exported, the names of its exporters, none twice.

    Raises:
        ValueError: `config.exporter` names an exporter that there is not.
    """
    enabled = {
        "traces": config.traces_enabled,
        "metrics": config.metrics_enabled,
        "logs": config.logs_enabled,
    }
    named = {
        signal: config.exporters if signal in replaced else _exporters_of(signal, config)
        for signal in SIGNALS
        if enabled[signal]
    }
    return {signal: names for signal, names in named.items() if names}


def _exporters_of(signal: str, config: NemoLensConfig) -> tuple[str, ...]:
    listed = read_foreign_variable(f"OTEL_{signal.upper()}_EXPORTER")
    if listed == NO_EXPORTER:
        return ()
    if listed is None or config.is_explicit("exporter"):
        return config.exporters
    return tuple(listed.split(","))
