# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Counts are exact, whoever counts, and a forked child has its own."""

import os
import sys
import threading

import pytest

from nemo.lens.instruments import MetricSpec, record_metrics, register_metric_group
from nemo.lens.instruments.tallies import Tally


@pytest.fixture
def busy_switching():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("busy_switching")
def test_no_count_is_lost_between_threads():
    """Adding is one step for the others."""
    tally = Tally()

    def add():
        for _ in range(2000):
            tally.add("a")
            tally.add("b", 2)

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tally.counts() == {"a": 16_000, "b": 32_000}


def test_what_was_handed_out_does_not_change():
    """A report is what was counted when it was asked for."""
    tally = Tally()
    assert tally.counts() == {}
    tally.add("a")
    counts = tally.counts()
    tally.add("a")
    assert counts == {"a": 1}


def test_a_forked_child_reports_its_own_counts(meter):
    """What the parent counted, the parent reports."""
    register_metric_group("app", [MetricSpec("loss", "app.loss", "gauge", "1", "Loss.")])
    record_metrics(meter, "app", loss="x")
    child = os.fork()
    if child == 0:
        inherited = meter.collect()["nemo.lens.metrics.dropped"]
        record_metrics(meter, "app", loss="x")
        own = meter.collect()["nemo.lens.metrics.dropped"]
        os._exit(0 if (inherited, own) == ([], [(1, {"nemo.metric.name": "app.loss"})]) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert meter.collect()["nemo.lens.metrics.dropped"][0][0] == 1
