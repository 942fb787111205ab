# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Exports spans that are over already, and says truthfully how many arrived."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens import semconv
from nemo.lens.config import NemoLensConfig, ensure_run_id
from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.span_utilities import emit_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.context import Context
    from opentelemetry.trace import Tracer

    from nemo.lens.cli.emission.span_arguments import GivenSpan

_CLOSING_S: Final = 1.0


class Delivery(NamedTuple):
    """What became of the spans.

    Attributes:
        delivered: How many an exporter accepted; with several exporters, the least of them.
        in_time: Whether the exporters answered within the time that there was.
    """

    delivered: int
    in_time: bool


def emit(service: str, spans: Sequence[GivenSpan], timeout_s: float) -> Delivery:
    """Export `spans`, parents first, to the exporters that the environment names.

    Args:
        service: `service.name` of the resource, whatever the environment says.
        spans: What to export.
        timeout_s: Longest time in seconds that the export may take.

    Raises:
        ValueError: A variable has a bad value.
        ImportError: The package of an exporter is missing.
    """
    from nemo.lens.sdk.otel_environment import load_sdk

    load_sdk()
    from nemo.lens.sdk.runtime import start

    config = _configuration()
    ensure_run_id(config)
    deadline = time.monotonic() + timeout_s
    runtime = start(
        config,
        resource_attributes={
            semconv.SERVICE_NAME: service,
            semconv.SERVICE_INSTANCE_ID: f"{service}-p{os.getpid()}",
        },
    )
    if runtime is None:
        return Delivery(0, in_time=True)
    try:
        in_time = True
        contexts: dict[str, Context] = {}
        # More would be dropped by a full queue while the receiver is slow.
        at_once = read_foreign_variable("OTEL_BSP_MAX_QUEUE_SIZE") or config.queue_size
        for first in range(0, len(spans), at_once):
            _record(spans[first : first + at_once], contexts, runtime.tracer)
            in_time = runtime.flush(_left_ms(deadline)) and in_time
    finally:
        runtime.shutdown(max(_left_ms(deadline), _CLOSING_S * 1000))
    return Delivery(_delivered(runtime.stats()), in_time or time.monotonic() < deadline)


def _configuration() -> NemoLensConfig:
    """The exporters of the environment; what switches telemetry on and off is not for a script."""
    variables = {name: text for name, text in os.environ.items() if name != "NEMO_LENS_ENABLED"}
    config = NemoLensConfig.from_env(environ=variables)
    config.enabled = config.traces_enabled = True
    config.metrics_enabled = config.logs_enabled = config.single_trace_id = False
    for variable, off in (("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none")):
        if read_foreign_variable(variable) == off:
            raise ValueError(f"{variable}={off} switches spans off; unset it to export them")
    return config


def _record(spans: Sequence[GivenSpan], contexts: dict[str, Context], tracer: Tracer) -> None:
    from opentelemetry.context import Context
    from opentelemetry.trace import set_span_in_context

    for given in spans:
        parent = contexts.get(given.parent, Context())
        span = emit_span(tracer, given.name, given.start, given.end, context=parent)
        if span is not None:
            contexts[given.name] = set_span_in_context(span, Context())


def _left_ms(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic()) * 1000


def _delivered(stats: dict[str, Any]) -> int:
    return min((queue["delivered"] for queue in stats["queues"].values()), default=0)
