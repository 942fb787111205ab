# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How `ranks` scales: `python benchmarks/runs_scale.py [--ranks N] [--steps N] [--json]`.

Writes runs of 10 spans per step at a quarter, half and all of the size, lets `nemo-lens ranks` look
at each in a process of its own, and prints spans, seconds, spans per second, the CPU time and the
peak memory of all its processes together, and the load of the machine. The aim: 1,024 ranks of 1,000 steps (10 million
spans) within 60 s and 2 GB on two cores, and cost that grows linearly.

The spans of `PROFILES` ranks are played; every rank of the run has the files of one of them and a
manifest of its own, so that writing 10 million spans takes no longer than writing 80,000. One rank
is slow, and the answer has to name it and nobody else.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/nemo-lens-cli/runs"))

import orjson
from synthetic_runs import Scenario, lines, manifest, play, process_folder

PROFILES = 9
SLOW_PROFILE = 8
PHASES = (
    "data_loading",
    "h2d_copy",
    "zero_grad",
    "forward_backward",
    "grad_norm",
    "logging",
    "lr_schedule",
)
SPANS_PER_STEP = len(PHASES) + 3  # the step, its all-reduce and its optimizer
SPANS_PER_LINE = 512


def write(directory: Path, ranks: int, steps: int) -> Path:
    """Write a run whose last rank but one is slow.

    Returns:
        The run folder.
    """
    scenario = Scenario(
        ranks=PROFILES,
        steps=steps,
        phases={phase: 0.2 if phase == "forward_backward" else 0.002 for phase in PHASES},
        ranks_per_host=8,
        slow={(SLOW_PROFILE, "forward_backward"): 1.5},
    )
    profiles = play(scenario)
    for profile in profiles:
        spans = profile.spans
        parts = [spans[at : at + SPANS_PER_LINE] for at in range(0, len(spans), SPANS_PER_LINE)]
        data = b"".join(line for part in parts for line in lines(scenario, profile.number, part))
        (directory / f"profile-{profile.number}").write_bytes(gzip.compress(data, 6))
    whole = Scenario(ranks=ranks, steps=steps, ranks_per_host=8)
    for rank in range(ranks):
        profile = SLOW_PROFILE if rank == ranks - 2 else rank % SLOW_PROFILE
        folder = process_folder(directory, whole, rank)
        folder.mkdir(parents=True)
        found = manifest(whole, rank, profiles[profile].spans[-1:])
        (folder / "manifest.json").write_bytes(orjson.dumps(found))
        os.link(directory / f"profile-{profile}", folder / "traces-00000.jsonl.gz")
    return directory / whole.run


def measure(path: Path, ranks: int, steps: int) -> dict[str, float]:
    """Let the command look at a run.

    Returns:
        Spans, seconds, and the peak memory in MiB, of the command and its children together.
    """
    started, before = time.perf_counter(), _cpu_of_children()
    command = [sys.executable, "-m", "nemo.lens.cli", "ranks", str(path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        memory = _Memory(process.pid)
        memory.start()
        answer = json.loads(process.communicate()[0])
        elapsed = time.perf_counter() - started
        memory.stop()
    found = [straggler["rank"] for straggler in answer["stragglers"]]
    if found != [ranks - 2] or len(answer["ranks"]) != ranks:
        raise SystemExit(f"the slow rank is {ranks - 2}, found were {found}")
    return {
        "ranks": ranks,
        "spans": ranks * steps * SPANS_PER_STEP,
        "seconds": elapsed,
        "cpu_seconds": _cpu_of_children() - before,
        "peak_mib": memory.peak / 2**20,
        "load": os.getloadavg()[0],
    }


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Memory(threading.Thread):
    """Watches the memory of a process and its children (proportional where pages are shared)."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._pid = pid
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(0.1):
            self.peak = max(self.peak, sum(map(_proportional, [self._pid, *_children(self._pid)])))

    def stop(self) -> None:
        self._done.set()
        self.join()


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, task.read_text().split())
    return found


def _proportional(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    kilobytes = (line.split()[1] for line in text.splitlines() if line.startswith("Pss:"))
    return 1024 * int(next(kilobytes, "0"))


def main() -> None:
    """Measure at three sizes and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=1024, help="ranks at full size (1024)")
    parser.add_argument("--steps", type=int, default=1000, help="steps (1000)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    results = []
    for share in (4, 2, 1):
        ranks = arguments.ranks // share
        with tempfile.TemporaryDirectory() as directory:
            path = write(Path(directory), ranks, arguments.steps)
            results.append(measure(path, ranks, arguments.steps))
    if arguments.json:
        print(json.dumps({"schema": 1, "cores": os.cpu_count(), "sizes": results}))
        return
    print("ranks       spans  seconds    spans/s  CPU s  CPU us/span  peak MiB  load")
    for row in results:
        print(
            f"{row['ranks']:5.0f}  {row['spans']:10,.0f}  {row['seconds']:7.1f}  "
            f"{row['spans'] / row['seconds']:9,.0f}  {row['cpu_seconds']:5.0f}  "
            f"{1e6 * row['cpu_seconds'] / row['spans']:11.2f}  {row['peak_mib']:8.0f}  "
            f"{row['load']:4.1f}"
        )


if __name__ == "__main__":
    main()
