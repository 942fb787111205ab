# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Kill four training ranks at random moments, and compare their records with what they had printed.

`python tests/integration/kill_ranks.py --times 200`

Every rank prints, with one system call each, that it is about to open a span, that it has, that it
is about to close it, and that it has. So after a kill it is known which spans were open, but for the
one step that may have been under way. The black box has to say the same, and each span that was
closed has to be in the run files or in the black box.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nemo.lens import NemoLensConfig, SpanGroup, managed_span, set_step, setup_telemetry
from nemo.lens.runs import Run

RANKS = 4
LONGEST_TRAINING_S = 0.3
EARLY = 0.1
"""Share of the trials whose ranks are killed while they set up."""

_PHASES = (
    (SpanGroup.EVALUATE, "train.evaluate"),
    (SpanGroup.FORWARD_BACKWARD, "train.forward_backward"),
    (SpanGroup.OPTIMIZER, "train.optimizer"),
)


def main() -> int:
    """Run the trials; the exit status is 1 when a record says anything else than its process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200, help="trials (default: 200)")
    parser.add_argument("--seed", type=int, help="of the moments (default: a new one)")
    arguments = parser.parse_args()
    seed = random.randrange(2**32) if arguments.seed is None else arguments.seed
    moments = random.Random(seed)
    totals: Counter[str] = Counter()
    faults: list[str] = []
    _load_everything()
    for trial in range(arguments.times):
        with tempfile.TemporaryDirectory() as directory:
            _kill_four(Path(directory), moments)
            for rank in range(RANKS):
                faults += [
                    f"trial {trial}, rank {rank}: {fault}"
                    for fault in _compare(Path(directory), rank, totals)
                ]
    print(f"seed {seed}: {arguments.times} trials, {dict(sorted(totals.items()))}")
    print("\n".join(faults) or "every record says what its process had printed")
    return 1 if faults else 0


def _load_everything() -> None:
    """Import before the forks what each rank would import after them."""
    with tempfile.TemporaryDirectory() as directory:
        handle = _set_up(Path(directory), rank=0)
        with managed_span(SpanGroup.JOB, "load"):
            pass
        handle.shutdown()


def _kill_four(directory: Path, moments: random.Random) -> None:
    """Start the ranks, and kill all of them at one moment."""
    children = []
    for rank in range(RANKS):
        child = os.fork()
        if not child:
            _train(directory, rank)
        children.append(child)
    if moments.random() > EARLY:
        _wait_until_all_train(directory)
    time.sleep(moments.uniform(0, LONGEST_TRAINING_S))
    for child in children:
        os.kill(child, signal.SIGKILL)
    for child in children:
        os.waitpid(child, 0)


def _wait_until_all_train(directory: Path) -> None:
    deadline = time.monotonic() + 30
    while not all("opened" in _text(_printed_by(directory, rank)) for rank in range(RANKS)):
        if time.monotonic() > deadline:
            raise SystemExit("the ranks do not train")
        time.sleep(0.005)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _train(directory: Path, rank: int) -> None:
    """Be one rank until it is killed."""
    _set_up(directory, rank)
    pace = random.Random(rank)
    output = os.open(_printed_by(directory, rank), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    step = 0
    with _told(output, SpanGroup.JOB, "train.job"):
        while True:
            step += 1
            set_step(step)
            with _told(output, SpanGroup.STEP, "train.step"):
                for group, name in _PHASES:
                    with _told(output, group, name):
                        time.sleep(pace.choice((0, 0, 0.0005)))


def _set_up(directory: Path, rank: int):
    config = NemoLensConfig(
        enabled=True,
        exporter="file",
        directory=str(directory / "runs"),
        run_id="r",
        span_groups="all",
        export_strategy="all_ranks",
        blackbox_dir=str(directory / "node"),
    )
    return setup_telemetry(config, rank=rank, world_size=RANKS)


@contextmanager
def _told(output: int, group: str, name: str):
    os.write(output, f"open {name}\n".encode())
    with managed_span(group, name) as span:
        span_id = f"{span.get_span_context().span_id:016x}"
        os.write(output, f"opened {name} {span_id}\n".encode())
        yield
        os.write(output, f"close {name} {span_id}\n".encode())
    os.write(output, f"closed {name} {span_id}\n".encode())


def _printed_by(directory: Path, rank: int) -> Path:
    return directory / f"rank-{rank}.txt"


@dataclass
class _Printed:
    """What a process had printed when it was killed."""

    open: list[str] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    opening: str | None = None
    closing: bool = False


def _read_printed(path: Path) -> _Printed:
    printed = _Printed()
    for line in _text(path).splitlines():
        what, name, *span_id = line.split()
        printed.opening = name if what == "open" else None
        printed.closing = what == "close"
        if what == "opened":
            printed.open += span_id
            printed.names[span_id[0]] = name
        elif what == "closed":
            printed.closed.add(printed.open.pop())
    return printed


def _compare(directory: Path, rank: int, totals: Counter[str]):
    printed = _read_printed(_printed_by(directory, rank))
    record = directory / "runs" / "r"
    run = Run(record) if record.exists() else None
    process = next((p for p in run.processes if p.rank == rank), None) if run else None
    box = process.black_box if process else None
    if box is None:
        if printed.names:
            yield "there is no black box"
        totals["killed before the black box was made"] += 1
        return
    totals["black boxes"] += 1
    if box.ended != "killed":
        yield f"it is said to be {box.ended}"
    yield from _compare_open(printed, box)
    filed = {span.span_id: span.name for span in run.spans() if span.process is process}
    boxed = {span.span_id: span.name for span in box.finished_spans}
    totals["closed spans"] += len(printed.closed)
    totals["of them in the black box alone"] += len(printed.closed - filed.keys())
    totals["torn records"] += box.torn
    lost = printed.closed - filed.keys() - boxed.keys()
    if lost:
        yield f"{len(lost)} closed spans are lost"
    for span_id, name in (filed | boxed).items():
        if span_id in printed.names and printed.names[span_id] != name:
            yield f"{span_id} is called {name}, not {printed.names[span_id]}"


def _compare_open(printed: _Printed, box):
    boxed = [span.span_id for span in box.open_spans]
    allowed = [printed.open]
    if printed.closing:
        allowed.append(printed.open[:-1])
    if boxed not in allowed:
        under_way = printed.opening is not None and boxed[:-1] == printed.open
        if not under_way or box.open_spans[-1].name != printed.opening:
            yield f"open are {boxed}, printed were {printed.open} ({printed})"
    names = [span.name for span in box.open_spans if span.span_id in printed.names]
    if names != [printed.names[span_id] for span_id in boxed if span_id in printed.names]:
        yield f"open are spans called {names}"


if __name__ == "__main__":
    sys.exit(main())
