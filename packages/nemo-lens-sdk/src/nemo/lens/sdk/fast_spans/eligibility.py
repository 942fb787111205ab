# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which tracers can have fast spans, and why others cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.fast_spans.sampling import KnownAnswers, known_answers

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Tracer


class Declined(Exception):  # noqa: N818  # it is an answer, not an error anybody sees
    """Spans of this tracer are left to the SDK; the text says why."""


class Site(NamedTuple):
    """A tracer that can have fast spans, and what its sampler is known to say."""

    tracer: Tracer
    answers: KnownAnswers


def checked(tracer: object) -> Site:
    """Return what fast spans need to know about `tracer`.

    Raises:
        Declined: The tracer is none of the SDK, is switched off, reports metrics about itself, or
            has a sampler that has to be asked about every span.
    """
    own = _otel_private.real_tracer(tracer)
    if not _otel_private.is_sdk_tracer(own):
        raise Declined(f"the tracer is a {type(own).__module__}.{type(own).__qualname__}")
    unknown = _otel_private.unknown_parts_of_tracer(own)
    if unknown:
        raise Declined(f"tracers of this OpenTelemetry SDK have unknown parts {sorted(unknown)}")
    if not _otel_private.tracer_is_enabled(own):
        raise Declined("the tracer is switched off by its configurator")
    if _otel_private.tracer_counts_itself(own):
        raise Declined("the OpenTelemetry SDK counts the spans of this tracer in metrics")
    answers = known_answers(own.sampler)
    if not answers.local:
        raise Declined(f"the sampler {type(own.sampler).__qualname__} decides on every span")
    return Site(own, answers)
