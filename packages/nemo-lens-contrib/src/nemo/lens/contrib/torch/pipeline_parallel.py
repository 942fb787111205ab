# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One trace for the stages of a pipeline.

    share_pipeline_trace(rank)                       # on all ranks, inside the span of the job

    with pipeline_span("communication", "trainer.pp.recv_forward", microbatch=3):
        ...                                          # linked to the span of the source rank

Each stage keeps the spans of its own step; links say where the work came from, as in
OpenTelemetry's conventions for messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens import state
from nemo.lens.contrib.fan_in import fan_in_span
from nemo.lens.distributed import broadcast_trace_context

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Span, Tracer


def share_pipeline_trace(
    rank: int, src_rank: int = 0, *, group: Any = None
) -> dict[str, str] | None:
    """Give all ranks the context of one, and keep it for `pipeline_span`.

    A collective: `broadcast_trace_context`, then `nemo.lens.state.set_pp_trace_carrier`.

    Args:
        rank: The global rank of this process.
        src_rank: The global rank whose context is shared.
        group: A `torch.distributed` process group; None for the default one.

    Returns:
        The carrier, as `broadcast_trace_context` returns it. When there is none, the one that is
        kept stays.
    """
    carrier = broadcast_trace_context(rank, src_rank, group=group)
    if carrier is not None:
        state.set_pp_trace_carrier(carrier)
    return carrier


def pipeline_span(
    group: str,
    name: str,
    carrier: Mapping[str, Any] | None = None,
    tracer: Tracer | None = None,
    **attributes: Any,
) -> AbstractContextManager[Span | None]:
    """Cover a `with` block with a span that links to the stage where its work came from.

    Args:
        group: The span group. While it is off, nothing else is looked at.
        name: The span's name.
        carrier: The context that came with the work, such as what `nccl.deserialize_context`
            returns; None for the one that `share_pipeline_trace` has kept.
        tracer: Whose tracer opens the span; None for the scope `nemo.lens`.
        **attributes: As for `managed_span`; `links=` stands in the place of the link.

    Returns:
        A context manager that yields the span, or None when the group is off. Without a valid
        carrier the span has no link.
    """
    origin = state.get_pp_trace_carrier() if carrier is None else carrier
    return fan_in_span(group, name, (origin,), tracer, **attributes)
