# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The black boxes that the processes of a synthetic run would have left."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from nemo.lens.runs import black_box_bytes as layout
from nemo.lens.runs.layout import BLACK_BOX
from synthetic_runs.run_files import process_folder
from synthetic_runs.scenario import EPOCH
from synthetic_runs.simulation import play

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from synthetic_runs.scenario import Scenario
    from synthetic_runs.simulation import Rank

_NEWEST = 1000
_UPTIME = 10**15
_GONE = {"host": socket.gethostname(), "boot_id": "before the last reboot"}
_ELSEWHERE = {"host": "a host that is not this one"}


class BoxedSpan(NamedTuple):
    """A span as a black box keeps it; without an end it is open."""

    name: str
    group: str | None
    span_id: int
    parent: int
    start: int
    end: int | None = None
    step: int | None = None
    waits: bool = False
    thread: int = 1


def add_black_boxes(directory: Path, scenario: Scenario, *, elsewhere: bool = False) -> None:
    """Put a black box beside the run files of each rank.

    Args:
        directory: Where `make_run` was told to keep the run.
        scenario: What it was told to play.
        elsewhere: Whether they are of other hosts than this one, which alone could tell who lives.
    """
    for rank in play(scenario):
        folder = process_folder(directory, scenario, rank.number)
        identity = {**(_ELSEWHERE if elsewhere else _GONE), "rank": rank.number}
        content = box_bytes(_spans(scenario, rank), identity, rank.end or "", rank.ended or 0)
        (folder / BLACK_BOX).write_bytes(content)


def box_bytes(
    spans: Sequence[BoxedSpan],
    identity: dict[str, Any] | None = None,
    end: str = "",
    ended: int = 0,
) -> bytes:
    """The file, in the layout that the sdk writes."""
    names = {pair: number for number, pair in enumerate(_pairs(spans), 1)}
    seats = {thread: number for number, thread in enumerate(_threads(spans), 1)}
    described = orjson.dumps(_GONE if identity is None else identity)
    header = bytearray(layout.HEADER_BYTES)
    layout.PREAMBLE.pack_into(
        header, 0, layout.MAGIC, layout.FORMAT, len(described), len(names) + 1, len(seats) + 1,
        len(spans),
    )  # fmt: skip
    if ended:
        layout.END.pack_into(
            header, layout.END_AT, ended, _monotonic(ended), len(end), end.encode()
        )
    header[layout.IDENTITY_AT : layout.IDENTITY_AT + len(described)] = described
    parts = [bytes(header), bytes(layout.NAME.size)]
    for name, group in names:
        text = f"{name}{group or ''}".encode()
        parts.append(layout.NAME.pack(len(name), len(group or ""), text))
    parts.append(bytes(layout.THREAD.size))
    parts += [layout.THREAD.pack(thread, 6, b"thread") for thread in seats]
    parts += [_record(span, names, seats) for span in spans]
    return b"".join(parts)


def _pairs(spans: Sequence[BoxedSpan]) -> dict[tuple[str, str | None], None]:
    return dict.fromkeys((span.name, span.group) for span in spans)


def _threads(spans: Iterable[BoxedSpan]) -> dict[int, None]:
    return dict.fromkeys(span.thread for span in spans)


def _record(
    span: BoxedSpan, names: dict[tuple[str, str | None], int], seats: dict[int, int]
) -> bytes:
    begun = _monotonic(span.start)
    name = names[span.name, span.group] | (layout.WAITS if span.waits else 0)
    step = layout.NO_STEP if span.step is None else span.step
    duration = layout.STILL_OPEN if span.end is None else span.end - span.start
    return layout.RECORD.pack(
        begun, span.start, span.span_id, span.parent, step, duration, name, seats[span.thread],
        begun & layout.LOWER_HALF,
    )  # fmt: skip


def _monotonic(moment: int) -> int:
    return moment - EPOCH + _UPTIME


def _spans(scenario: Scenario, rank: Rank) -> list[BoxedSpan]:
    numbers = {
        span.span_id: int(span.attributes["dl.iteration"]["intValue"])
        for span in rank.spans
        if span.group in {"step", None} and "dl.iteration" in span.attributes
    }
    parents = {span.span_id: span.parent for span in rank.spans}
    current = max(numbers.values(), default=scenario.first_step - 1)
    open_ids = {span.span_id for span in rank.open}
    finished = [
        BoxedSpan(
            span.name,
            span.group,
            int(span.span_id, 16),
            int(span.parent or "0", 16),
            span.start,
            span.end,
            # What is left of a step that was not finished is of the next one.
            numbers.get(_step_around(span.span_id, numbers, parents), current + 1),
            "nemo.wait" in span.attributes,
        )
        for span in rank.spans[-_NEWEST:]
        if span.span_id not in open_ids
    ]
    opened = [
        BoxedSpan(
            span.name,
            span.group if scenario.groups else None,
            int(span.span_id, 16),
            int(span.parent or "0", 16),
            span.start,
            None,
            _reached(scenario),
            scenario.marked and scenario.mark_by == "attribute" and span.name == "demo.all_reduce",
        )
        for span in rank.open
    ]
    return [*finished, *opened]


def _step_around(span_id: str, numbers: dict[str, int], parents: dict[str, str]) -> str:
    while span_id and span_id not in numbers:
        span_id = parents.get(span_id, "")
    return span_id


def _reached(scenario: Scenario) -> int:
    """The step in which the run came to its end."""
    return min([*scenario.killed.values(), *scenario.hung.values()])
