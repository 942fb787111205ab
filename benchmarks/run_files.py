# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: SLF001 - it stands in for a fast span
"""F1 to F3: what the black box costs for each span, and the bytes that a recorded span takes.

`RAW` and `CM` are those of the other rows.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.children import printed_by
from benchmarks.enabled import discarding_exporter, raw_tracer
from benchmarks.paired_timing import timed
from benchmarks.rows import Measurement, Row

RECORD_LIMIT = 3.0
"""A record may take 0.3 microseconds where a `CM` takes 0.1."""

_SPANS = 20_000


class _Prebuilt:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_exception: object) -> None:
        pass


def _config(directory: str, **settings: Any) -> Any:
    from nemo.lens import NemoLensConfig

    return NemoLensConfig(
        enabled=True,
        exporter="file",
        span_groups="all",
        run_id="benchmark",
        directory=directory,
        blackbox_dir=str(Path(directory, "node")) if not Path("/dev/shm").is_dir() else "",
        **settings,
    )


def _with_black_box() -> dict[str, float]:
    """Time a span on the pipeline of set-up with the black box on."""
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    from nemo.lens import setup_telemetry
    from nemo.lens.helpers import managed_span

    with tempfile.TemporaryDirectory() as directory:
        handle = setup_telemetry(
            _config(directory, blackbox=True),
            rank=0,
            world_size=1,
            span_exporter=discarding_exporter(),
            metric_reader=InMemoryMetricReader(),
        )
        times = timed(
            {"raw": "with raw('x'): pass", "ours": "with managed_span('step', 'x'): pass"},
            {
                "raw": raw_tracer().get_tracer("raw").start_as_current_span,
                "managed_span": managed_span,
            },
            rounds=25,
        )
        handle.shutdown()
    return {
        "ratio": times.median_ratio("ours", "raw"),
        "ours_ns": times.median_ns("ours"),
        "raw_ns": times.median_ns("raw"),
    }


def _records() -> dict[str, float]:
    """Time what is stored for one span, its start and its end, without the span itself."""
    from nemo.lens.sdk.black_box.recorder import Recorder
    from nemo.lens.sdk.black_box.ring_file import RingFile

    class Span:
        __slots__ = ("_attributes", "_begun", "_name", "_parent_id", "_place", "_start_time")

    span = Span()
    span._name, span._attributes = "lib.step", {}
    span._begun, span._start_time = 2_072_671_236_766, 1_796_069_239_310_414_814
    span._parent_id = 0x86927_5D1D_3BA3_1E8
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as directory:
        folder = "/dev/shm" if Path("/dev/shm").is_dir() else directory
        with tempfile.TemporaryDirectory(dir=folder) as node:
            ring = RingFile(Path(node, "ring.box"), {}, shared=False)
            recorder.attach(ring.memory)
            times = timed(
                {
                    "cm": "with cm: pass",
                    "pair": "opened(0x833e8d011a66a636, span); finished(span, 1000)",
                },
                {
                    "cm": _Prebuilt(),
                    "opened": recorder.opened,
                    "finished": recorder.finished,
                    "span": span,
                },
                rounds=25,
            )
    return {
        "ratio": times.median_ratio("pair", "cm") / 2,
        "record_ns": times.median_ns("pair") / 2,
        "cm_ns": times.median_ns("cm"),
    }


def _bytes() -> dict[str, float]:
    """Record steps as a training loop has them, and weigh the files."""
    from nemo.lens import setup_telemetry
    from nemo.lens.helpers import managed_span

    with tempfile.TemporaryDirectory() as directory:
        handle = setup_telemetry(_config(directory, metrics_enabled=False), rank=0, world_size=1)
        for step in range(_SPANS // 4):
            with managed_span("step", "train.step", iteration=step):
                for name in ("forward", "backward", "optimizer"):
                    with managed_span("forward_backward", f"train.{name}", microbatch=step % 8):
                        pass
        handle.shutdown()
        lines = b"".join(
            path.read_bytes() for path in sorted(Path(directory).rglob("traces-*.jsonl"))
        )
    spans = lines.count(b'"spanId"')
    if spans != _SPANS:
        raise SystemExit(f"of {_SPANS} spans {spans} were recorded")
    return {
        "plain_bytes": len(lines) / spans,
        "gzip_bytes": len(gzip.compress(lines, compresslevel=1)) / spans,
    }


@lru_cache(maxsize=4)
def _found(part: str) -> dict[str, float]:
    found: dict[str, float] = json.loads(printed_by("benchmarks.run_files", part))
    return found


def _span() -> Measurement:
    found = _found("span")
    return Measurement(found["ratio"], {key: found[key] for key in ("ours_ns", "raw_ns")})


def _record() -> Measurement:
    found = _found("record")
    return Measurement(found["ratio"], {key: found[key] for key in ("record_ns", "cm_ns")})


def _size() -> Measurement:
    found = _found("bytes")
    return Measurement(found["gzip_bytes"], dict(found))


ROWS = (
    Row("F1", "enabled managed_span with the black box / RAW", 0.25, _span),
    Row("F2", "a record of the black box / CM", RECORD_LIMIT, _record),
    Row("F3", "bytes of a recorded span with one attribute, gzipped", None, _size),
)

_PARTS = {"span": _with_black_box, "record": _records, "bytes": _bytes}

if __name__ == "__main__":
    print(json.dumps(_PARTS[sys.argv[1]]()))
