# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which ranks export."""

from __future__ import annotations

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.config import NemoLensConfig
from nemo.lens.sdk import strategies


def _exporting(name, world_size=8, **config):
    settings = NemoLensConfig(run_id="r", **config)
    return [
        rank
        for rank in range(world_size)
        if strategies.should_export(name, settings, rank, world_size)
    ]


def test_single_rank_is_the_last_one_unless_told_otherwise():
    """A negative rank counts from the end."""
    assert _exporting("single_rank") == [7]
    assert _exporting("single_rank", export_rank=3) == [3]
    assert _exporting("single_rank", export_rank=-2) == [6]


@pytest.mark.parametrize("export_rank", [8, -9])
def test_a_single_rank_that_the_job_does_not_have_is_one_warning(caplog, export_rank):
    """Nothing would be exported, and nobody would say why; one process of the job does."""
    assert _exporting("single_rank", export_rank=export_rank) == []
    [told] = caplog.messages
    assert f"export_rank={export_rank} is no rank of a job of 8" in told
    assert "from -8 to 7" in told


def test_all_ranks_export_under_all_ranks():
    """Every rank exports."""
    assert _exporting("all_ranks") == list(range(8))


def test_sampled_keeps_its_hash():
    """The ranks that the md5 rule has always chosen at a tenth of a job of eight."""
    assert _exporting("sampled", export_sample_rate=1.0) == list(range(8))
    assert len(_exporting("sampled", export_sample_rate=0.10)) == 3
    assert _exporting("sampled", export_sample_rate=0.01) == []


@pytest.mark.parametrize(("local_rank", "exports"), [("0", True), ("1", False), (None, True)])
def test_the_first_rank_of_a_node_is_local_rank_0(clean_environment, local_rank, exports):
    """The launcher's local rank decides; without one the process is the first."""
    if local_rank is not None:
        clean_environment(LOCAL_RANK=local_rank, RANK="4", WORLD_SIZE="8")
    assert strategies.should_export("first_rank_per_node", NemoLensConfig(), 4, 8) is exports


def test_a_local_rank_beside_the_variables_of_srun_decides(clean_environment):
    """The worker knows better than the task that started it."""
    task = {"SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_STEP_ID": "0"}
    clean_environment(LOCAL_RANK="2", **task)
    assert not strategies.should_export("first_rank_per_node", NemoLensConfig(), 2, 8)


@given(
    st.integers(1, 2000),
    st.floats(0, 1, allow_nan=False),
    st.text(max_size=10),
)
def test_every_nth_is_even_and_never_empty(world_size, rate, run_id):
    """At least one rank exports, and the gaps between them are equal."""
    config = NemoLensConfig(export_sample_rate=rate, run_id=run_id)
    chosen = [rank for rank in range(world_size) if strategies.every_nth(config, rank, world_size)]
    assert chosen
    assert len({after - before for before, after in itertools.pairwise(chosen)}) <= 1


def test_own_strategies_are_found_by_name_until_they_are_unregistered():
    """A registered callable works like a built-in one."""
    strategies.register_export_strategy("odd", lambda config, rank, size: rank % 2 == 1)
    try:
        assert _exporting("odd") == [1, 3, 5, 7]
        assert "odd" in strategies.registered_strategies()
        with pytest.raises(ValueError, match="already registered"):
            strategies.register_export_strategy("odd", strategies.all_ranks)
        strategies.register_export_strategy("odd", strategies.all_ranks, allow_override=True)
        assert _exporting("odd") == list(range(8))
    finally:
        strategies.unregister_export_strategy("odd")
    with pytest.raises(ValueError, match="is not registered"):
        strategies.unregister_export_strategy("odd")


def test_errors_say_what_is_accepted():
    """Unknown names, built-in ones, empty names and non-callables are refused with a reason."""
    with pytest.raises(ValueError, match=r"Unknown export_strategy 'nope'.*single_rank"):
        strategies.should_export("nope", NemoLensConfig(), 0, 1)
    with pytest.raises(ValueError, match="built in"):
        strategies.unregister_export_strategy("sampled")
    with pytest.raises(ValueError, match="non-empty string"):
        strategies.register_export_strategy(" ", strategies.all_ranks)
    with pytest.raises(TypeError, match="callable"):
        strategies.register_export_strategy("x", 3)


def test_deciding_loads_no_sdk(run_python):
    """A rank that does not export never pays for the OpenTelemetry SDK."""
    assert "nemo.lens.sdk.strategies" in sys.modules
    run_python(
        """
        import sys
        from nemo.lens.strategies import registered_strategies
        assert "every_nth" in registered_strategies()
        import nemo.lens.providers, nemo.lens.sampling, nemo.lens.logging_bridge
        assert not [name for name in sys.modules if name.startswith("opentelemetry.sdk")]
        """
    )
