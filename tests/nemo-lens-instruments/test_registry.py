# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Groups are declared once, replaced on request, and survive a fork."""

import os
import threading

import pytest

from nemo.lens.instruments import (
    MetricSpec,
    register_metric_group,
    registered_metric_groups,
    schema,
    unregister_metric_group,
)

LOSS = MetricSpec("loss", "app.loss")


@pytest.mark.parametrize(
    ("group", "specs", "complaint"),
    [
        ("", [LOSS], "non-empty"),
        ("g", [], "at least one"),
        ("g", [LOSS, MetricSpec("loss", "other")], "Duplicate metric key"),
        (5, [LOSS], "non-empty string, got 5"),
        (None, [LOSS], "non-empty string, got None"),
        (["g"], [LOSS], "non-empty string"),
        ("g", [1], "made of MetricSpec, got 1"),
        ("g", [LOSS, None], "made of MetricSpec, got None"),
        ("g", {"loss": LOSS}, "made of MetricSpec, got 'loss'"),
        ("g", 5, "a sequence of MetricSpec, got 5"),
        ("g", None, "a sequence of MetricSpec, got None"),
        ("g", LOSS, "a sequence of MetricSpec"),
    ],
)
def test_refuses_a_declaration_that_means_nothing(group, specs, complaint):
    """Programmer errors are told at declaration."""
    with pytest.raises(ValueError, match=complaint):
        register_metric_group(group, specs)


def test_a_group_belongs_to_its_first_owner():
    """A second declaration needs allow_override."""
    register_metric_group("g", [LOSS])
    with pytest.raises(ValueError, match="already registered"):
        register_metric_group("g", [LOSS])
    other = MetricSpec("loss", "app.other")
    register_metric_group("g", [other], allow_override=True)
    assert registered_metric_groups()["g"] == (other,)


@pytest.mark.parametrize("group", ["never", "", 5, None, ["g"]])
def test_forgetting_an_unknown_group_is_an_error(group):
    """Only what was declared can be taken back."""
    with pytest.raises(ValueError, match="is not registered"):
        unregister_metric_group(group)


def test_a_refused_declaration_changes_nothing():
    """Neither the groups, nor what is made from them."""
    register_metric_group("g", [LOSS])
    for group, specs in ((5, [LOSS]), ("g", [1]), ("g", [])):
        with pytest.raises(ValueError, match="group"):
            register_metric_group(group, specs, allow_override=True)
    assert registered_metric_groups()["g"] == (LOSS,)
    assert [row["name"] for row in schema() if row["group"] == "g"] == ["app.loss"]


def test_snapshots_do_not_change():
    """A snapshot taken before a declaration does not show it."""
    before = registered_metric_groups()
    register_metric_group("g", [LOSS])
    assert "g" not in before
    assert "g" in registered_metric_groups()


def test_a_child_forked_while_threads_register_can_register():
    """The registry's lock is made anew in the child: forty forks under busy threads end."""
    stop = threading.Event()

    def churn(name):
        while not stop.is_set():
            register_metric_group(name, [LOSS], allow_override=True)

    threads = [threading.Thread(target=churn, args=(f"g{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(40):
            child = os.fork()
            if child == 0:
                register_metric_group("child", [LOSS], allow_override=True)
                os._exit(0 if "child" in registered_metric_groups() else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
