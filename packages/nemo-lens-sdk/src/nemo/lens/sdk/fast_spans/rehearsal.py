# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# pyright: reportPrivateUsage=false
"""Whether the installed SDK is one that fast spans equal: a rehearsal on a private provider.

Both kinds of spans run through the same short programs at set-up; every public property of what
the processors get must be equal, and the SDK's spans must have no parts that fast spans know
nothing of. It takes about a millisecond and is done once for each process.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.ids import RandomIds

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.sdk.trace import ReadableSpan

    from nemo.lens.sdk.fast_spans.span import FastSpan


@lru_cache(maxsize=1)
def difference_from_sdk() -> str | None:
    """Return None when fast spans equal those of the installed SDK, or what is different."""
    try:
        return _difference()
    except Exception as error:  # an SDK that has moved a name that fast spans rest on
        return f"this OpenTelemetry SDK is not known ({type(error).__name__}: {error})"


def _difference() -> str | None:
    from nemo.lens.sdk.fast_spans.eligibility import checked
    from nemo.lens.sdk.fast_spans.opening import span_class
    from nemo.lens.spans.span_factory import PlainSpan

    expected, actual = _Kept(), _Kept()
    theirs, ours = _tracer(expected), _tracer(actual)
    kind = span_class(
        checked(ours),
        lambda _span_id, span: actual.on_start(span),
        actual.on_end,
        actual.on_end,
        {},
    )

    def fast(name: str, attributes: dict[str, Any] | None = None) -> FastSpan:
        span: FastSpan = object.__new__(kind)
        span._name = name  # noqa: SLF001
        span._token = None  # noqa: SLF001
        span._attributes = kind.bounded(attributes or {})  # noqa: SLF001
        return span

    def plain(name: str, attributes: dict[str, Any] | None = None) -> PlainSpan:
        return PlainSpan(name, attributes, theirs, None)

    _program(plain)
    _program(fast)
    unknown = _otel_private.unknown_parts_of_span(expected.started[0])
    if unknown:
        return f"spans of this OpenTelemetry SDK have unknown parts {sorted(unknown)}"
    if len(expected.ended) != len(actual.ended):
        return "this OpenTelemetry SDK ends other spans"
    for span, other in zip(expected.ended, actual.ended, strict=True):
        told, told_by_ours = _told(span), _told(other)
        if told != told_by_ours:
            names = [name for name in told if told[name] != told_by_ours[name]]
            return f"this OpenTelemetry SDK gives spans other values of {', '.join(names)}"
    return None


def _program(span: Callable[..., Any]) -> None:
    try:
        with span("outer", {"text": "x", "number": 1}) as outer:
            with span("inner") as inner:
                inner.set_attribute("flag", value=True)
                inner.add_event("event", {"list": [1, 2]})
                inner.add_link(outer.get_span_context(), {"why": "test"})
                inner.update_name("renamed")
            outer.set_attributes({"list": ["a"], "float": 1.5})
            raise KeyError("rehearsed")  # noqa: TRY301  # how spans tell about exceptions
    except KeyError:
        pass


def _told(span: ReadableSpan) -> dict[str, Any]:
    """Return everything that a span tells, ids by their structure and times by their order."""
    context, parent = span.get_span_context(), span.parent
    if context is None:
        return {"context": None}
    return {
        "name": span.name,
        "context": (context.is_valid, context.is_remote, context.trace_flags, context.trace_state),
        "parent": parent and (parent.trace_id == context.trace_id, parent.is_remote, *parent[3:]),
        "kind": span.kind,
        "status": (span.status.status_code, span.status.description),
        "attributes": list((span.attributes or {}).items()),
        "events": [(e.name, sorted(e.attributes or {}), e.dropped_attributes) for e in span.events],
        "links": [list((link.attributes or {}).items()) for link in span.links],
        "dropped": (span.dropped_attributes, span.dropped_events, span.dropped_links),
        "times": 0 < (span.start_time or 0) <= (span.end_time or 0),
        "resource": span.resource.attributes,
        "scope": span.instrumentation_scope,
        "json": sorted(json.loads(span.to_json())),
    }


class _Kept(SpanProcessor):
    def __init__(self) -> None:
        self.started: list[Any] = []
        self.ended: list[ReadableSpan] = []

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        del parent_context
        self.started.append(span)

    def on_end(self, span: ReadableSpan) -> None:
        self.ended.append(span)


def _tracer(processor: SpanProcessor) -> Any:
    provider = TracerProvider(
        sampler=ALWAYS_ON,
        resource=Resource({"rehearsal": True}),
        id_generator=RandomIds(),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("rehearsal", "1", "https://example.test/schema")
    _otel_private.stop_counting(tracer)  # rehearsed spans are nobody's business
    return tracer
