# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans as the bytes of an OTLP `ExportTraceServiceRequest`, without protobuf objects on the way.

The numbers are the field tags of `opentelemetry/proto/trace/v1/trace.proto` and its neighbours: the
number of a field times 8 plus its wire type. Parsed, the bytes equal the message of the official
encoder; tests compare the two. Whatever is unusual (a mapping or bytes as a value, an integer
beyond 64 bits, a lone surrogate) goes to the official encoder, so it ends as it always does.
"""

# Attribute values are anything; their types are asked for at run time, one by one.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk import _otel_private

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import Status, TraceState

    _OfScope = tuple[InstrumentationScope | None, list[bytes]]
    _OfResource = tuple[Resource, list[_OfScope]]

_REMOTE_IS_KNOWN, _IS_REMOTE = 0x100, 0x200
_SEVEN_BITS = 0x7F
_SHORT_TEXT = _SEVEN_BITS - 1
"""Texts that, with their tag and length, have a length of one byte."""

_MOST_CACHED = 4096
_LONGEST_CACHED = 200

_times = struct.Struct("<cQcQ").pack
_event_time = struct.Struct("<cQ").pack
_double = struct.Struct("<Bd").pack
_span_flags = struct.Struct("<HI").pack
_link_flags = struct.Struct("<BI").pack
_SPAN_FLAGS_TAG = 0x185
_LINK_FLAGS_TAG = 0x35


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > _SEVEN_BITS:
        encoded.append(number & _SEVEN_BITS | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


_LENGTHS = [_varint(length) for length in range(1 << 11)]
_KNOWN_LENGTHS = len(_LENGTHS)
_SMALL_INTEGERS = [_LENGTHS[1 + len(_LENGTHS[n])] + b"\x18" + _LENGTHS[n] for n in range(1 << 11)]
_TRUE, _FALSE = b"\x02\x10\x01", b"\x02\x10\x00"

_keys: dict[str, bytes] = {}
_heads: dict[tuple[str, Any], bytes] = {}


class EncodedSpans:
    """Encoded spans in the shape of the message that the official exporters serialise.

    Args:
        encoded: The bytes of the request.
    """

    __slots__ = ("_encoded",)

    def __init__(self, encoded: bytes) -> None:
        self._encoded = encoded

    def SerializeToString(self) -> bytes:  # noqa: N802 - the name that protobuf messages have
        """Return the bytes."""
        return self._encoded

    SerializePartialToString = SerializeToString


def encode_spans(spans: Sequence[ReadableSpan]) -> Any:
    """Encode ended spans for an official exporter.

    Args:
        spans: Ended spans of any kind.

    Returns:
        An object with `SerializeToString`: `EncodedSpans`, or the official message when a span holds
        something unusual.
    """
    try:
        return EncodedSpans(encoded_request(spans))
    except Exception:  # unusual content: the official encoder says what becomes of it
        return _otel_private.official_span_encoder()(spans)


def encoded_request(spans: Sequence[ReadableSpan]) -> bytes:
    """Return the bytes of the request; raises for unusual content.

    Raises:
        Exception: Something that is left to the official encoder.
    """
    blocks: dict[tuple[int, int], list[bytes]] = {}
    grouped: list[_OfResource] = []
    for span in spans:
        resource, scope = span.resource, span.instrumentation_scope
        block = blocks.get((id(resource), id(scope)))
        if block is None:
            block = _block_of(grouped, resource, scope)
            blocks[id(resource), id(scope)] = block
        encoded = _span(span)
        block.append(b"\x12" + _length(len(encoded)) + encoded)
    return b"".join([_resource_spans(resource, scopes) for resource, scopes in grouped])


def _block_of(
    grouped: list[_OfResource], resource: Resource, scope: InstrumentationScope | None
) -> list[bytes]:
    """Return where the spans of a resource and scope go; equal ones share a place."""
    scopes = next((known for other, known in grouped if other == resource), None)
    if scopes is None:
        scopes = []
        grouped.append((resource, scopes))
    block = next((known for other, known in scopes if other == scope), None)
    if block is None:
        block = []
        scopes.append((scope, block))
    return block


def _resource_spans(resource: Resource, scopes: list[_OfScope]) -> bytes:
    content = _field(b"\x0a", _attributes(resource.attributes, b"\x0a"))
    for scope, encoded in scopes:
        body = _field(b"\x0a", _scope(scope)) + b"".join(encoded)
        if scope is not None and scope.schema_url:
            body += _field(b"\x1a", scope.schema_url.encode())
        content += _field(b"\x12", body)
    if resource.schema_url:
        content += _field(b"\x1a", resource.schema_url.encode())
    return _field(b"\x0a", content)


def _scope(scope: InstrumentationScope | None) -> bytes:
    if scope is None:
        return b""
    encoded = _field(b"\x0a", scope.name.encode())
    if scope.version:
        encoded += _field(b"\x12", scope.version.encode())
    return encoded + _attributes(getattr(scope, "attributes", None) or {}, b"\x1a")


def _span(span: Any) -> bytes:
    context, parent = _otel_private.wire_contexts(span)
    trace_id, span_id, state = context
    name, kind = span._name, span._kind  # noqa: SLF001 - the properties cost as much as the rest
    head = _heads.get((name, kind)) or _head(name, kind)
    encoded = b"\x0a\x10" + trace_id.to_bytes(16, "big") + b"\x12\x08" + span_id.to_bytes(8, "big")
    flags = _REMOTE_IS_KNOWN
    if parent is not None:
        parent_id, is_remote = parent
        encoded += b"\x22\x08" + parent_id.to_bytes(8, "big")
        if is_remote:
            flags |= _IS_REMOTE
    encoded += head + _times(b"\x39", span._start_time or 0, b"\x41", span._end_time or 0)  # noqa: SLF001
    attributes = _otel_private.plain_attributes(span)
    if attributes:
        encoded += _attributes(attributes, b"\x4a")
    events, links = span._events, span._links  # noqa: SLF001
    if state or events or links or any(map(_dropped, (events, links, span._attributes))):  # noqa: SLF001
        encoded += _rare_fields(span, state)
    return encoded + _status(span._status) + _span_flags(_SPAN_FLAGS_TAG, flags)  # noqa: SLF001


def _rare_fields(span: ReadableSpan, state: TraceState) -> bytes:
    encoded = _field(b"\x1a", _trace_state(state)) if state else b""
    encoded += _count(b"\x50", span.dropped_attributes)
    for event in span.events:
        content = _event_time(b"\x09", event.timestamp) + _field(b"\x12", _text(event.name))
        if event.attributes:
            content += _attributes(event.attributes, b"\x1a")
        encoded += _field(b"\x5a", content + _count(b"\x20", event.dropped_attributes))
    encoded += _count(b"\x60", span.dropped_events)
    for link in span.links:
        context = link.context
        content = b"\x0a\x10" + context.trace_id.to_bytes(16, "big")
        content += b"\x12\x08" + context.span_id.to_bytes(8, "big")
        if link.attributes:
            content += _attributes(link.attributes, b"\x22")
        flags = _REMOTE_IS_KNOWN | (_IS_REMOTE if context.is_remote else 0)
        content += _count(b"\x28", link.dropped_attributes)
        encoded += _field(b"\x6a", content + _link_flags(_LINK_FLAGS_TAG, flags))
    return encoded + _count(b"\x70", span.dropped_links)


def _dropped(bounded: Any) -> int:
    """Return how many items a bounded collection has dropped; plain ones drop nothing."""
    count: int = getattr(bounded, "dropped", 0)
    return count


def _status(status: Status | None) -> bytes:
    if status is None:
        return b""
    description = status.description
    content = _field(b"\x12", _text(description)) if description else b""
    code: int = status.status_code.value
    if code:
        content += b"\x18" + _LENGTHS[code]
    return _field(b"\x7a", content)


def _attributes(attributes: Mapping[str, Any], tag: bytes) -> bytes:
    """Encode attributes as fields `tag`, whose messages are `KeyValue`."""
    parts: list[bytes] = []
    for key, value in attributes.items():
        encoded_key = _keys.get(key) or _key(key)
        kind = type(value)
        if kind is str:
            text = value.encode()
            size = len(text)
            if size < _SHORT_TEXT:
                field = encoded_key + _LENGTHS[size + 2] + b"\x0a" + _LENGTHS[size] + text
            else:
                content = b"\x0a" + _length(size) + text
                field = encoded_key + _length(len(content)) + content
        elif kind is int and 0 <= value < _KNOWN_LENGTHS:
            field = encoded_key + _SMALL_INTEGERS[value]
        elif kind is float:
            field = encoded_key + b"\x09" + _double(0x21, value)
        elif kind is bool:
            field = encoded_key + (_TRUE if value else _FALSE)
        else:
            content = _value(value)
            field = encoded_key + _length(len(content)) + content
        size = len(field)
        parts += (tag, _LENGTHS[size] if size < _KNOWN_LENGTHS else _varint(size), field)
    return b"".join(parts)


def _value(value: Any) -> bytes:
    """Encode an `AnyValue`; raises for what is unusual."""
    kind = type(value)
    if kind is str:
        return _field(b"\x0a", value.encode())
    if kind is bool:
        return b"\x10\x01" if value else b"\x10\x00"
    if kind is int:
        if not -(1 << 63) <= value < 1 << 63:
            raise OverflowError(value)
        return b"\x18" + _varint(value & (1 << 64) - 1)
    if kind is float:
        return _double(0x21, value)
    if kind is tuple or kind is list:
        if any(item is None or type(item) in (tuple, list) for item in value):
            raise TypeError("nested or missing items")
        return _field(b"\x2a", b"".join([_field(b"\x0a", _value(item)) for item in value]))
    raise TypeError(kind)


def _key(key: str) -> bytes:
    """Encode the key of a `KeyValue`, and the tag of the value after it."""
    encoded = _field(b"\x0a", _text(key)) + b"\x12"
    if len(_keys) < _MOST_CACHED and len(key) < _LONGEST_CACHED:
        _keys[key] = encoded
    return encoded


def _head(name: str, kind: Any) -> bytes:
    """Encode the name and the kind of a span."""
    encoded: bytes = _field(b"\x2a", _text(name)) + b"\x30" + _LENGTHS[kind.value + 1]
    if len(_heads) < _MOST_CACHED and len(name) < _LONGEST_CACHED:
        _heads[name, kind] = encoded
    return encoded


def _trace_state(state: TraceState) -> bytes:
    text = ",".join([f"{key}={value}" for key, value in state.items()])
    return text.encode()


def _text(text: Any) -> bytes:
    if type(text) is not str:
        raise TypeError(type(text))
    return text.encode()


def _count(tag: bytes, count: int) -> bytes:
    return tag + _varint(count) if count else b""


def _field(tag: bytes, content: bytes) -> bytes:
    return tag + _length(len(content)) + content


def _length(size: int) -> bytes:
    return _LENGTHS[size] if size < _KNOWN_LENGTHS else _varint(size)
