# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G4 to G7, G13 and the typical step: what a span costs while its group is on.

`RAW` is `with tracer.start_as_current_span(...)` of the stock SDK with its default sampler and one
processor that does nothing. Ours runs on a provider with the same processor (G4, G6, G7), and on
the pipeline that set-up builds (G5, the step). Each set-up has a process of its own.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from benchmarks.children import printed_by
from benchmarks.paired_timing import timed
from benchmarks.rows import Measurement, Row

if TYPE_CHECKING:
    from collections.abc import Callable

STEP_S = 0.1
"""The step whose share a typical step's telemetry is."""

_THREE = {"a": 1, "b": 2.5, "c": "three"}
_TEN = {f"key{n}": (n, f"value {n}", n * 1.5)[n % 3] for n in range(10)}
_SPANS_HELD = 20_000


def raw_tracer() -> Any:
    """Return the provider of `RAW`: the stock SDK with one processor that does nothing."""
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

    class Idle(SpanProcessor):
        def on_start(self, span: Any, parent_context: Any = None) -> None:
            pass

        def on_end(self, span: Any) -> None:
            pass

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(Idle())
    return provider


def _with_exception(open_span: Callable[..., Any], *arguments: str) -> None:
    try:
        with open_span(*arguments):
            raise ValueError("expected")  # noqa: TRY301 - this is what is measured
    except ValueError:
        pass


def _against_raw(extra: dict[str, Any]) -> dict[str, float]:
    from nemo.lens.helpers import managed_span

    times = timed(
        {
            "raw": "with raw('x'): pass",
            "ours": "with managed_span('step', 'x'): pass",
            "raw_3": "with raw('x', attributes={'a': 1, 'b': 2.5, 'c': 'three'}): pass",
            "ours_3": "with managed_span('step', 'x', a=1, b=2.5, c='three'): pass",
            "raw_10": "with raw('x', attributes={**ten}): pass",
            "ours_10": "with managed_span('step', 'x', **ten): pass",
            "raw_error": "with_exception(raw, 'x')",
            "ours_error": "with_exception(managed_span, 'step', 'x')",
        },
        {
            "raw": raw_tracer().get_tracer("raw").start_as_current_span,
            "managed_span": managed_span,
            "ten": _TEN,
            "with_exception": _with_exception,
            **extra,
        },
        rounds=25,
    )
    found: dict[str, float] = {}
    for case in ("", "_3", "_10", "_error"):
        found[f"ratio{case}"] = times.median_ratio(f"ours{case}", f"raw{case}")
        found[f"ours{case}_ns"] = times.median_ns(f"ours{case}")
        found[f"raw{case}_ns"] = times.median_ns(f"raw{case}")
    return found


def _on_an_idle_processor() -> dict[str, float]:
    from opentelemetry import trace

    from nemo.lens.sdk.fast_spans import factory
    from nemo.lens.state import set_enabled_span_groups

    provider = raw_tracer()
    trace.set_tracer_provider(provider)
    set_enabled_span_groups(frozenset({"step"}))
    return {"fast": float(factory.install(provider)), **_against_raw({})}


def set_up(span_exporter: Any) -> Any:
    """Set telemetry up with every group on, and return its handle."""
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    from nemo.lens import NemoLensConfig, setup_telemetry

    config = NemoLensConfig(enabled=True, span_groups="all", run_id="benchmark")
    return setup_telemetry(
        config,
        rank=0,
        world_size=1,
        span_exporter=span_exporter,
        metric_reader=InMemoryMetricReader(),
    )


def discarding_exporter() -> Any:
    """Return a span exporter that accepts everything and keeps nothing."""
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Discard(SpanExporter):
        def export(self, spans: Any) -> SpanExportResult:  # noqa: ARG002 - the interface's name
            return SpanExportResult.SUCCESS

        def shutdown(self) -> None:
            pass

    return Discard()


def _on_the_pipeline() -> dict[str, float]:
    handle = set_up(discarding_exporter())
    found = _against_raw({})
    handle.shutdown()
    return found


def _held() -> dict[str, float]:
    """Measure the memory of spans that wait in the queue of an exporter that hangs."""
    import threading
    import tracemalloc

    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    from nemo.lens.helpers import managed_span

    release = threading.Event()

    class Hang(SpanExporter):
        def export(self, spans: Any) -> SpanExportResult:  # noqa: ARG002 - the interface's name
            release.wait()
            return SpanExportResult.SUCCESS

        def shutdown(self) -> None:
            pass

    class Keep(SpanProcessor):
        kept: list[Any]

        def on_end(self, span: Any) -> None:
            self.kept.append(span)

    keep = Keep()
    keep.kept = []
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(keep)
    raw = provider.get_tracer("raw").start_as_current_span
    handle = set_up(Hang())

    def stock() -> None:
        with raw("x"):
            pass

    def ours() -> None:
        with managed_span("step", "x"):
            pass

    held: dict[str, float] = {}
    for name, span in (("stock", stock), ("ours", ours)):
        for _ in range(200):
            span()
        tracemalloc.start()
        before, _peak = tracemalloc.get_traced_memory()
        for _ in range(_SPANS_HELD):
            span()
        after, _peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        held[f"{name}_bytes"] = (after - before) / _SPANS_HELD
    release.set()
    handle.shutdown()
    return held


def _step() -> dict[str, float]:
    """Take the telemetry of a typical step: 20 spans with some attributes, and 11 metrics."""
    from nemo.lens.helpers import managed_span
    from nemo.lens.instruments.rl import record_rl_metrics

    handle = set_up(discarding_exporter())
    meter = handle.meter
    values: dict[str, Any] = dict.fromkeys(
        (
            "reward_mean",
            "kl_divergence",
            "policy_loss",
            "value_loss",
            "entropy",
            "response_length_mean",
            "grad_norm",
            "learning_rate",
            "throughput_tokens_per_sec",
            "generation_duration_ms",
            "rollout_duration_ms",
        ),
        1.5,
    )

    def step() -> None:
        with managed_span("step", "lib.step", iteration=7):
            for microbatch in range(9):
                with managed_span("forward_backward", "lib.forward", microbatch=microbatch):
                    pass
                with managed_span("forward_backward", "lib.backward", microbatch=microbatch):
                    pass
            with managed_span("optimizer", "lib.optimizer"):
                pass
        record_rl_metrics(meter, **values)

    times = timed({"step": "step()"}, {"step": step}, rounds=25)
    handle.shutdown()
    return {"step_us": times.median_ns("step") / 1000}


@lru_cache(maxsize=4)
def _found(name: str) -> dict[str, float]:
    found: dict[str, float] = json.loads(printed_by("benchmarks.enabled", name))
    return found


def _plain_span() -> Measurement:
    found = _found("idle")
    if not found["fast"]:
        raise AssertionError("the fast span factory was not installed")
    return Measurement(found["ratio"], {k: found[k] for k in ("ours_ns", "raw_ns")})


def _pipeline_span() -> Measurement:
    found = _found("pipeline")
    return Measurement(found["ratio"], {k: found[k] for k in ("ours_ns", "raw_ns")})


def _attributes() -> Measurement:
    found = _found("idle")
    three, ten = found["ratio_3"], found["ratio_10"]
    detail = {k: found[k] for k in ("ours_3_ns", "raw_3_ns", "ours_10_ns", "raw_10_ns")}
    return Measurement(max(three, ten * 0.18 / 0.21), {"3": three, "10": ten, **detail})


def _error() -> Measurement:
    found = _found("idle")
    return Measurement(
        found["ratio_error"], {k: found[k] for k in ("ours_error_ns", "raw_error_ns")}
    )


def _memory() -> Measurement:
    held = _found("held")
    return Measurement(held["ours_bytes"] / held["stock_bytes"], dict(held))


def _share_of_a_step() -> Measurement:
    taken_us = _found("step")["step_us"]
    return Measurement(taken_us / (STEP_S * 1e6), {"step_us": taken_us})


ROWS = (
    Row("G4", "enabled managed_span, idle processor / RAW", 0.16, _plain_span, "1.66"),
    Row("G5", "enabled managed_span, pipeline of set-up / RAW", 0.17, _pipeline_span, "1.20"),
    Row("G6", "3 attributes / RAW (10: held to 0.21, scaled)", 0.18, _attributes, "1.57 (1.81)"),
    Row("G7", "enabled with an exception / RAW with an exception", 0.35, _error, "0.92"),
    Row("G13", "bytes per queued span without attributes / stock", 0.15, _memory, "1"),
    Row("S1", "20 spans + 11 metrics as a share of a 100 ms step", 0.005, _share_of_a_step),
)

_PARTS = {
    "idle": _on_an_idle_processor,
    "pipeline": _on_the_pipeline,
    "held": _held,
    "step": _step,
}

if __name__ == "__main__":
    print(json.dumps(_PARTS[sys.argv[1]]()))
