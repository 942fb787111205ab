# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Garbage in a standard `OTEL_*` variable never stops a job: one warning, and the default."""

from __future__ import annotations

import contextlib
import logging
import math
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_logger = logging.getLogger(__name__)

_SIGNALS = ("TRACES", "METRICS", "LOGS")
_COMPRESSIONS = ("none", "gzip", "deflate")


def _seconds(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or value <= 0:
        raise ValueError
    return value


def _positive_integer(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise ValueError
    return value


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError
    return value


def _compression(text: str) -> str:
    if text.strip().lower() not in _COMPRESSIONS:
        raise ValueError
    return text


def _exemplar_filter(text: str) -> str:
    if text not in {"trace_based", "always_on", "always_off"}:
        raise ValueError
    return text


_ACCEPTED: dict[str, tuple[Callable[[str], object], str]] = {
    "OTEL_METRIC_EXPORT_INTERVAL": (_positive_integer, "a positive whole number of milliseconds"),
    "OTEL_METRIC_EXPORT_TIMEOUT": (_positive_integer, "a positive whole number of milliseconds"),
    "OTEL_BSP_SCHEDULE_DELAY": (_natural, "a whole number of milliseconds"),
    "OTEL_BSP_MAX_QUEUE_SIZE": (_positive_integer, "a positive whole number"),
    "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": (_positive_integer, "a positive whole number"),
    "OTEL_BLRP_SCHEDULE_DELAY": (_natural, "a whole number of milliseconds"),
    "OTEL_BLRP_MAX_QUEUE_SIZE": (_positive_integer, "a positive whole number"),
    "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE": (_positive_integer, "a positive whole number"),
    "OTEL_METRICS_EXEMPLAR_FILTER": (_exemplar_filter, "trace_based, always_on or always_off"),
    **{
        f"OTEL_{name}": (_natural, "a whole number")
        for name in (
            "ATTRIBUTE_COUNT_LIMIT",
            "ATTRIBUTE_VALUE_LENGTH_LIMIT",
            "SPAN_ATTRIBUTE_COUNT_LIMIT",
            "SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
            "SPAN_EVENT_COUNT_LIMIT",
            "SPAN_LINK_COUNT_LIMIT",
            "EVENT_ATTRIBUTE_COUNT_LIMIT",
            "LINK_ATTRIBUTE_COUNT_LIMIT",
            "LOGRECORD_ATTRIBUTE_COUNT_LIMIT",
            "LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT",
        )
    },
    **{
        f"OTEL_EXPORTER_OTLP_{signal}TIMEOUT": (_seconds, "a positive number of seconds")
        for signal in ("", *(f"{signal}_" for signal in _SIGNALS))
    },
    **{
        f"OTEL_EXPORTER_OTLP_{signal}COMPRESSION": (_compression, ", ".join(_COMPRESSIONS))
        for signal in ("", *(f"{signal}_" for signal in _SIGNALS))
    },
}


@contextlib.contextmanager
def without_garbage() -> Generator[None, None, None]:
    """Hide unusable `OTEL_*` values while OpenTelemetry reads its variables.

    OpenTelemetry's own parsers raise on some of them, half-way through building a provider. The
    variables are put back afterwards: child processes inherit what the user set.
    """
    hidden = {name: os.environ.pop(name) for name in _garbage()}
    try:
        yield
    finally:
        os.environ.update(hidden)


def milliseconds(name: str, default: float) -> float:
    """Read a variable in milliseconds; the default when it is unset or unusable."""
    return _read(name, default)


def count(name: str, default: int) -> int:
    """Read a variable that counts something; the default when it is unset or unusable."""
    return int(_read(name, default))


def _read(name: str, default: float) -> float:
    text = os.environ.get(name, "").strip()
    if not text or not _is_usable(name, text):
        return default
    return float(text)


def _is_usable(name: str, text: str) -> bool:
    try:
        _ACCEPTED[name][0](text)
    except ValueError:
        return False
    return True


def _garbage() -> list[str]:
    found: list[str] = []
    for name, (_, expected) in _ACCEPTED.items():
        text = os.environ.get(name, "").strip()
        if text and not _is_usable(name, text):
            _logger.warning(
                "%s=%r is not usable (expected %s); the default is used", name, text, expected
            )
            found.append(name)
        elif not text and name in os.environ:
            found.append(name)
    return found
