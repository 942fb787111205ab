# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Synthetic telemetry as lines of OTLP-JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from synthetic_runs.scenario import EPOCH, NANO

if TYPE_CHECKING:
    from synthetic_runs.scenario import Scenario
    from synthetic_runs.simulation import SpanRow

BATCH = 64


def key_values(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes in OTLP-JSON; values are given as AnyValue or as str."""
    return [
        {"key": key, "value": value if isinstance(value, dict) else {"stringValue": value}}
        for key, value in attributes.items()
    ]


def resource(scenario: Scenario, rank: int) -> dict[str, Any]:
    """The resource of a rank."""
    attributes: dict[str, Any] = {
        "service.name": "trainer",
        "nemo.run.id": scenario.run,
        "host.name": scenario.host_name(rank),
        "process.pid": {"intValue": str(scenario.pid(rank))},
        "nv.dl.rank": {"intValue": str(rank)},
        "nv.dl.world_size": {"intValue": str(scenario.ranks)},
    }
    if scenario.job_uuid:
        attributes["nv.dl.job.uuid"] = scenario.job_uuid
    if scenario.restart:
        attributes["slurm.restart_count"] = {"intValue": str(scenario.restart)}
    return {"attributes": key_values(attributes)}


def request(scenario: Scenario, rank: int, spans: list[SpanRow]) -> bytes:
    """One line: an ExportTraceServiceRequest with one block per group."""
    blocks: dict[str | None, list[dict[str, Any]]] = {}
    for span in spans:
        blocks.setdefault(span.group, []).append(span_json(span))
    scopes = [{"scope": _scope(group), "spans": encoded} for group, encoded in blocks.items()]
    entry = {"resource": resource(scenario, rank), "scopeSpans": scopes}
    return orjson.dumps({"resourceSpans": [entry]}) + b"\n"


def _scope(group: str | None) -> dict[str, Any]:
    scope: dict[str, Any] = {"name": "nemo.lens"}
    if group is not None:
        scope["attributes"] = key_values({"nemo.span.group": group})
    return scope


def span_json(span: SpanRow) -> dict[str, Any]:
    """One span in OTLP-JSON."""
    return {
        "traceId": "0" * 31 + "1",
        "spanId": span.span_id,
        "parentSpanId": span.parent,
        "name": span.name,
        "kind": 1,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": key_values(span.attributes),
        "status": {},
    }


def lines(scenario: Scenario, rank: int, spans: list[SpanRow]) -> list[bytes]:
    """All spans of a rank as lines of at most `BATCH` spans."""
    return [
        request(scenario, rank, spans[place : place + BATCH])
        for place in range(0, len(spans), BATCH)
    ]


def metric_line(scenario: Scenario, rank: int, name: str, values: list[float]) -> bytes:
    """One line: a gauge with one point per second."""
    points = [
        {"timeUnixNano": str(EPOCH + place * NANO), "asDouble": value}
        for place, value in enumerate(values)
    ]
    metric = {"name": name, "unit": "1", "gauge": {"dataPoints": points}}
    entry = {"resource": resource(scenario, rank), "scopeMetrics": [{"metrics": [metric]}]}
    return orjson.dumps({"resourceMetrics": [entry]}) + b"\n"


def log_line(scenario: Scenario, rank: int, severity: str, body: str) -> bytes:
    """One line: one log record."""
    record = {
        "timeUnixNano": str(EPOCH),
        "severityNumber": 9,
        "severityText": severity,
        "body": {"stringValue": body},
    }
    entry = {"resource": resource(scenario, rank), "scopeLogs": [{"logRecords": [record]}]}
    return orjson.dumps({"resourceLogs": [entry]}) + b"\n"
