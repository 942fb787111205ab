# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""OTLP-JSON for spans, written directly: no protobuf objects on the way.

The mapping is the one of the OTLP specification: camelCase names, hexadecimal ids, 64-bit integers
as decimal strings, numeric enums, and "NaN" and "Infinity" as strings, so every line is strict
JSON. Tests compare the parsed result with the official encoder's message.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring as quote
from typing import TYPE_CHECKING, Any, cast

from nemo.lens.sdk._otel_private import plain_attributes
from nemo.lens.semconv import NEMO_SPAN_GROUP
from nemo.lens.spans import span_names

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import Link, Status

_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_REMOTE_IS_KNOWN, _IS_REMOTE = 0x100, 0x200
GROUP_ATTRIBUTE = NEMO_SPAN_GROUP
_quoted: dict[str, str] = {}
_QUOTED_LIMIT = 10_000


def encode_spans(spans: Sequence[ReadableSpan], resource_json: str) -> str:
    """Encode spans of one process as one ExportTraceServiceRequest on one line.

    Spans of one scope and span group share a `scopeSpans` entry, whose scope carries the group as
    the attribute `nemo.span.group`.

    Args:
        spans: Ended spans.
        resource_json: The resource and its schema URL, from `encode_resource`.

    Returns:
        The JSON text with its newline.
    """
    blocks: dict[tuple[int, str | None], tuple[InstrumentationScope | None, list[str]]] = {}
    group_of = span_names.group_of
    for span in spans:
        scope = span.instrumentation_scope
        group = group_of(span.name)
        block = blocks.get((id(scope), group))
        if block is None:
            block = blocks[id(scope), group] = (scope, [])
        block[1].append(_span(span))
    scope_spans = ",".join(
        f'{{"scope":{_scope(scope, group)},"spans":[{",".join(encoded)}]{_schema_url(scope)}}}'
        for (_, group), (scope, encoded) in blocks.items()
    )
    return f'{{"resourceSpans":[{{{resource_json},"scopeSpans":[{scope_spans}]}}]}}\n'


def encode_resource(resource: Resource) -> str:
    """Encode a resource as the members `"resource":...` and `"schemaUrl":...` of an object."""
    schema_url = f',"schemaUrl":{quote(resource.schema_url)}' if resource.schema_url else ""
    return f'"resource":{{"attributes":[{_attributes(resource.attributes)}]}}{schema_url}'


def to_bytes(line: str) -> bytes:
    """Encode a line as UTF-8; lone surrogates, which no JSON reader accepts, become "?"."""
    return line.encode("utf-8", "replace")


def _span(span: ReadableSpan) -> str:
    context: Any = span.context
    parent = span.parent
    parts = [
        f'{{"traceId":"{context.trace_id:032x}","spanId":"{context.span_id:016x}"',
    ]
    if context.trace_state:
        parts.append(f',"traceState":{quote(context.trace_state.to_header())}')
    flags = _REMOTE_IS_KNOWN
    if parent is not None:
        parts.append(f',"parentSpanId":"{parent.span_id:016x}"')
        if parent.is_remote:
            flags |= _IS_REMOTE
    parts.append(
        f',"flags":{flags},"name":{_text(span.name)},"kind":{span.kind.value + 1}'
        f',"startTimeUnixNano":"{span.start_time or 0}","endTimeUnixNano":"{span.end_time or 0}"'
    )
    attributes = plain_attributes(span)
    if attributes:
        parts.append(f',"attributes":[{_attributes(attributes)}]')
    if span.dropped_attributes:
        parts.append(f',"droppedAttributesCount":{span.dropped_attributes}')
    if span.events:
        parts.append(f',"events":[{",".join(map(_event, span.events))}]')
    if span.dropped_events:
        parts.append(f',"droppedEventsCount":{span.dropped_events}')
    if span.links:
        parts.append(f',"links":[{",".join(map(_link, span.links))}]')
    if span.dropped_links:
        parts.append(f',"droppedLinksCount":{span.dropped_links}')
    parts.append(_status(span.status))
    return "".join(parts)


def _status(status: Status) -> str:
    code = status.status_code.value
    if not code:
        return ',"status":{}}'
    if status.description:
        return f',"status":{{"message":{_text(status.description)},"code":{code}}}}}'
    return f',"status":{{"code":{code}}}}}'


def _event(event: Event) -> str:
    attributes = event.attributes
    dropped = event.dropped_attributes
    return (
        f'{{"timeUnixNano":"{event.timestamp}","name":{_text(event.name)}'
        + (f',"attributes":[{_attributes(attributes)}]' if attributes else "")
        + (f',"droppedAttributesCount":{dropped}}}' if dropped else "}")
    )


def _link(link: Link) -> str:
    context = link.context
    attributes, dropped = link.attributes, link.dropped_attributes
    state = context.trace_state
    flags = _REMOTE_IS_KNOWN
    if context.is_remote:
        flags |= _IS_REMOTE
    return (
        f'{{"traceId":"{context.trace_id:032x}","spanId":"{context.span_id:016x}","flags":{flags}'
        + (f',"traceState":{quote(state.to_header())}' if state else "")
        + (f',"attributes":[{_attributes(attributes)}]' if attributes else "")
        + (f',"droppedAttributesCount":{dropped}}}' if dropped else "}")
    )


def _scope(scope: InstrumentationScope | None, group: str | None) -> str:
    name = scope.name if scope is not None else ""
    version = scope.version if scope is not None else None
    attributes = dict((scope.attributes if scope is not None else None) or {})
    if group is not None:
        attributes[GROUP_ATTRIBUTE] = group
    return (
        f'{{"name":{quote(name)}'
        + (f',"version":{quote(version)}' if version else "")
        + (f',"attributes":[{_attributes(attributes)}]}}' if attributes else "}")
    )


def _schema_url(scope: InstrumentationScope | None) -> str:
    return (
        f',"schemaUrl":{quote(scope.schema_url)}' if scope is not None and scope.schema_url else ""
    )


def _attributes(attributes: Mapping[str, Any]) -> str:
    return ",".join(
        [f'{{"key":{_text(key)},"value":{_value(value)}}}' for key, value in attributes.items()]
    )


def _text(text: Any) -> str:
    """Quote a name or key; the set of those is small, so they are quoted once."""
    quoted = _quoted.get(text) if type(text) is str else None
    if quoted is None:
        quoted = quote(text if isinstance(text, str) else str(text))
        if type(text) is str and len(_quoted) < _QUOTED_LIMIT and len(text) < _QUOTED_LENGTH:
            _quoted[text] = quoted
    return quoted


_QUOTED_LENGTH = 200


def _value(value: Any) -> str:
    kind = cast("type[object]", type(value))
    if kind is str:
        return f'{{"stringValue":{quote(value)}}}'
    if kind is bool:
        return '{"boolValue":true}' if value else '{"boolValue":false}'
    if kind is int:
        return _integer(value)
    if kind is float:
        return f'{{"doubleValue":{_double(value)}}}'
    return _other_value(value)


def _other_value(value: Any) -> str:  # noqa: PLR0911 - one return for each kind of value
    """Encode what attributes rarely hold: subclasses, sequences, bytes, mappings, None."""
    if value is None:
        return "{}"
    if isinstance(value, str):
        return f'{{"stringValue":{quote(str(value))}}}'
    if isinstance(value, bool):
        return _value(bool(value))
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return _value(float(value))
    if isinstance(value, bytes):
        return f'{{"bytesValue":"{base64.b64encode(value).decode()}"}}'
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value)
        return f'{{"kvlistValue":{{"values":[{_attributes(members)}]}}}}'
    if isinstance(value, Sequence):
        items: Any = value  # pyright: ignore[reportUnknownVariableType]
        return f'{{"arrayValue":{{"values":[{",".join(map(_value, items))}]}}}}'
    return f'{{"stringValue":{quote(str(value))}}}'


def _integer(value: int) -> str:
    if _INT64_MIN <= value <= _INT64_MAX:
        return f'{{"intValue":"{value}"}}'
    # The protocol has 64 bits; as text the number is at least kept.
    return f'{{"stringValue":"{value}"}}'


def _double(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    if value != value:  # noqa: PLR0124 - the definition of NaN
        return '"NaN"'
    return '"Infinity"' if value > 0 else '"-Infinity"'
