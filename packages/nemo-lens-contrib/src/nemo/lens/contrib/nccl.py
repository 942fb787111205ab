# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Trace context as bytes, for transports that carry only tensors, such as NCCL.

The form is a small flat JSON object of text to text, which a fixed-size buffer may pad with zero
bytes. No NCCL or torch is imported: the caller moves the bytes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from opentelemetry.context import Context

MAX_CONTEXT_BYTES = 8192
"""Longer payloads are not decoded: a trace context with baggage is smaller."""


def serialize_context() -> bytes:
    """Return the current trace context as bytes; `b"{}"` when no span is current."""
    from nemo.lens.propagation import inject_context

    carrier: dict[str, str] = {}
    inject_context(carrier)
    return json.dumps(carrier, separators=(",", ":")).encode("ascii")


def deserialize_context(data: Any) -> dict[str, str] | None:
    """Return the carrier that `serialize_context` wrote, or None for anything else.

    Args:
        data: Bytes, or any object with the buffer protocol (bytearray, memoryview, a numpy uint8
            array); trailing zero bytes are padding.

    Returns:
        A flat mapping of text to text. None when the bytes are longer than
        `MAX_CONTEXT_BYTES`, are no JSON, or hold anything but such a mapping. Never raises.
    """
    try:
        text = bytes(memoryview(data)).rstrip(b"\0")
        decoded: Any = json.loads(text) if len(text) <= MAX_CONTEXT_BYTES else None
    except (TypeError, ValueError, RecursionError):
        return None
    if not isinstance(decoded, dict):
        return None
    carrier = cast("dict[str, Any]", decoded)
    return carrier if all(isinstance(value, str) for value in carrier.values()) else None


def extract_nccl_context(data: Any) -> Context:
    """Return the context that `data` carries, or the current one when it carries none."""
    from nemo.lens.propagation import extract_context

    carrier = deserialize_context(data)
    if not carrier:
        from opentelemetry.context import get_current

        return get_current()
    return extract_context(carrier)
