# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""service.instance.id."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from nemo.lens.resources.instance import (
    child_instance_id,
    instance_id,
    started_by_multiprocessing,
)


@pytest.mark.parametrize("role", [None, "", "trainer"])
def test_the_trainer_of_a_rank_has_the_plain_name(role):
    """It is the process that everybody means by the rank."""
    assert instance_id("4711", 3, role=role) == "4711-rank3"


def test_other_roles_attempts_and_children_are_told_apart():
    """In this order, and together."""
    assert instance_id("r", 0, role="generator") == "r-rank0-generator"
    assert instance_id("r", 0, attempt="1.2") == "r-rank0-r1.2"
    assert instance_id("r", 0, child=True) == f"r-rank0-p{os.getpid()}"
    name = instance_id("r", 0, role="ckpt_worker", attempt="2", child=True)
    assert name == f"r-rank0-ckpt_worker-r2-p{os.getpid()}"


def test_a_child_of_a_child_has_one_pid_in_its_name():
    """Names do not grow with each fork; anything else that the name ends in stays."""
    assert child_instance_id("r-rank0") == f"r-rank0-p{os.getpid()}"
    assert child_instance_id("r-rank0-p1") == f"r-rank0-p{os.getpid()}"
    assert child_instance_id("own-p1-name") == f"own-p1-name-p{os.getpid()}"


CHILDREN = """
import multiprocessing, sys
from nemo.lens.resources.instance import started_by_multiprocessing

def answer(queue):
    queue.put(started_by_multiprocessing())

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    child = context.Process(target=answer, args=(queue,))
    child.start()
    print(started_by_multiprocessing(), queue.get(timeout=60))
    child.join()
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_are_recognised(tmp_path, method):
    """However they are started; the process that starts them is none."""
    script = tmp_path / "children.py"
    script.write_text(CHILDREN)
    output = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), method], check=True, capture_output=True
    ).stdout
    assert output.decode().split() == ["False", "True"]


def test_a_process_without_multiprocessing_is_no_child(monkeypatch):
    """And asking does not import it."""
    monkeypatch.delitem(sys.modules, "multiprocessing.process", raising=False)
    assert not started_by_multiprocessing()
    assert "multiprocessing.process" not in sys.modules
