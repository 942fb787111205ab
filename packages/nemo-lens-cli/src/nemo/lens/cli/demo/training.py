# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The demo's training loop, instrumented as a consumer would instrument its own.

Spans are opened by group, names and attribute keys are constants, and whatever costs something to
compute happens outside of the instrumentation calls.
"""

from __future__ import annotations

import os
import signal
import time
from array import array
from typing import TYPE_CHECKING

from nemo.lens.cli.demo import checkpoint, penguins
from nemo.lens.cli.demo.messages import Evaluated, Progress
from nemo.lens.cli.demo.perceptron import MomentumSGD, Perceptron
from nemo.lens.cli.demo.telemetry import METRIC_GROUP, DemoSpanGroup, SpanName
from nemo.lens.helpers import managed_span
from nemo.lens.instruments import record_metrics
from nemo.lens.semconv import DL_BATCH_SIZE, DL_ITERATION
from nemo.lens.state import set_step

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    from opentelemetry.metrics import Meter

    from nemo.lens.cli.demo.messages import Message, TrainingPlan
    from nemo.lens.cli.demo.process_group import ProcessGroup

HIDDEN_LAYERS = (48, 48)
BATCH_SIZE = 96
CHECKPOINT_EVERY = 20
_SEED = 2
_SLOW_RANK_EXTRA_PASSES = 1


def train(
    plan: TrainingPlan,
    rank: int,
    group: ProcessGroup,
    meter: Meter,
    launcher: Connection[Message, None],
) -> None:
    """Train the model to the end of the plan.

    Args:
        plan: What to train.
        rank: This process.
        group: Its way to the other ranks.
        meter: What metrics are recorded with.
        launcher: Where rank 0 sends its progress.

    Raises:
        PeerLostError: Another rank ended before the training did.
    """
    with managed_span(DemoSpanGroup.JOB, SpanName.JOB):
        trainer = Trainer(plan, rank, group)
        if plan.first_step > 1:
            trainer.load(plan.first_step - 1)
        for step in range(plan.first_step, plan.steps + 1):
            set_step(step)
            started = time.perf_counter()
            loss = trainer.step(step)
            duration_s = time.perf_counter() - started
            record_metrics(meter, METRIC_GROUP, step_duration=duration_s)
            if rank == 0:
                rate = trainer.optimizer.learning_rate(step)
                record_metrics(meter, METRIC_GROUP, loss=loss, learning_rate=rate)
                launcher.send(Progress(step, loss))
            if step == plan.crash_after and not plan.restart and rank == plan.world_size - 1:
                os.kill(os.getpid(), signal.SIGKILL)
            if step % CHECKPOINT_EVERY == 0 or step == plan.steps:
                trainer.save(step)
                correct, total = trainer.evaluate(step)
                if rank == 0:
                    accuracy = correct / total
                    record_metrics(meter, METRIC_GROUP, accuracy=accuracy)
                    launcher.send(Evaluated(step, correct, total))


class Trainer:
    """The model, optimizer and data of one rank.

    Args:
        plan: What to train.
        rank: This process.
        group: Its way to the other ranks.
    """

    def __init__(self, plan: TrainingPlan, rank: int, group: ProcessGroup) -> None:
        self._plan = plan
        self._rank = rank
        self._group = group
        self._extra_passes = _SLOW_RANK_EXTRA_PASSES if rank == plan.slow_rank else 0
        with managed_span(DemoSpanGroup.MODEL_INIT, SpanName.MODEL_INIT):
            records = penguins.read_records()
            train_shard = penguins.shard(penguins.training_records(records), rank, plan.world_size)
            self._held_out = penguins.shard(
                penguins.held_out_records(records), rank, plan.world_size
            )
            self._batches = penguins.batches(train_shard, BATCH_SIZE, seed=rank)
            sizes = (penguins.FEATURES, *HIDDEN_LAYERS, len(penguins.SPECIES))
            # Each rank draws its own weights; the broadcast is what makes them equal.
            self._model = Perceptron(sizes, seed=_SEED + rank)
            with managed_span(DemoSpanGroup.COMMUNICATION, SpanName.BROADCAST):
                self._model.parameters = group.broadcast(self._model.parameters)
            self.optimizer = MomentumSGD(self._model, plan.steps)

    def step(self, step: int) -> float:
        """Do one training step together with the other ranks.

        Args:
            step: Number of the step, from 1.

        Returns:
            The mean loss over the batches of all ranks.
        """
        with managed_span(
            DemoSpanGroup.STEP,
            SpanName.STEP,
            None,
            **{DL_ITERATION: step, DL_BATCH_SIZE: BATCH_SIZE},
        ):
            with managed_span(DemoSpanGroup.DATA_LOADING, SpanName.DATA_LOADING):
                batch = next(self._batches)
            with managed_span(DemoSpanGroup.FORWARD_BACKWARD, SpanName.FORWARD_BACKWARD):
                result = self._model.forward_backward(batch)
                for _ in range(self._extra_passes):
                    result = self._model.forward_backward(batch)
                if self._rank == self._plan.hang_rank and step == self._plan.hang_step:
                    self._group.hang()
            addends = result.gradient
            addends.append(result.loss_sum)
            with managed_span(DemoSpanGroup.COMMUNICATION, SpanName.ALL_REDUCE):
                sums = self._group.all_reduce_sum(addends)
            with managed_span(DemoSpanGroup.OPTIMIZER, SpanName.OPTIMIZER):
                return self._apply(sums, step)

    def load(self, step: int) -> None:
        """Go on from the checkpoint of a step, with the batches that follow it."""
        with managed_span(
            DemoSpanGroup.LOAD_CHECKPOINT, SpanName.LOAD_CHECKPOINT, None, **{DL_ITERATION: step}
        ):
            state = checkpoint.load(self._plan, step)
            self._model.parameters = state.parameters
            self.optimizer.velocity = array("d", state.velocity)
            for _done in range(step):
                next(self._batches)

    def save(self, step: int) -> None:
        """Write this rank's part of a checkpoint, durably."""
        with managed_span(
            DemoSpanGroup.CHECKPOINT, SpanName.CHECKPOINT, None, **{DL_ITERATION: step}
        ):
            checkpoint.save(
                checkpoint.path(self._plan, step, self._rank),
                step,
                penguins.shard(self._model.parameters, self._rank, self._plan.world_size),
                penguins.shard(self.optimizer.velocity, self._rank, self._plan.world_size),
            )

    def evaluate(self, step: int) -> tuple[int, int]:
        """Measure the model on the held-out examples of all ranks.

        Returns:
            How many were predicted correctly, and how many there are.
        """
        with managed_span(DemoSpanGroup.EVALUATE, SpanName.EVALUATE, None, **{DL_ITERATION: step}):
            examples = [penguins.decode(record) for record in self._held_out]
            counts = array("d", [self._model.count_correct(examples), len(examples)])
            with managed_span(DemoSpanGroup.COMMUNICATION, SpanName.EVALUATE_REDUCE):
                correct, total = self._group.all_reduce_sum(counts)
            return int(correct), int(total)

    def _apply(self, sums: Sequence[float], step: int) -> float:
        global_batch = BATCH_SIZE * self._plan.world_size
        *gradient, loss = (value / global_batch for value in sums)
        self.optimizer.step(gradient, step)
        return loss
