# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which rank a strategy is asked about, and what counts as one; without the sdk."""

from __future__ import annotations

import numpy as np
import pytest

from nemo.lens import NemoLensConfig
from nemo.lens.export_decision import decides_to_export
from nemo.lens.resources.composition import compose_resource


class _Hostile:
    def __int__(self):
        raise RuntimeError("no number")

    __index__ = __str__ = __repr__ = __int__


NO_RANKS = [
    *(float("inf"), float("nan"), 2.7, True, -1, 2**63, "1_0", "1.0", "\u0663", "", [0]),
    pytest.param(_Hostile(), id="hostile"),
]


@pytest.fixture
def asked():
    """Every rank and world size that the strategy was asked about."""
    return []


@pytest.fixture
def decide(asked):
    """Decide without rank=, with a strategy that somebody chose."""

    class Strategies:
        def should_export(self, strategy, config, rank, world_size):
            asked.append((rank, world_size))
            return False

        def resolve_strategy(self, strategy):
            return strategy

    def decide(resource_attributes):
        return decides_to_export(
            NemoLensConfig(),
            None,
            None,
            resource_attributes,
            "single_rank",
            load_strategies=Strategies,
        )

    return decide


@pytest.mark.parametrize("value", NO_RANKS)
def test_a_rank_that_the_resource_refuses_is_none_for_the_strategy_either(
    asked, decide, caplog, value
):
    """The process exports, and one warning says that no rank is known."""
    assert decide({"nv.dl.rank": value})
    assert asked == []
    [record] = caplog.records
    assert "needs a rank" in record.getMessage()
    resource = compose_resource(
        NemoLensConfig(), resource_attributes={"nv.dl.rank": value}, environ={}
    )
    assert "nv.dl.rank" not in resource


@pytest.mark.parametrize("value", [3, "3", " 3 ", "+3", np.int64(3)])
def test_the_strategy_is_asked_about_the_rank_that_the_resource_has(asked, decide, value):
    """Digits and numpy integers count."""
    attributes = {"nv.dl.rank": value, "nv.dl.world_size": "8"}
    assert not decide(attributes)
    assert asked == [(3, 8)]
    resource = compose_resource(NemoLensConfig(), resource_attributes=attributes, environ={})
    assert resource["nv.dl.rank"] == 3


@pytest.mark.parametrize("given", [None, {}, {"nv.dl.rank": None}, {"nv.dl.rank": "x"}])
def test_what_the_caller_leaves_open_the_environment_says(asked, decide, monkeypatch, given):
    """As in the resource: None and unusable values count as not given."""
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "nv.dl.rank=5,nv.dl.world_size=6")
    assert not decide(given)
    assert asked == [(5, 6)]
