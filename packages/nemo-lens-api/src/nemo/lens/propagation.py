# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Trace context in and out of carriers: dictionaries, HTTP headers, messages.

The format is OpenTelemetry's global propagator, W3C Trace Context and Baggage by default, or what
`OTEL_PROPAGATORS` names.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Any

from nemo.lens.spans import lazy_recording
from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping

    from opentelemetry.context import Context
    from opentelemetry.propagators.textmap import TextMapPropagator


_SEQUENCES = (list, tuple)
_PAIR = 2

MAX_FIELDS = 10_000
"""Entries of a carrier that are looked at; a whole environment has fewer."""


def inject_context(carrier: MutableMapping[str, Any]) -> None:
    """Write the current trace context into `carrier`; other keys are left alone.

    Without a current span or baggage nothing is written. Never raises: a carrier that cannot be
    written is counted.

    Args:
        carrier: Any mutable mapping with text keys.
    """
    lazy_recording.load()
    try:
        global_propagator().inject(carrier)
    except Exception as error:  # the carrier refused; the message goes out without a context
        discard(
            "context injection",
            "Trace context was not injected: the carrier of type %s raised %s.",
            type_name(real_type(carrier)),
            type_name(type(error)),
        )


def extract_context(carrier: Mapping[str, Any] | Any) -> Context:
    """Return the trace context that `carrier` holds, or the current one if it holds none.

    Keys are found in any case. Bytes are decoded, and the first item of a list is taken, as HTTP
    libraries have them. Never raises: None, numbers, malformed headers give the current context.

    Args:
        carrier: A mapping, such as HTTP headers or what `inject_context` has filled; an object with
            `items()`, such as an `email.message.Message`; or a list of pairs, as ASGI has them.

    Returns:
        A context to pass as `context=` or to `attached_context`.
    """
    lazy_recording.load()
    from opentelemetry.context import get_current

    return remote_context(carrier) or get_current()


def remote_context(carrier: Any) -> Context | None:
    """Return the context that `carrier` holds by itself, or None."""
    lazy_recording.load()
    from opentelemetry.context import Context

    try:
        fields = _text_fields(carrier)
        return (global_propagator().extract(fields, context=Context()) or None) if fields else None
    except Exception:  # the standard says that extraction must not throw
        return None


def _text_fields(carrier: Any) -> dict[str, str]:
    """Return the entries of `carrier` that are text, by lower-case key."""
    fields: dict[str, str] = {}
    for key, value in _pairs(carrier):
        name, text = _text(key), _text(value)
        if name is not None and text is not None:
            fields.setdefault(name.lower(), text)
    return fields


def _pairs(carrier: Any) -> Iterable[tuple[Any, Any]]:
    """Return the entries of a mapping, of what looks like one, or of a list of pairs (ASGI)."""
    kind = real_type(carrier)
    if hasattr(kind, "items"):
        entries: Iterable[tuple[Any, Any]] = carrier.items()
        return islice(entries, MAX_FIELDS)
    if not issubclass(kind, _SEQUENCES):
        return ()
    listed = islice(carrier, MAX_FIELDS)
    return (pair for pair in listed if type(pair) in _SEQUENCES and len(pair) == _PAIR)


def _text(value: Any) -> str | None:
    if type(value) in _SEQUENCES and value:
        value = value[0]
    if issubclass(real_type(value), (bytes, bytearray)):
        return bytes(value).decode("latin-1")
    return str(value) if issubclass(real_type(value), str) else None


_fallback: TextMapPropagator | None = None


def global_propagator() -> TextMapPropagator:
    """Return the global propagator; W3C's own where `OTEL_PROPAGATORS` cannot be understood."""
    if _fallback is not None:
        return _fallback
    try:
        from opentelemetry.propagate import get_global_textmap
    except Exception as error:  # OpenTelemetry refuses an unknown name by raising at import
        return _w3c_after(error)
    return get_global_textmap()


def _w3c_after(error: Exception) -> TextMapPropagator:
    global _fallback
    from opentelemetry.baggage.propagation import W3CBaggagePropagator
    from opentelemetry.propagators.composite import CompositePropagator
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    if os.environ.get("OTEL_PROPAGATORS", "").strip().lower() == "none":
        _fallback = CompositePropagator([])  # older OpenTelemetry does not know "none"
        return _fallback
    from nemo.lens.configuration.foreign_variables import warn_once

    warn_once("OTEL_PROPAGATORS", f"OTEL_PROPAGATORS cannot be used ({error}).")
    _fallback = CompositePropagator([TraceContextTextMapPropagator(), W3CBaggagePropagator()])
    return _fallback
