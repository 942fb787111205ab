# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A reading process of `nemo.lens.runs.parallel_collect`; started by it, never imported.

Gets the run as argument and the folders as a pickled list on standard input. Hands back, on standard
output, a pickled pair of folder and record for each, then None, then what could not be read.
"""

from __future__ import annotations

import gc
import pickle
import signal
import sys

from nemo.lens.runs.collect import collect_processes
from nemo.lens.runs.process import Process
from nemo.lens.runs.run import Run
from nemo.lens.runs.step_records import ProcessRecord


def main() -> None:
    """Read and hand back."""
    # Ctrl-C is for the caller, who ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing here makes cycles, and looking for them takes a fifth of the time.
    gc.disable()
    folders: list[str] = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own parent
    run = Run(sys.argv[1]).narrowed(folders)
    for process, record in collect_processes(run):
        folders.remove(process.folder)
        _hand_back(process.folder, record)
    for folder in folders:  # without a span
        _hand_back(folder, ProcessRecord(Process()))
    pickle.dump(None, sys.stdout.buffer)
    pickle.dump(run.problems, sys.stdout.buffer)


def _hand_back(folder: str, record: ProcessRecord) -> None:
    record.process = Process()  # the caller knows it
    pickle.dump((folder, record), sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
