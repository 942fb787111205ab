# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a comparison of two runs answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nemo.lens.runs.answers import Answer

SLOWER: Final = "slower"
FASTER: Final = "faster"
SAME: Final = "same"
UNCLEAR: Final = "unclear"
NEW: Final = "new"
GONE: Final = "gone"


@dataclass(frozen=True)
class PartChange:
    """How one part of the steps changed from the baseline to the run.

    Attributes:
        phase: Span group or name; "" for the whole step and for the imbalance.
        kind: "step" (all of it), "own_work" (mean over the ranks), "waiting" (the least of all
            ranks, which is what the operation itself takes), "imbalance" (what the ranks wait
            beyond that, on average) or "outside" of the steps (the longest of all ranks, per
            occurrence).
        role: The role of the processes.
        judged: "slower" or "faster" (a sure change beyond the threshold), "same" (no such change,
            and it would have been seen), "unclear" (a change beyond the threshold is not ruled
            out), "new" or "gone" (only one run has it).
        before_s: Typical seconds (mean of the middle half) in the baseline, None when new.
        after_s: The same in the run, None when gone.
        change_s: `after_s - before_s`; 0 when new or gone.
        change: The same as a share of `before_s`, None when that is 0 or missing.
        low_s: Lower bound of `change_s`, from a bootstrap over steps; all bounds hold together
            with 95 %. None with fewer than five values on a side.
        high_s: Upper bound.
        share_before: In which share of the steps of the baseline it occurs, 0 to 1.
        share_after: The same of the run.
        rank: The one rank that changed while the others hardly did; None when it is not one rank.
        rank_change_s: Its own change, 0 when no rank is named.
    """

    phase: str
    kind: str
    role: str
    judged: str
    before_s: float | None
    after_s: float | None
    change_s: float
    change: float | None
    low_s: float | None
    high_s: float | None
    share_before: float
    share_after: float
    rank: int | None
    rank_change_s: float


@dataclass(frozen=True)
class DiffReport(Answer):
    """What changed between two runs: the answer of `compare_runs`.

    Attributes:
        baseline: Run id of the run that is compared with.
        threshold: The smallest change that counts, as a share.
        slower: Parts that became slower, the one that costs most first.
        faster: Parts that became faster, likewise.
        parts: All parts, the whole step first, then by the size of the change.
        resolution: The smallest change of a whole step that would have been sure, as a share of it;
            None when the steps could not be compared.
    """

    baseline: str
    threshold: float
    slower: tuple[PartChange, ...]
    faster: tuple[PartChange, ...]
    parts: tuple[PartChange, ...]
    resolution: float | None
