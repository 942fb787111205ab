# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The names that metrics have in Prometheus, as OpenTelemetry's exporter for Python makes them.

The rules are those of the OpenTelemetry specification, "Prometheus and OpenMetrics compatibility".
"""

from __future__ import annotations

import re

_UNITS = {
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    "min": "minutes",
    "h": "hours",
    "d": "days",
    "By": "bytes",
    "KBy": "kilobytes",
    "MBy": "megabytes",
    "GBy": "gigabytes",
    "TBy": "terabytes",
    "KiBy": "kibibytes",
    "MiBy": "mebibytes",
    "GiBy": "gibibytes",
    "TiBy": "tibibytes",
    "m": "meters",
    "g": "grams",
    "A": "amperes",
    "V": "volts",
    "J": "joules",
    "W": "watts",
    "Hz": "hertz",
    "Cel": "celsius",
    "%": "percent",
    "1": "",
}
_PER = {
    "s": "second",
    "m": "minute",
    "h": "hour",
    "d": "day",
    "w": "week",
    "mo": "month",
    "y": "year",
}
_ANNOTATION = re.compile(r"\{.*\}")
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9:]+")


def prometheus_name(name: str, unit: str, kind: str) -> str:
    """Return the name of a metric's time series in Prometheus.

    Args:
        name: The instrument's name.
        unit: Its UCUM unit.
        kind: Its kind, one of `METRIC_KINDS`. The series of a histogram append `_bucket`, `_sum`
            and `_count`.
    """
    base = _in_names(name)
    is_total = kind in {"counter", "observable_counter"}
    if is_total:
        base = base.removesuffix("_total")
    suffix = _unit(unit)
    if suffix and not base.endswith(f"_{suffix}"):
        base = f"{base}_{suffix}"
    return f"{base}_total" if is_total else base


def _unit(unit: str) -> str:
    plain = _ANNOTATION.sub("", unit)
    if plain in _UNITS:
        return _UNITS[plain]
    top, _, bottom = map(_in_names, plain.partition("/"))
    if not bottom:
        return _in_names(plain).strip("_")
    above, below = _UNITS.get(top, top), _PER.get(bottom, bottom)
    return f"{above}_per_{below}" if above else f"per_{below}"


def _in_names(text: str) -> str:
    return _NOT_IN_NAMES.sub("_", text)
