# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A slice refuses an environment that holds more or less than it declares."""

from types import SimpleNamespace

import pytest
import slices
import workspace

BY_NAME = {each.name: each for each in slices.SLICES}


@pytest.fixture
def environment(monkeypatch):
    """Pretend that these distributions are installed, from wheels."""

    def install(*names, origin="/somewhere/site-packages/nemo/lens/__init__.py"):
        found = [SimpleNamespace(name=name) for name in names]
        monkeypatch.setattr(slices.metadata, "distributions", lambda: found)
        spec = SimpleNamespace(origin=str(origin))
        monkeypatch.setattr(slices.util, "find_spec", lambda _: spec)

    return install


@pytest.mark.parametrize("name", BY_NAME)
def test_exactly_what_the_slice_declares_is_accepted(environment, name):
    """Its own distributions and any others than ours."""
    environment(*(each.name for each in BY_NAME[name].holds), "pytest", "opentelemetry-api")
    assert slices.problems_inside(BY_NAME[name]) == []


@pytest.mark.parametrize("name", ["api", "instruments", "contrib"])
@pytest.mark.parametrize(
    "foreign",
    ["nemo-lens-sdk", "nemo-lens", "opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"],
)
def test_anything_that_the_slice_must_not_see_is_named(environment, name, foreign):
    """Another distribution of ours, the OpenTelemetry SDK or an exporter."""
    environment(*(each.name for each in BY_NAME[name].holds), foreign)
    assert slices.problems_inside(BY_NAME[name]) == [f"slice {name}: {foreign} is installed"]


def test_a_missing_distribution_is_named(environment):
    """A slice without what it tests would test nothing."""
    environment("pytest")
    assert slices.problems_inside(BY_NAME["api"]) == ["slice api: nemo-lens-api is not installed"]


def test_the_sources_of_the_checkout_are_refused(environment):
    """The wheel is tested, not the tree it was built from."""
    origin = workspace.API.folder / "src/nemo/lens/__init__.py"
    environment("nemo-lens-api", origin=origin)
    assert "not an installed wheel" in slices.problems_inside(BY_NAME["api"])[0]


def test_every_distribution_is_the_subject_of_a_slice():
    """And the last slice holds them all."""
    assert [each.name for each in slices.SLICES] == [
        "api",
        "instruments",
        "contrib",
        "sdk",
        "cli",
        "full",
    ]
    assert BY_NAME["full"].holds == workspace.DISTRIBUTIONS
