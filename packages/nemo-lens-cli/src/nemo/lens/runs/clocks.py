# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How far the clocks of hosts are apart, estimated from moments that all ranks share.

A synchronous step lets all ranks go on at the same moment: when the last waiting in it ends, or,
where waiting is not marked, when the step ends. Seen by the clocks of two hosts, the same moment
differs by their offset and by a little scheduling noise. The median over many steps is free of
that noise. A drift is fitted through the medians of paired slopes, and taken out when it is
larger than the noise. Ranks on one host share its clock. Offsets are relative to the host of the
lowest rank, so a run on one host has none.

Without marked waiting, a host whose ranks all end their steps late cannot be told from a host
whose clock is ahead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nemo.lens.runs.spreads import deviation, median

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MIN_STEPS_FOR_DRIFT: Final = 16
_MIN_DRIFT_NANO: Final = 50_000.0
# A drift must move the clock over the run by five standard errors. That of a median of slopes
# between points half a run apart is about 5 sigma / sqrt(n).
_DRIFT_CERTAINTY: Final = 5 * 5.0


@dataclass(frozen=True)
class ClockOffset:
    """How far a host's clock is ahead of the reference.

    Attributes:
        at_nano: The middle of the run, by the reference clock.
        offset_nano: The offset then, in nanoseconds.
        drift: Nanoseconds per nanosecond by which it grows.
    """

    at_nano: float = 0.0
    offset_nano: float = 0.0
    drift: float = 0.0

    def at(self, moment_nano: float) -> float:
        """The offset at a moment, in nanoseconds."""
        return self.offset_nano + self.drift * (moment_nano - self.at_nano)


def clock_offsets(
    shared: Sequence[Mapping[str, Sequence[int]]], reference: str
) -> dict[str, ClockOffset]:
    """The clock offset of each host.

    Args:
        shared: Per step the moment that all ranks share, as each rank of each host saw it.
        reference: The host whose clock counts as right.

    Returns:
        One entry per host; hosts that share no step with the reference get offset 0.
    """
    hosts = {host for moments in shared for host in moments}
    points: dict[str, list[tuple[float, float]]] = {host: [] for host in hosts}
    for moments in shared:
        if reference not in moments or len(moments) == 1:
            continue
        base = moments[reference][0]
        zero = median(moment - base for moment in moments[reference])
        for host, seen in moments.items():
            if host != reference:
                # Differences first: nanoseconds since 1970 do not fit a float exactly.
                points[host].append((float(base), median(moment - base for moment in seen) - zero))
    return {host: _fit(found) for host, found in points.items()}


def _fit(points: list[tuple[float, float]]) -> ClockOffset:
    if not points:
        return ClockOffset()
    points.sort()
    start, end = points[0][0], points[-1][0]
    middle = (start + end) / 2
    drift = _drift(points)
    rest = [offset - drift * (moment - middle) for moment, offset in points]
    noise = deviation(rest) / math.sqrt(len(rest))
    if abs(drift) * (end - start) < max(_MIN_DRIFT_NANO, _DRIFT_CERTAINTY * noise):
        return ClockOffset(middle, median(offset for _moment, offset in points))
    return ClockOffset(middle, median(rest), drift)


def _drift(points: list[tuple[float, float]]) -> float:
    half = len(points) // 2
    if len(points) < _MIN_STEPS_FOR_DRIFT:
        return 0.0
    pairs = zip(points, points[half:], strict=False)
    return median(
        (later[1] - sooner[1]) / (later[0] - sooner[0])
        for sooner, later in pairs
        if later[0] > sooner[0]
    )
