# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The process of one rank: its environment, its telemetry, and how it ends."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

from nemo.lens.cli.demo import telemetry
from nemo.lens.cli.demo.messages import Stopped
from nemo.lens.cli.demo.process_group import PeerLostError, ProcessGroup
from nemo.lens.cli.demo.training import train

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    from nemo.lens.cli.demo.messages import Message, TrainingPlan
    from nemo.lens.cli.demo.process_group import Link

EXIT_FAILED = 1
EXIT_PEER_LOST = 3

# The run is over in seconds; OpenTelemetry's default of a minute would leave one point per metric.
_METRIC_INTERVAL_MS = "500"
_OF_OTHER_JOBS = ("NEMO_LENS_", "OTEL_", "SLURM_", "TORCHELASTIC_", "RAY_", "PMI", "OMPI_")


def run_rank(
    plan: TrainingPlan,
    rank: int,
    links: Sequence[Link],
    launcher: Connection[Message, None],
) -> None:
    """Train as one rank of a group, recording to run files; the target of the spawned process.

    Args:
        plan: What to train.
        rank: This process.
        links: Its pipes to other ranks.
        launcher: Where progress and the reason of an early end are sent.
    """
    _set_environment(plan, rank)
    status = 0
    try:
        _record_and_train(plan, rank, links, launcher)
    except PeerLostError as error:
        status = EXIT_PEER_LOST
        _tell(launcher, Stopped(str(error), ""))
    except Exception as error:  # the launcher prints it in one piece, not interleaved with others
        status = EXIT_FAILED
        _tell(launcher, Stopped(f"{type(error).__name__}: {error}", traceback.format_exc()))
    sys.exit(status)


def _record_and_train(
    plan: TrainingPlan,
    rank: int,
    links: Sequence[Link],
    launcher: Connection[Message, None],
) -> None:
    handle = telemetry.start(plan.directory, plan.run_id, rank, plan.world_size)
    try:
        train(plan, rank, ProcessGroup(rank, links), handle.meter, launcher)
    finally:
        handle.shutdown()


def _set_environment(plan: TrainingPlan, rank: int) -> None:
    """What a job launcher sets for its ranks, and nothing that was meant for another job."""
    for name in [name for name in os.environ if name.startswith(_OF_OTHER_JOBS)]:
        del os.environ[name]
    os.environ.update(
        RANK=str(rank),
        LOCAL_RANK=str(rank),
        WORLD_SIZE=str(plan.world_size),
        LOCAL_WORLD_SIZE=str(plan.world_size),
        TORCHELASTIC_RESTART_COUNT=str(plan.restart),
        OTEL_METRIC_EXPORT_INTERVAL=_METRIC_INTERVAL_MS,
    )


def _tell(launcher: Connection[Message, None], message: Message) -> None:
    try:
        launcher.send(message)
    except OSError:
        return  # the launcher is gone: nobody is left to tell
