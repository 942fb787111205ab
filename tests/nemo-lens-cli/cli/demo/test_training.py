# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The training loop, on one rank in this process."""

from __future__ import annotations

import multiprocessing

import pytest

from nemo.lens.cli.demo import training
from nemo.lens.cli.demo.messages import Evaluated, Progress, TrainingPlan
from nemo.lens.cli.demo.process_group import ProcessGroup
from nemo.lens.cli.demo.telemetry import DemoSpanGroup
from nemo.lens.state import current_step


@pytest.fixture
def train(tmp_path, monkeypatch):
    """Train one rank with small batches; gives what the launcher was told."""
    monkeypatch.setattr(training, "BATCH_SIZE", 4)
    monkeypatch.setattr(training, "CHECKPOINT_EVERY", 2)

    def run(steps, slow_rank=None, **changes):
        plan = TrainingPlan(str(tmp_path), "run", 1, steps, slow_rank, **changes)
        near, far = multiprocessing.Pipe(duplex=False)
        with near, far:
            training.train(plan, 0, ProcessGroup(0, []), None, far)
            messages = []
            while near.poll():
                messages.append(near.recv())
        return messages

    return run


def test_the_launcher_hears_of_each_step_and_each_measurement(train):
    """A measurement follows every checkpoint and the last step."""
    messages = train(5)

    assert [message.step for message in messages if isinstance(message, Progress)] == [
        1,
        2,
        3,
        4,
        5,
    ]
    assert [message.step for message in messages if isinstance(message, Evaluated)] == [2, 4, 5]


def test_spans_are_nested_as_the_work_is(train, nemo_lens_recorder, nemo_lens_groups):
    """The parts of a step belong to the step, the step to the job."""
    nemo_lens_groups(*DemoSpanGroup.ALL_GROUPS)

    train(1)

    assert sorted(nemo_lens_recorder.names()) == [
        "demo.checkpoint",
        "demo.evaluate",
        "demo.evaluate.all_reduce",
        "demo.job",
        "demo.model_init",
        "demo.model_init.broadcast",
        "demo.train_step",
        "demo.train_step.all_reduce",
        "demo.train_step.forward_backward",
        "demo.train_step.load_batch",
        "demo.train_step.optimizer",
    ]
    assert current_step() == 1


def test_no_span_is_made_while_its_group_is_off(train, nemo_lens_recorder):
    """Training is the same without telemetry."""
    train(2)

    assert nemo_lens_recorder.names() == []


def test_a_slow_rank_computes_twice_and_learns_the_same(train, monkeypatch):
    """Being slow changes the time and nothing else."""
    passes = []
    forward_backward = training.Perceptron.forward_backward

    def counted(model, batch):
        passes.append(1)
        return forward_backward(model, batch)

    monkeypatch.setattr(training.Perceptron, "forward_backward", counted)

    assert train(3) == train(3, slow_rank=0)
    assert len(passes) == 3 + 6


def test_a_restart_goes_on_bit_for_bit(train, nemo_lens_recorder, nemo_lens_groups):
    """From the checkpoint, with the batches that follow it; loading is a span of its own."""
    whole = train(6)
    nemo_lens_groups(*DemoSpanGroup.ALL_GROUPS)

    after_step_4 = train(6, restart=1, first_step=5)

    of_step_4 = next(place for place, message in enumerate(whole) if message.step == 5)
    assert after_step_4 == whole[of_step_4:]
    assert nemo_lens_recorder.names().count("demo.load_checkpoint") == 1
