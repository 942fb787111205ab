# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One trace across the ranks of a `torch.distributed` job.

torch is never imported here: without an initialised process group there is nothing to do.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from nemo.lens.spans import lazy_recording
from nemo.lens.spans.discards import discard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

__all__ = ["broadcast_trace_context", "create_linked_span"]

BROADCAST_BYTES = 1024
"""The size of the one collective, the same on every rank and for every content."""

_LENGTH_BYTES = 2
_OPTIONAL_FIELDS = ("baggage", "tracestate")


def broadcast_trace_context(
    rank: int, src_rank: int = 0, *, group: Any = None
) -> dict[str, str] | None:
    """Give every rank the trace context that is current on `src_rank`.

    This is a collective: every rank of the group has to call it, at the same point, whether or
    not its telemetry is on. It is one broadcast of 1 KiB on the device that the group's backend
    works on. Baggage, then trace state, are left out when they do not fit.

    Args:
        rank: The global rank of this process.
        src_rank: The global rank whose context is sent.
        group: A `torch.distributed` process group; None for the default one.

    Returns:
        A carrier for `extract_context`, the same on every rank; empty if `src_rank` had no current
        span. None without torch, before the process group is initialised, or when the broadcast
        failed (counted and logged).
    """
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    try:
        payload = _packed(_current_carrier()) if rank == src_rank else bytes(BROADCAST_BYTES)
        device = device_kind(distributed, group)
        buffer = torch.tensor(list(payload), dtype=torch.uint8, device=device)  # type: ignore[union-attr]
        distributed.broadcast(buffer, src=src_rank, group=group)
        return _unpacked(bytes(buffer.cpu().tolist()))
    except Exception as error:  # the job decides what a broken process group means, not telemetry
        discard("broadcast", "broadcast_trace_context failed (%s): no shared trace.", error)
        return None


def create_linked_span(
    tracer: Tracer | None,
    name: str,
    remote_context: Context | None = None,
    remote_carrier: Mapping[str, Any] | None = None,
    **attributes: Any,
) -> Span:
    """Start a span under the current one that links to a span of another process.

    Args:
        tracer: Whose tracer starts it; None for the scope `nemo.lens`.
        name: The span's name.
        remote_context: A context whose span is linked; what is no context is counted.
        remote_carrier: A carrier to extract it from; looked at only without `remote_context`.
        **attributes: As for `managed_span`.

    Returns:
        The started span, not current; the caller ends it. Without a valid remote span it has no
        link. Not gated by a group.
    """
    lazy_recording.load()
    from opentelemetry.trace import Link, get_current_span

    from nemo.lens.propagation import remote_context as context_in
    from nemo.lens.spans.options import SpanOptions, sound
    from nemo.lens.spans.recording import name_text, settled
    from nemo.lens.spans.span_factory import start_span

    remote = sound(SpanOptions(context=remote_context)).context or context_in(remote_carrier)
    settled_attributes, given = settled(attributes)
    options = given or SpanOptions()
    linked = None if remote is None else get_current_span(remote).get_span_context()
    if linked is not None and linked.is_valid:
        options = options.replaced(links=(*options.links, Link(linked)))
    return start_span(name_text(None, name), settled_attributes, tracer, options)


def _current_carrier() -> dict[str, str]:
    lazy_recording.load()
    from opentelemetry.trace import get_current_span

    from nemo.lens.propagation import inject_context

    carrier: dict[str, str] = {}
    if get_current_span().get_span_context().is_valid:
        inject_context(carrier)
    return carrier


def _packed(carrier: dict[str, str]) -> bytes:
    """Return `carrier` as length, JSON and padding, without what makes it too long."""
    kept = dict(carrier)
    for dropped in (None, *_OPTIONAL_FIELDS):
        if dropped is not None:
            kept.pop(dropped, None)
        text = json.dumps(kept).encode()
        if len(text) <= BROADCAST_BYTES - _LENGTH_BYTES:
            return (len(text).to_bytes(_LENGTH_BYTES, "big") + text).ljust(BROADCAST_BYTES, b"\0")
    return _packed({})


def _unpacked(payload: bytes) -> dict[str, str]:
    length = int.from_bytes(payload[:_LENGTH_BYTES], "big")
    carrier: dict[str, str] = json.loads(payload[_LENGTH_BYTES : _LENGTH_BYTES + length])
    return carrier


def device_kind(distributed: Any, group: Any) -> str:
    """Return the kind of device that collectives of `group` take their tensors from.

    A group may have a backend for each kind of device (`cpu:gloo,cuda:nccl`); then the CPU it is.
    """
    config = str(distributed.get_backend_config(group))
    devices = [entry.partition(":")[0] for entry in config.split(",") if ":" in entry]
    return "cpu" if "cpu" in devices or not devices else devices[0]
