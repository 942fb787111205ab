# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""OTLP-JSON from official protobuf messages, for metrics, logs and HTTP/JSON.

Protobuf's own JSON mapping writes bytes as base64 and the OTLP mapping wants ids in hexadecimal;
that is the one difference, and it is made up for here.
"""

from __future__ import annotations

import base64
import json
from typing import Any, cast

from google.protobuf.json_format import MessageToDict

_ID_FIELDS = frozenset({"traceId", "spanId", "parentSpanId"})


def message_to_line(message: Any) -> str:
    """Encode an Export*ServiceRequest as one line of OTLP-JSON, newline included."""
    return message_to_json(message) + "\n"


def message_to_json(message: Any) -> str:
    """Encode a message as compact OTLP-JSON."""
    content = MessageToDict(message, use_integers_for_enums=True)
    _ids_to_hex(content)
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _ids_to_hex(node: Any) -> None:
    if isinstance(node, list):
        items: Any = node  # pyright: ignore[reportUnknownVariableType]
        for item in items:
            _ids_to_hex(item)
    elif isinstance(node, dict):
        members = cast("dict[str, Any]", node)
        for key, value in members.items():
            if key in _ID_FIELDS and isinstance(value, str):
                members[key] = base64.b64decode(value).hex()
            else:
                _ids_to_hex(value)
