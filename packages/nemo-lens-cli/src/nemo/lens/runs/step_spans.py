# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a span says about itself: whether it is a step, which one, and whether it is waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nemo.lens.runs.otlp_json import any_value, is_list
from nemo.lens.runs.step_records import COMMUNICATION_GROUP, STEP_GROUP, Truncated
from nemo.lens.semconv import DL_ITERATION, NEMO_SPAN_TRUNCATED, NEMO_WAIT

if TYPE_CHECKING:
    from collections.abc import Mapping

_STEP_KEYS: Final = (DL_ITERATION, "iteration")
_WATCHED: Final = frozenset({NEMO_WAIT, NEMO_SPAN_TRUNCATED, *_STEP_KEYS})
# How a step span is recognised where no group was recorded (spans that came through OTLP).
_STEP_NAMES: Final = frozenset({"step", "train_step", "training_step"})
# Operations in which ranks meet; they count as waiting where no group was recorded.
_COLLECTIVES: Final = frozenset(
    {
        "all_gather",
        "all_reduce",
        "all_to_all",
        "barrier",
        "broadcast",
        "gather",
        "reduce",
        "reduce_scatter",
        "scatter",
    }
)


def watched_attributes(pairs: Any) -> dict[str, Any]:
    """The few attributes that the analyses look at, of the attributes of a span."""
    found: dict[str, Any] = {}
    if is_list(pairs):
        for pair in pairs:
            if pair.__class__ is dict:
                key = pair.get("key")
                if key.__class__ is str and key in _WATCHED:
                    found[key] = any_value(pair.get("value"))
    return found


def is_truncated(watched: Mapping[str, Any]) -> bool:
    """Whether the span was still open when telemetry shut down."""
    return watched.get(NEMO_SPAN_TRUNCATED) is True


def is_waiting(name: str, group: str | None, watched: Mapping[str, Any]) -> bool:
    """Whether the rank waits for others in this span."""
    if group == COMMUNICATION_GROUP or watched.get(NEMO_WAIT) is True:
        return True
    return group is None and NEMO_WAIT not in watched and name.rpartition(".")[2] in _COLLECTIVES


def is_step(name: str, group: str | None, watched: Mapping[str, Any]) -> bool:
    """Whether the span is a step of training."""
    if group is not None:
        return group == STEP_GROUP
    return name.rpartition(".")[2] in _STEP_NAMES and step_number(watched) is not None


def step_number(watched: Mapping[str, Any]) -> int | None:
    """The number of a step, None when the span has none."""
    for key in _STEP_KEYS:
        number = watched.get(key)
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if isinstance(number, int) and not isinstance(number, bool):
            return number
    return None


def cut_short(
    group: str | None, fields: tuple[str, str, str, int, int], watched: Mapping[str, Any]
) -> Truncated:
    """What is kept of a span that was open at the end, or ended with an error.

    Args:
        group: Its group.
        fields: Name, span id, parent span id, start and end.
        watched: Its `watched_attributes`.
    """
    name, span_id, parent, start, end = fields
    waiting = is_waiting(name, group, watched)
    return Truncated(
        name, group, end - start, start, span_id, parent, waiting, step_number(watched)
    )
