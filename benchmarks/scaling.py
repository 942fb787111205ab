# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What many recording threads, and forking, cost with the pipeline of set-up; reported only."""

from __future__ import annotations

import json
import os
import statistics
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from benchmarks.children import printed_by
from benchmarks.enabled import discarding_exporter, set_up
from benchmarks.rows import Measurement, Row

if TYPE_CHECKING:
    from collections.abc import Callable

THREADS = (1, 2, 4, 8, 16)
SPANS = 48_000
FORKS = 60
_REPEATS = 3


def _cpu_us_per_span(span: Callable[[int], None], threads: int) -> float:
    def record() -> None:
        for number in range(SPANS // threads):
            span(number)

    taken: list[float] = []
    for _ in range(_REPEATS):
        workers = [threading.Thread(target=record) for _ in range(threads)]
        begin = time.process_time()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        taken.append((time.process_time() - begin) / SPANS * 1e6)
    return min(taken)


def _threads() -> dict[str, float]:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from nemo.lens.helpers import managed_span

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(discarding_exporter(), max_queue_size=2**20))
    start = provider.get_tracer("stock").start_as_current_span
    handle = set_up(discarding_exporter())

    def ours(number: int) -> None:
        with managed_span("step", "x", n=number):
            pass

    def stock(number: int) -> None:
        with start("x", attributes={"n": number}):
            pass

    found: dict[str, float] = {}
    for threads in THREADS:
        found[f"ours_{threads}_us"] = _cpu_us_per_span(ours, threads)
        found[f"stock_{threads}_us"] = _cpu_us_per_span(stock, threads)
    found["lost"] = float(sum(handle.stats()["lost"].values()))
    handle.shutdown()
    provider.shutdown()
    return found


def _fork_us() -> float:
    taken: list[float] = []
    for _ in range(FORKS):
        begin = time.perf_counter()
        child = os.fork()
        if not child:
            os._exit(0)
        taken.append(time.perf_counter() - begin)
        os.waitpid(child, 0)
    return statistics.median(taken) * 1e6


def _forks() -> dict[str, float]:
    import warnings

    import opentelemetry.sdk.trace  # noqa: F401 - loaded in both measures

    warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads is the point
    before = _fork_us()
    handle = set_up(discarding_exporter())
    after = _fork_us()
    handle.shutdown()
    return {"without_us": before, "with_us": after}


def _thread_scaling() -> Measurement:
    found: dict[str, float] = json.loads(printed_by("benchmarks.scaling", "threads"))
    detail: dict[str, float | str] = dict(found)
    return Measurement(found["ours_16_us"] / found["ours_1_us"], detail)


def _fork_cost() -> Measurement:
    found: dict[str, float] = json.loads(printed_by("benchmarks.scaling", "forks"))
    detail: dict[str, float | str] = dict(found)
    return Measurement(found["with_us"] / found["without_us"], detail)


ROWS = (
    Row("S2", "CPU per span with 16 threads / with 1", None, _thread_scaling),
    Row("S3", "fork in the parent, with telemetry / without", None, _fork_cost),
)

_PARTS: dict[str, Any] = {"threads": _threads, "forks": _forks}

if __name__ == "__main__":
    print(json.dumps(_PARTS[sys.argv[1]]()))
