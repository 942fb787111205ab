# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A row of the table: one measure, its limit, and how it is taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Measurement:
    """What was measured.

    Attributes:
        value: The number that is held against the limit.
        detail: The numbers behind it, for the report: names with units in them.
    """

    value: float
    detail: dict[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """One measure of the table.

    Attributes:
        id: Its short name, such as `"G1"`.
        measure: What is measured, as in the documentation.
        limit: The largest value allowed; None for a row that is only reported.
        take: Takes the measurement; may raise `NotMeasurableError`.
        reference: The same measure of the library that this one replaces (version 0.2.0 with
            OpenTelemetry 1.45.2 on Python 3.12), as a fact to compare with; "" where there is none.
    """

    id: str
    measure: str
    limit: float | None
    take: Callable[[], Measurement]
    reference: str = ""


class NotMeasurableError(Exception):
    """This environment lacks something the row needs; the text says what."""
