# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A test span, metric and log record on the way that the job's would take."""

from __future__ import annotations

import dataclasses
import logging
import os
import time
from typing import TYPE_CHECKING, Any, Final

from nemo.lens import semconv
from nemo.lens.cli.doctor.captured_logs import captured_warnings
from nemo.lens.cli.doctor.findings import Finding, Verdict
from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.span_utilities import emit_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.cli.doctor.situation import Situation
    from nemo.lens.config import NemoLensConfig
    from nemo.lens.sdk.runtime import Runtime

SPAN: Final = "lens.doctor.delivery"
METRIC: Final = "nemo.lens.doctor.deliveries"
LOG_RECORD: Final = "nemo-lens doctor: a test record"
_ROLE: Final = "doctor"
# Not below `nemo.lens`, whose own records are not exported.
_LOGGER: Final = "nemo_lens_doctor"
_ITEMS: Final = {"spans": "span", "metrics": "metric", "logs": "log record"}
_SIGNAL_OF: Final = {"spans": "traces", "metrics": "metrics", "logs": "logs"}


def deliver(
    situation: Situation, exporter: str, *, directory: str | None = None
) -> Iterator[Finding]:
    """Export one item of each signal that goes to `exporter`, and say what became of it.

    The items carry the resource of the job with `nv.dl.role=doctor`.

    Args:
        situation: What is the case.
        exporter: `otlp` or `file`.
        directory: Where to record in place of the job's folder.
    """
    if read_foreign_variable("OTEL_SDK_DISABLED") == "true":
        return  # a finding of its own
    with captured_warnings() as warnings:
        config = _test_configuration(situation, exporter, directory)
        stats = _send(config, situation.question.timeout_s)
    for subject, queue in stats["queues"].items():
        yield _judge(subject, queue, warnings)


def _test_configuration(
    situation: Situation, exporter: str, directory: str | None
) -> NemoLensConfig:
    config = situation.switched_on()
    signals = situation.signals_to(exporter)
    return dataclasses.replace(
        config,
        exporter=exporter,
        directory=directory or config.directory,
        run_id=f"nemo-lens-doctor-{os.getpid()}",
        traces_enabled="traces" in signals,
        metrics_enabled="metrics" in signals,
        logs_enabled="logs" in signals,
        sampler_enabled=False,
        blackbox=False,
    )


def _send(config: NemoLensConfig, timeout_s: float) -> dict[str, Any]:
    from nemo.lens.sdk.otel_environment import load_sdk

    load_sdk()
    from nemo.lens.sdk.runtime import start

    runtime = start(
        config,
        resource_attributes={
            semconv.NV_DL_ROLE: _ROLE,
            semconv.SERVICE_INSTANCE_ID: f"{config.run_id}-{_ROLE}",
        },
    )
    if runtime is None:
        return {}
    try:
        _record(runtime)
        runtime.flush(timeout_s * 1000)
    finally:
        runtime.shutdown(timeout_s * 1000)
    return runtime.stats()


def _record(runtime: Runtime) -> None:
    from opentelemetry.context import Context

    now = time.time()
    emit_span(runtime.tracer, SPAN, now, now, context=Context())
    counter = runtime.meter.create_counter(
        METRIC, unit="{delivery}", description="Test deliveries of nemo-lens doctor."
    )
    counter.add(1)
    logger = logging.getLogger(_LOGGER)
    logger.setLevel(logging.INFO)
    logger.info(LOG_RECORD)


def _judge(subject: str, queue: dict[str, Any], warnings: list[str]) -> Finding:
    signal, _, exporter = subject.partition(" to ")
    item = _ITEMS.get(signal, signal)
    lost = queue["lost"]
    if queue["delivered"] and not lost:
        return Finding("delivery", Verdict.FINE, f"A test {item} was delivered to {exporter}")
    if not lost:
        return Finding(
            "delivery",
            Verdict.WARNING,
            f"No test {item} was exported to {exporter}: nothing was recorded",
            "A sampler can do that; look at OTEL_TRACES_SAMPLER.",
        )
    named = f"export of {_SIGNAL_OF.get(signal, signal)} "
    reasons = [each for each in warnings if each.startswith(named)]
    why = reasons[0] if reasons else ", ".join(lost)
    return Finding(
        "delivery",
        Verdict.LOSS,
        f"A test {item} was not delivered to {exporter}: {why}",
        "Look at the endpoint, its headers (OTEL_EXPORTER_OTLP_HEADERS) and what it accepts."
        if exporter == "otlp"
        else "Look at the folder and its file system.",
    )
