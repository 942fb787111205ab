# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A sampler that records spans of some ranks only."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from opentelemetry import trace as trace_api
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Decision, Sampler, SamplingResult

from nemo.lens import semconv
from nemo.lens.sdk.strategies import rank_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.context import Context
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.trace import Link, SpanKind
    from opentelemetry.trace.span import TraceState
    from opentelemetry.util.types import Attributes

    from nemo.lens.config import NemoLensConfig

_logger = logging.getLogger("nemo.lens.sdk")


class RankAwareSampler(Sampler):
    """Samples every span of a selected rank and none of the others.

    A rank is selected when `md5(str(rank)) % 10000 / 10000 < sample_rate`: the same ranks in every
    process and every run, with no communication.

    Args:
        rank: Rank of this process.
        world_size: Number of ranks; kept for reading, the decision does not need it.
        sample_rate: Share of the ranks to select, from 0.0 to 1.0.
        delegate: Decides within selected ranks, for instance the sampler of
            `OTEL_TRACES_SAMPLER`; samples everything when not given.
    """

    def __init__(
        self,
        rank: int,
        world_size: int = 1,
        sample_rate: float = 1.0,
        delegate: Sampler | None = None,
    ) -> None:
        self.rank = rank
        self.world_size = world_size
        self.sample_rate = sample_rate
        self._delegate = delegate or ALWAYS_ON
        self._selected = rank_hash(rank) < sample_rate

    @property
    def is_selected(self) -> bool:
        """Whether this rank is selected, so that the delegate decides."""
        return self._selected

    @property
    def delegate(self) -> Sampler:
        """The sampler that decides on a selected rank."""
        return self._delegate

    def should_sample(  # noqa: PLR0917 - the interface of OpenTelemetry
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """Ask the delegate on a selected rank; drop elsewhere, keeping the parent's trace state."""
        if self._selected:
            return self._delegate.should_sample(
                parent_context, trace_id, name, kind, attributes, links, trace_state
            )
        parent = trace_api.get_current_span(parent_context).get_span_context()
        state = parent.trace_state if parent.is_valid else None
        return SamplingResult(Decision.DROP, None, state)

    def get_description(self) -> str:
        """Describe the sampler by its parameters."""
        return (
            f"RankAwareSampler{{rank={self.rank},world_size={self.world_size},"
            f"sample_rate={self.sample_rate},{self._delegate.get_description()}}}"
        )


def rank_aware_sampler(config: NemoLensConfig, resource: Resource, delegate: Sampler) -> Sampler:
    """Give the sampler of the rank that the resource has, whoever named it.

    Args:
        config: The configuration, for the rate.
        resource: The resource of the process.
        delegate: Decides on a selected rank, and alone where no rank is known.
    """
    rank = resource.attributes.get(semconv.NV_DL_RANK)
    if not isinstance(rank, int):
        _logger.warning(
            "sampler_enabled needs a rank and none is known: spans are not sampled by rank. Pass "
            "rank= to setup_telemetry, or set nv.dl.rank in resource_attributes or in "
            "OTEL_RESOURCE_ATTRIBUTES"
        )
        return delegate
    world_size = resource.attributes.get(semconv.NV_DL_WORLD_SIZE)
    size = world_size if isinstance(world_size, int) else 1
    return RankAwareSampler(rank, size, config.export_sample_rate, delegate)
