# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G12: encoding ended spans for OTLP, against the official encoder, every value a new one."""

from __future__ import annotations

from typing import Any

from benchmarks.paired_timing import timed
from benchmarks.rows import Measurement, Row

BATCH = 256


def _spans(attributes: int) -> list[Any]:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

    ended: list[Any] = []

    class Keep(SpanProcessor):
        def on_end(self, span: Any) -> None:
            ended.append(span)

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(Keep())
    tracer = provider.get_tracer("encoded", "1.0")
    for number in range(BATCH):
        given = {
            f"key{n}": (number * n * 7919, f"value {number} {n}", number * 1.5 + n)[n % 3]
            for n in range(attributes)
        }
        with tracer.start_as_current_span("train.step", attributes=given):
            pass
    return ended


def _ratios() -> Measurement:
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans as official
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceRequest,
    )

    from nemo.lens.sdk.exporters.span_protobuf import encoded_request
    from nemo.lens.sdk.files.encoding import encode_resource, encode_spans

    batches = {count: _spans(count) for count in (0, 3, 10)}
    for batch in batches.values():
        if ExportTraceServiceRequest.FromString(encoded_request(batch)) != official(batch):
            raise AssertionError("the encoded spans differ from the official message")
    resource = encode_resource(batches[0][0].resource)
    times = timed(
        {
            f"{name}{count}": f"{name}(batch{count})"
            for name in ("ours", "official", "json")
            for count in batches
        },
        {
            "ours": encoded_request,
            "official": lambda batch: official(batch).SerializePartialToString(),
            "json": lambda batch: encode_spans(batch, resource),
            **{f"batch{count}": batch for count, batch in batches.items()},
        },
        rounds=8,
    )
    ratios = {count: times.median_ratio(f"ours{count}", f"official{count}") for count in batches}
    detail: dict[str, float | str] = {f"{n}_attributes": ratio for n, ratio in ratios.items()}
    for name in ("ours", "official", "json"):
        detail[f"{name}_3_us"] = times.median_ns(f"{name}3") / BATCH / 1000
    return Measurement(max(ratios.values()), detail)


ROWS = (Row("G12", "OTLP encoding / official encoder, parsed result equal", 0.40, _ratios, "1"),)
