# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Moments of all hosts on one clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.runs.cohorts import cohorts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.runs.clocks import ClockOffset
    from nemo.lens.runs.process import Process
    from nemo.lens.runs.step_records import ProcessRecord


class HostClocks:
    """Takes the clock offsets between hosts out of recorded times.

    Args:
        records: What `collect(run)` returned. Hosts whose ranks share no step with others keep
            their own clock.
    """

    def __init__(self, records: Iterable[ProcessRecord]) -> None:
        self._offsets: dict[str, ClockOffset] = {}
        for cohort in sorted(cohorts(records), key=lambda cohort: -cohort.steps):
            for host, offset in cohort.offsets.items():
                self._offsets.setdefault(host, offset)

    def aligned(self, process: Process, moment: int) -> int:
        """A moment that `process` recorded, by the reference clock, in nanoseconds since 1970."""
        offset = self._offsets.get(process.host)
        return moment if offset is None else moment - round(offset.at(moment))
