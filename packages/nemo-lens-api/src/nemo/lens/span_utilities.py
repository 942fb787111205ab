# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# pyright: reportPrivateUsage=false
"""Spans about something that is over already, with times that were measured elsewhere."""

from __future__ import annotations

import logging
import math
import os
import time
from decimal import MAX_EMAX, MIN_EMIN, ROUND_DOWN, Decimal
from decimal import Context as DecimalContext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nemo.lens import state
from nemo.lens.semconv import (
    INVERTED_DELTA_SECONDS,
    INVERTED_END_EPOCH_SECONDS,
    INVERTED_SKEW,
    INVERTED_START_EPOCH_SECONDS,
)
from nemo.lens.spans import lazy_recording
from nemo.lens.spans.attributes import cleaned
from nemo.lens.spans.discards import discard
from nemo.lens.spans.options import LATEST_TIME, SpanOptions, sound
from nemo.lens.spans.text import as_text, real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

__all__ = ["emit_span", "linux_process_create_time"]

_logger = logging.getLogger(__name__)

# The caller's own context may round, and may trap what only happens to odd values here.
_EXACT = DecimalContext(prec=64, rounding=ROUND_DOWN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
_NANOSECOND_DIGITS = 9
_START_TICKS_FIELD = 19
"""Index of the start time among the fields of `stat` behind the command's closing parenthesis."""


def emit_span(
    tracer: Tracer | None,
    name: str,
    start_epoch_seconds: float | str | Decimal,
    end_epoch_seconds: float | str | Decimal,
    *,
    group: str | None = None,
    context: Context | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> Span | None:
    """Record a span whose start and end are known already, and return it, ended.

    An end before the start is taken for clock skew between two hosts: one WARNING is logged, the
    duration becomes zero, and attributes `inverted.*` keep what was given. Times before the epoch,
    or too late for OTLP (the year 2554), are moved to the nearest one that can be exported, and
    counted.

    Args:
        tracer: Whose tracer records it; None for the scope `nemo.lens`.
        name: The span's name.
        start_epoch_seconds: Start in seconds since the epoch. Text and `Decimal` are exact; a
            `float` resolves about a quarter of a microsecond.
        end_epoch_seconds: End, likewise.
        group: The span group; while it is off nothing else is looked at. None: not gated.
        context: The parent context; None for the current one, an empty `Context()` for a root.
        attributes: Attributes, converted and redacted like those of every helper. Not changed.

    Returns:
        The ended span, usable as a parent through `opentelemetry.trace.set_span_in_context`; None
        when the group is off.

    Raises:
        ValueError: A time is no finite number.
    """
    if group is not None and group not in state._enabled:  # noqa: SLF001  # the gate
        return None
    start = _seconds("start_epoch_seconds", start_epoch_seconds)
    end = _seconds("end_epoch_seconds", end_epoch_seconds)
    given = {} if attributes is None else cleaned(attributes)
    if end < start:
        inversion = _inversion(start_epoch_seconds, end_epoch_seconds, _EXACT.subtract(start, end))
        _warn_of_inversion(name, inversion)
        given.update(inversion)
        end = start
    lazy_recording.load()
    from nemo.lens.spans.recording import name_text
    from nemo.lens.spans.scope import scope_values
    from nemo.lens.spans.span_factory import end_span_at, start_span

    options = sound(SpanOptions(context=context, start_time=_nanoseconds(start)))
    span = start_span(name_text(group, name), {**scope_values(), **given}, tracer, options)
    end_span_at(span, _nanoseconds(end))
    return span


def _seconds(argument: str, value: object) -> Decimal:
    try:
        seconds = Decimal(str(value))
    except Exception:  # no number, or an object that cannot even be written out
        seconds = Decimal("NaN")
    if not seconds.is_finite():
        raise ValueError(
            f"{argument} must be finite seconds since the epoch, got {_described(value)}"
        )
    return seconds


def _described(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # a hostile object; its type says enough
        return f"an object of type {type_name(real_type(value))}"


def _nanoseconds(seconds: Decimal) -> int:
    exact = seconds.scaleb(_NANOSECOND_DIGITS, context=_EXACT)
    if 0 <= exact < LATEST_TIME + 1:
        return int(exact)
    discard(
        "time out of range",
        "A time of a span was moved to the nearest one that can be exported: %s s since the epoch "
        "is before 0 or after %s ns. Further ones are only counted.",
        seconds,
        LATEST_TIME,
    )
    return LATEST_TIME if exact > 0 else 0


def _warn_of_inversion(name: str, inversion: Mapping[str, Any]) -> None:
    _logger.warning(
        "Span %r ends %s s before it starts (start %s, end %s): possible clock skew; "
        "clamping end to start (zero duration)",
        as_text(name),
        inversion[INVERTED_DELTA_SECONDS],
        inversion[INVERTED_START_EPOCH_SECONDS],
        inversion[INVERTED_END_EPOCH_SECONDS],
    )


def _inversion(start: object, end: object, inversion: Decimal) -> dict[str, Any]:
    return {
        INVERTED_SKEW: True,
        INVERTED_START_EPOCH_SECONDS: as_text(start),
        INVERTED_END_EPOCH_SECONDS: as_text(end),
        INVERTED_DELTA_SECONDS: str(inversion),
    }


def linux_process_create_time(
    *,
    stat_text: str | None = None,
    uptime_text: str | None = None,
    read_time: float | None = None,
    stat_path: str = "/proc/self/stat",
    uptime_path: str = "/proc/uptime",
    clock_ticks_per_second: int | None = None,
) -> float:
    """Return when this process was created, in seconds since the epoch.

    For a start-up span from the interpreter's start to the first line of the program. Only Linux
    has the files this reads.

    Args:
        stat_text: Content of the process's `stat`; None to read `stat_path`.
        uptime_text: Content of `uptime`; None to read `uptime_path`.
        read_time: Seconds since the epoch at which `uptime` was read; None for now.
        stat_path: Where `stat` is.
        uptime_path: Where `uptime` is.
        clock_ticks_per_second: The unit of the start time in `stat`; None to ask the system.

    Raises:
        RuntimeError: The files cannot be read.
        ValueError: Their content is malformed, or `clock_ticks_per_second` is 0.
    """
    try:
        stat = Path(stat_path).read_text(encoding="utf-8") if stat_text is None else stat_text
        uptime = (
            Path(uptime_path).read_text(encoding="utf-8") if uptime_text is None else uptime_text
        )
    except (OSError, UnicodeDecodeError) as error:
        raise RuntimeError(
            "Linux process create time requires readable process stat and uptime data "
            f"({stat_path}, {uptime_path})"
        ) from error
    now = time.time() if read_time is None else read_time
    try:
        ticks = clock_ticks_per_second
        if ticks is None:
            ticks = os.sysconf("SC_CLK_TCK")
        started = int(stat.rpartition(")")[2].split()[_START_TICKS_FIELD]) / ticks
        created = now - (float(uptime.split()[0]) - started)
        if not math.isfinite(created):
            raise ValueError(created)  # noqa: TRY301  # malformed like any other
        return created
    except (ValueError, IndexError, ArithmeticError) as error:
        raise ValueError("Malformed Linux process stat or uptime data") from error
