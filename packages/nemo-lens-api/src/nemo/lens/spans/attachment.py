# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Making a context current and undoing it, without ever logging "Failed to detach context".

OpenTelemetry logs an ERROR with a traceback when a token is given back in another
`contextvars.Context` than it was taken in. That happens to every abandoned async generator. Here a
probe variable of our own is set beside it: if the probe cannot be reset, neither can the other,
and nothing of ours is attached where we are.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from opentelemetry import context as otel_context

if TYPE_CHECKING:
    from contextvars import Token

    from opentelemetry.context import Context

_probe: ContextVar[None] = ContextVar("nemo_lens_attachment_probe")


class Attachment(NamedTuple):
    """What `detached` needs to undo one `attached`."""

    probe: Token[None]
    token: Token[Context]


def attached(context: Context) -> Attachment:
    """Make `context` the current one."""
    return Attachment(_probe.set(None), otel_context.attach(context))


def detach(attachment: Attachment) -> None:
    """Restore what was current before, whatever the body has left attached meanwhile."""
    try:
        _probe.reset(attachment.probe)
    except (ValueError, RuntimeError):
        return  # another contextvars.Context, or detached before
    otel_context.detach(attachment.token)
