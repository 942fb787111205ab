# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Configuration travels to actors in a small runtime environment; set-up is once per process."""

import os
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from nemo.lens.config import NemoLensConfig
from nemo.lens.contrib.ray import (
    KILL_LOSS_MS,
    actor_runtime_env,
    actor_setup,
    setup_actor_telemetry,
)


def test_an_actor_reads_the_configuration_of_its_driver():
    """Every setting, the run id included; the folder no longer depends on where the actor runs."""
    config = NemoLensConfig(enabled=True, span_groups="all", directory="here")
    variables = actor_runtime_env(config)["env_vars"]
    received = NemoLensConfig.from_env(environ=variables)
    assert received.run_id == config.run_id != ""
    assert received.span_groups == "all"
    assert received.directory == str(Path.cwd() / "here")


def test_the_environment_is_the_same_for_all_actors_and_holds_nothing_but_variables():
    """Otherwise Ray would upload, install, or start a worker process for each."""
    config = NemoLensConfig(enabled=True)
    first, second = actor_runtime_env(config), actor_runtime_env(config)
    assert first == second
    assert list(first) == ["env_vars"]
    assert all(isinstance(value, str) for value in first["env_vars"].values())


def test_a_given_environment_is_extended_not_changed():
    """Its own variables win."""
    given = {"pip": ["x"], "env_vars": {"OTEL_BSP_SCHEDULE_DELAY": "7", "A": "b"}}
    result = actor_runtime_env(NemoLensConfig(), given)
    assert result["pip"] == ["x"]
    assert result["env_vars"]["OTEL_BSP_SCHEDULE_DELAY"] == "7"
    assert result["env_vars"]["A"] == "b"
    assert given == {"pip": ["x"], "env_vars": {"OTEL_BSP_SCHEDULE_DELAY": "7", "A": "b"}}


def test_an_environment_without_variables_is_extended():
    """Ray takes None there too."""
    result = actor_runtime_env(NemoLensConfig(), {"env_vars": None})
    assert result == actor_runtime_env(NemoLensConfig(), {}) == actor_runtime_env(NemoLensConfig())


def test_a_killed_actor_loses_at_most_the_documented_time():
    """The delay of the exporters is what bounds it."""
    variables = actor_runtime_env(NemoLensConfig())["env_vars"]
    assert variables["OTEL_BSP_SCHEDULE_DELAY"] == str(KILL_LOSS_MS)


def test_another_prefix_is_used_on_both_sides():
    """A library's own variables."""
    variables = actor_runtime_env(NemoLensConfig(span_groups="all"), prefix="NEMO_RL")["env_vars"]
    assert variables["NEMO_RL_SPAN_GROUPS"] == "all"


def test_a_disabled_actor_gets_a_handle_that_does_nothing(monkeypatch):
    """Twice the same one; neither Ray nor the sdk is needed."""
    for name in [name for name in os.environ if name.startswith("NEMO_LENS_")]:
        monkeypatch.delenv(name)
    handle = setup_actor_telemetry("generator", rank=1, world_size=2)
    assert not handle.is_exporting
    assert setup_actor_telemetry("generator") is handle


def test_asking_ray_for_a_restart_prints_no_warnings(monkeypatch):
    """Ray warns of a method that it calls itself, in each of hundreds of actors."""

    class Context:
        @property
        def was_current_actor_reconstructed(self):
            warnings.warn("deprecated", stacklevel=1)
            return True

    ray = SimpleNamespace(get_runtime_context=Context)
    monkeypatch.setitem(sys.modules, "ray", ray)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert actor_setup._is_restarted_actor()
    assert caught == []


def test_a_bad_value_is_an_error_of_the_driver():
    """It names the field."""
    config = NemoLensConfig()
    config.exporter = "carrier pigeon"
    with pytest.raises(ValueError, match="exporter"):
        actor_runtime_env(config)
