# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Ranks that train together and have no watchdog: when one does not arrive, the others wait for good.

`python tests/integration/autopsy_job.py DIR --rank 2 --step 6 --trouble killed`

All of them have to be killed from outside.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import time
from typing import ClassVar

from nemo.lens import NemoLensConfig, SpanGroup, managed_span, set_step, setup_telemetry, span_cm


class JobSpanGroup(SpanGroup):
    """The shared groups and those of the input and of collectives."""

    DATA_LOADING = "data_loading"
    COMMUNICATION = "communication"

    ALL_GROUPS: ClassVar[frozenset[str]] = SpanGroup.ALL_GROUPS | {DATA_LOADING, COMMUNICATION}
    _PRESETS: ClassVar[dict[str, frozenset[str]]] = {"all": ALL_GROUPS}


TROUBLES = ("none", "killed", "stopped", "hung", "data", "barrier", "raised", "left", "behind")
WORK_S = 0.005


def main() -> None:
    """Start the ranks and wait for them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--rank", type=int, default=2, help="the one in trouble")
    parser.add_argument("--step", type=int, default=6, help="in which it gets into it")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--trouble", choices=TROUBLES, default="none")
    parser.add_argument("--no-box", action="store_true", help="keep no black boxes")
    arguments = parser.parse_args()
    barrier = multiprocessing.get_context("fork").Barrier(arguments.ranks)
    children = []
    for rank in range(arguments.ranks):
        child = os.fork()
        if not child:
            _be(rank, arguments, barrier)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def _be(rank: int, arguments: argparse.Namespace, barrier) -> None:
    config = NemoLensConfig(
        enabled=True,
        exporter="file",
        directory=arguments.directory,
        run_id="job",
        span_groups="all",
        export_strategy="all_ranks",
        _span_group_cls=JobSpanGroup,
        blackbox=not arguments.no_box,
        blackbox_dir=f"{arguments.directory}-node",
    )
    handle = setup_telemetry(config, rank=rank, world_size=arguments.ranks)
    try:
        with span_cm("train.job"):
            _train(rank, arguments, barrier)
    except ArithmeticError:
        pass
    handle.shutdown()


def _train(rank: int, arguments: argparse.Namespace, barrier) -> None:
    for step in range(1, arguments.steps + 1):
        trouble = arguments.trouble if (rank, step) == (arguments.rank, arguments.step) else "none"
        if trouble == "left":
            return
        if trouble == "behind":
            _loop(step - 1)
        set_step(step)
        with managed_span(SpanGroup.STEP, "train.step", iteration=step):
            with managed_span(JobSpanGroup.DATA_LOADING, "train.load_batch"):
                time.sleep(WORK_S / 5)
                _get_into("data", trouble)
            with managed_span(SpanGroup.FORWARD_BACKWARD, "train.forward_backward"):
                time.sleep(WORK_S * (1 + rank / 10))
                _get_into("forward_backward", trouble)
            with managed_span(JobSpanGroup.COMMUNICATION, "train.grad_all_reduce"):
                if arguments.trouble == "barrier" and step == arguments.step:
                    time.sleep(600)  # a collective that nobody leaves
                barrier.wait()
            with managed_span(SpanGroup.OPTIMIZER, "train.optimizer"):
                time.sleep(WORK_S / 5)


def _get_into(phase: str, trouble: str) -> None:
    if phase == "data":
        if trouble == "data":
            time.sleep(600)
    elif trouble == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif trouble == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif trouble == "hung":
        time.sleep(600)
    elif trouble == "raised":
        raise ArithmeticError("loss is nan")


def _loop(step: int) -> None:
    """Do the same step again and again, without ever meeting the others."""
    while True:
        with (
            managed_span(SpanGroup.STEP, "train.step", iteration=step),
            managed_span(SpanGroup.FORWARD_BACKWARD, "train.forward_backward"),
        ):
            time.sleep(WORK_S)


if __name__ == "__main__":
    main()
