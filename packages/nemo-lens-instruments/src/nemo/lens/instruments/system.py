# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Process and host metrics through OpenTelemetry's own instrumentation (extra `system`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.spans.text import is_mapping, real_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.metrics import MeterProvider

BASICS: dict[str, list[str] | None] = {
    "process.cpu.time": ["user", "system"],
    "process.memory.usage": None,
    "process.memory.virtual": None,
    "process.thread.count": None,
    "process.open_file_descriptor.count": None,
    "process.context_switches": ["involuntary", "voluntary"],
    "system.cpu.utilization": ["idle", "user", "system", "irq"],
    "system.memory.usage": ["used", "free", "cached"],
    "system.network.io": ["transmit", "receive"],
    "system.disk.io": ["read", "write"],
}
"""What `observe_system` reports by default: the basics of the process and of its host."""

_instrumentor: Any = None


def observe_system(
    meter_provider: MeterProvider | None = None,
    *,
    metrics: Mapping[str, Sequence[str] | None] | None = None,
) -> None:
    """Report process and host metrics at every collection from now on.

    The names, units and attributes are those of the OpenTelemetry conventions for processes and
    systems. A second call does nothing until `unobserve_system`.

    Args:
        meter_provider: Where the instruments are made; the global one by default.
        metrics: Names of the instrumentation's metrics, each with the states to report or None;
            `BASICS` by default.

    Raises:
        ValueError: `metrics` is no such mapping; the text says where.
        ImportError: The extra is not installed; the text names it.
    """
    global _instrumentor
    config = _configuration(BASICS if metrics is None else metrics)
    if _instrumentor is not None:
        return
    try:
        from opentelemetry.instrumentation.system_metrics import SystemMetricsInstrumentor
    except ImportError as reason:
        raise ImportError(
            "observe_system needs opentelemetry-instrumentation-system-metrics. Install it with:"
            " pip install 'nemo-lens-instruments[system]'  (or: pip install 'nemo-lens[system]')",
            name=reason.name,
        ) from reason
    instrumentor: Any = SystemMetricsInstrumentor(config=config)
    instrumentor.instrument(meter_provider=meter_provider)
    _instrumentor = instrumentor


def _configuration(metrics: Any) -> dict[str, list[str] | None]:
    """Return `metrics` as the instrumentation takes it."""
    if not is_mapping(metrics):
        raise ValueError(
            f"observe_system: metrics must map names to states or None, got {metrics!r}."
            " An example is nemo.lens.instruments.system.BASICS."
        )
    for name, states in metrics.items():
        if states is not None and real_type(states) not in {list, tuple}:
            raise ValueError(
                f"observe_system: the states of metric {name!r} must be a list such as ['user'],"
                f" or None for a metric without states, got {states!r}."
            )
    return {name: None if states is None else list(states) for name, states in metrics.items()}


def unobserve_system() -> None:
    """Let `observe_system` be called again.

    OpenTelemetry cannot take an instrument out of a meter provider: what was made in one goes on
    reporting there.
    """
    global _instrumentor
    if _instrumentor is not None:
        _instrumentor.uninstrument()
        _instrumentor = None


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction]
    unobserve_system()
