# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""For which spans a sampler's answer is known without asking it.

A sampler that records everything, adds nothing and keeps the parent's trace state need not be
called for each span. Which parents that holds for is worked out once for each tracer; a span under
any other parent is the SDK's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.sampling import RankAwareSampler

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.sampling import Sampler


class KnownAnswers(NamedTuple):
    """Whether spans are recorded and sampled, with nothing added, under each kind of parent."""

    root: bool
    local: bool
    """Under a sampled parent of this process."""
    remote: bool
    """Under a sampled parent of another process."""


def known_answers(sampler: Sampler) -> KnownAnswers:
    """Work out what `sampler` says; False means that it has to be asked."""
    while type(sampler) is RankAwareSampler and sampler.is_selected:
        sampler = sampler.delegate
    if _otel_private.always_samples(sampler):
        return KnownAnswers(root=True, local=True, remote=True)
    branches = _otel_private.parent_based_branches(sampler)
    if branches is None:
        return KnownAnswers(root=False, local=False, remote=False)
    return KnownAnswers(*map(_otel_private.always_samples, branches))
