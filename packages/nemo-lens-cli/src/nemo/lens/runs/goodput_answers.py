# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What `analyse_goodput` answers: plain data, each with `to_json()`."""

from __future__ import annotations

from dataclasses import dataclass

from nemo.lens.runs.answers import Answer


@dataclass(frozen=True)
class BucketRow:
    """One bucket over the whole job: seconds of all ranks together, and their share of all time."""

    bucket: str
    total_s: float
    share: float


@dataclass(frozen=True)
class PartRow:
    """What a bucket consists of.

    Attributes:
        bucket: The bucket.
        part: Span group, or the span name where the group is unknown; "between attempts" for the
            time between the end of a rank and its next start, "" for time in no classified span.
        total_s: Seconds of all ranks together.
        share: Part of all time, 0 to 1.
    """

    bucket: str
    part: str
    total_s: float
    share: float


@dataclass(frozen=True)
class AttemptRow:
    """One start of the job.

    Attributes:
        run: Its run id.
        restart: The attempt as the processes name it, 0 for the first.
        started_unix_nano: The earliest start of a process.
        ended_unix_nano: The latest end, or the last thing recorded.
        processes: How many.
        first_step: The lowest step that it did, None when there is none.
        last_step: The highest.
        lost_steps: How many of its steps a later attempt did again, or it did again itself.
        total_s: Seconds by bucket, of all processes together.
    """

    run: str
    restart: int
    started_unix_nano: int
    ended_unix_nano: int
    processes: int
    first_step: int | None
    last_step: int | None
    lost_steps: int
    total_s: dict[str, float]


@dataclass(frozen=True)
class GoodputProcessRow:
    """One process; the buckets sum to its wall time to the nanosecond.

    Attributes:
        run: Its run id.
        restart: The attempt.
        role: Its role.
        rank: Its rank, None for an unranked process.
        host: Where it ran.
        pid: Its process id, None when unknown.
        wall_nano: From the start of the process to its end, or to the last thing recorded.
        buckets_nano: Nanoseconds by bucket, all five of them.
    """

    run: str
    restart: int
    role: str
    rank: int | None
    host: str
    pid: int | None
    wall_nano: int
    buckets_nano: dict[str, int]


@dataclass(frozen=True)
class GoodputReport(Answer):
    """How much of a job's time brought it forward: the answer of `analyse_goodput`.

    Attributes:
        job: `nv.dl.job.uuid`, "" where no process says it.
        goodput: The productive share of all time, 0 to 1.
        total_s: All time: the wall time of all processes and the time between attempts.
        between_attempts_s: The part of it in which a rank had ended and not started again.
        buckets: Five rows, in a fixed order; they sum to `total_s`.
        parts: What they consist of, largest first.
        attempts: One row per attempt, in order of time.
        processes: One row per process.
    """

    job: str
    goodput: float
    total_s: float
    between_attempts_s: float
    buckets: tuple[BucketRow, ...]
    parts: tuple[PartRow, ...]
    attempts: tuple[AttemptRow, ...]
    processes: tuple[GoodputProcessRow, ...]
