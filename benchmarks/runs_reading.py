# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How fast `nemo.lens.runs` reads and analyses: `python benchmarks/runs_reading.py [--ranks N]`.

Prints spans per second of processor time, for reading alone and for `ranks`, at 1x, 2x and 4x the
size, and the peak memory; then how long the folders of ten thousand ranks take. The aim is 300,000
spans per second read, cost that grows linearly, and folders in seconds.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/nemo-lens-cli/runs"))

from synthetic_runs import Scenario, write_run

from nemo.lens.runs import Run, analyse_ranks, collect, find_runs
from nemo.lens.sdk.files.folder import ProcessIdentity, RunFolder

SLOW_RANK = 1


def measure(ranks: int, steps: int) -> dict[str, float]:
    """Write a run, read it and analyse it.

    Args:
        ranks: World size; rank 1 is slow.
        steps: Steps, of six spans each.

    Returns:
        Spans, seconds for each part, and the peak memory of this process in MiB.
    """
    scenario = Scenario(
        ranks=ranks,
        steps=steps,
        nested=True,
        ranks_per_host=8,
        slow={(SLOW_RANK, "forward_backward"): 1.6},
    )
    with tempfile.TemporaryDirectory() as directory:
        path = write_run(Path(directory), scenario)
        started = time.process_time()
        run = Run(path)
        deque(run.spans(), maxlen=0)
        read = time.process_time()
        records = collect(run)
        reduced = time.process_time()
        report = analyse_ranks(run, records)
        analysed = time.process_time()
    found = [straggler.rank for straggler in report.stragglers]
    if found != [SLOW_RANK]:
        raise SystemExit(f"the slow rank is {SLOW_RANK}, found were {found}")
    return {
        "spans": sum(record.spans for record in records),
        "read_s": read - started,
        "reduce_s": reduced - read,
        "analyse_s": analysed - reduced,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measure_folders(ranks: int) -> dict[str, float]:
    """Make the folders of that many ranks, list them, and read who they are.

    Returns:
        Seconds of processor time for each part, and the most entries of one folder.
    """
    with tempfile.TemporaryDirectory() as directory:
        started = time.process_time()
        for rank in range(ranks):
            identity = ProcessIdentity("r", rank=rank, world_size=ranks)
            RunFolder(Path(directory), identity, {}, {}).open()
        made = time.process_time()
        (location,) = find_runs(directory)
        listed = time.process_time()
        processes = Run(directory).processes
        read = time.process_time()
        largest = max(len(list(shard.iterdir())) for shard in Path(directory, "r").iterdir())
    if not ranks == len(location.folders) == len(processes):
        raise SystemExit(f"of {ranks} folders {len(location.folders)} were found")
    return {
        "make_s": made - started,
        "list_s": listed - made,
        "read_s": read - listed,
        "largest": largest,
    }


def main() -> None:
    """Measure at three sizes and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=16, help="ranks at 1x (default: 16)")
    parser.add_argument("--steps", type=int, default=1000, help="steps (default: 1000)")
    parser.add_argument("--folders", type=int, default=10_000, help="(default: 10000)")
    arguments = parser.parse_args()
    print("   ranks     spans  read spans/s  ranks spans/s  analysis s  peak MiB")
    for factor in (1, 2, 4):
        result = measure(arguments.ranks * factor, arguments.steps)
        whole_s = result["reduce_s"] + result["analyse_s"]
        print(
            f"{arguments.ranks * factor:8d}  {result['spans']:8.0f}  "
            f"{result['spans'] / result['read_s']:12,.0f}  "
            f"{result['spans'] / whole_s:13,.0f}  {result['analyse_s']:10.2f}  "
            f"{result['peak_mib']:8.0f}"
        )
    folders = measure_folders(arguments.folders)
    print(
        f"{arguments.folders} process folders, at most {folders['largest']:.0f} in one: made in "
        f"{folders['make_s']:.1f} s, listed in {folders['list_s']:.2f} s, manifests read in "
        f"{folders['read_s']:.1f} s"
    )


if __name__ == "__main__":
    main()
