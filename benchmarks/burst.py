# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G9 and G10: a burst of 100,000 spans to a receiver on this machine, over HTTP and gRPC.

The receiver is another process. The CPU time is that of the whole exporting process, from the first
span of the burst to the end of the shutdown, so it holds the encoding and the sending as well. The
reference is the stock SDK with a queue that is large enough and the same exporter.
"""

from __future__ import annotations

import json
import sys
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from benchmarks.children import printed_by
from benchmarks.loopback import Receiver
from benchmarks.rows import Measurement, Row

if TYPE_CHECKING:
    from collections.abc import Callable

BURST = 100_000
PROTOCOLS = ("http/protobuf", "grpc")
SMALL_QUEUE = 1_000
_WARM_UP = 200


def _ours() -> tuple[Callable[[int], None], Callable[[], dict[str, Any]]]:
    from nemo.lens import NemoLensConfig, setup_telemetry
    from nemo.lens.helpers import managed_span

    config = NemoLensConfig.from_env()
    config.enabled, config.span_groups = True, "all"
    config.metrics_enabled = False
    handle = setup_telemetry(config, rank=0, world_size=1)

    def burst(count: int) -> None:
        for number in range(count):
            with managed_span("step", "train.step", i=number, b="x", c=1.5):
                pass

    def end() -> dict[str, Any]:
        handle.shutdown(timeout_ms=120_000)
        return {"lost": sum(handle.stats()["lost"].values())}

    return burst, end


def _stock() -> tuple[Callable[[int], None], Callable[[], dict[str, Any]]]:
    import os

    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter: Any
    if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        exporter = OTLPSpanExporter()
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (
            OTLPSpanExporter as HttpSpanExporter,
        )

        exporter = HttpSpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=2 * BURST))
    start = provider.get_tracer("stock").start_as_current_span

    def burst(count: int) -> None:
        for number in range(count):
            with start("train.step", attributes={"i": number, "b": "x", "c": 1.5}):
                pass

    def end() -> dict[str, Any]:
        provider.shutdown()
        return {"lost": 0}

    return burst, end


def _run(kind: str) -> dict[str, Any]:
    burst, end = _ours() if kind == "ours" else _stock()
    burst(_WARM_UP)
    time.sleep(0.3)
    cpu, wall = time.process_time(), time.perf_counter()
    burst(BURST - _WARM_UP)
    hot = time.perf_counter() - wall
    told = end()
    return {
        **told,
        "cpu_us": (time.process_time() - cpu) / BURST * 1e6,
        "recording_us": hot / BURST * 1e6,
        "total_s": time.perf_counter() - wall,
    }


@lru_cache(maxsize=1)
def _bursts() -> dict[str, dict[str, Any]]:
    results: dict[str, dict[str, Any]] = {}
    with Receiver() as receiver:
        for protocol in PROTOCOLS:
            for kind, queue in (("ours", None), ("stock", None), ("ours", SMALL_QUEUE)):
                environment = {
                    "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
                    "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.endpoints[protocol],
                    **({} if queue is None else {"NEMO_LENS_QUEUE_SIZE": str(queue)}),
                }
                before = receiver.spans()
                found = json.loads(printed_by("benchmarks.burst", kind, environment=environment))
                found["arrived"] = receiver.spans() - before
                results[f"{kind} {protocol} {queue or ''}".strip()] = found
    return results


def _lost() -> Measurement:
    bursts = _bursts()
    detail: dict[str, float | str] = {}
    wrong = 0
    for protocol in PROTOCOLS:
        whole, small = bursts[f"ours {protocol}"], bursts[f"ours {protocol} {SMALL_QUEUE}"]
        wrong += BURST - whole["arrived"]
        wrong += abs(BURST - small["arrived"] - small["lost"])
        detail[f"{protocol}_arrived"] = str(whole["arrived"])
        detail[f"{protocol}_small_queue"] = f"{small['arrived']} + {small['lost']} counted"
    return Measurement(float(wrong), detail)


def _cpu() -> Measurement:
    _bursts.cache_clear()
    bursts = _bursts()
    detail: dict[str, float | str] = {}
    ratios: list[float] = []
    for protocol in PROTOCOLS:
        ours, stock = bursts[f"ours {protocol}"], bursts[f"stock {protocol}"]
        ratios.append(ours["cpu_us"] / stock["cpu_us"])
        detail[f"{protocol}_ours_us"] = ours["cpu_us"]
        detail[f"{protocol}_stock_us"] = stock["cpu_us"]
        detail[f"{protocol}_recording_us"] = ours["recording_us"]
    return Measurement(max(ratios), detail)


ROWS = (
    Row(
        "G9",
        "burst of 100,000: lost, and made - sent - counted past the bound",
        0.0,
        _lost,
        "30 to 48 %",
    ),
    Row("G10", "that burst: CPU of the process / stock SDK", 0.30, _cpu, "1"),
)

if __name__ == "__main__":
    print(json.dumps(_run(sys.argv[1])))
