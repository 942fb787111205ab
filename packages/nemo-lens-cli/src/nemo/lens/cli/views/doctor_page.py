# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the doctor found, the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nemo.lens.cli.doctor.effective import DEFAULT, Value
from nemo.lens.cli.doctor.findings import Verdict
from nemo.lens.cli.page import Cell, Column

if TYPE_CHECKING:
    from nemo.lens.cli.doctor.examination import Diagnosis
    from nemo.lens.cli.page import Page

_STYLES: Final = {
    Verdict.LOSS: "bold red",
    Verdict.WARNING: "yellow",
    Verdict.NOTE: "cyan",
    Verdict.FINE: "green",
}
_MARGIN: Final = max(len(verdict.value) for verdict in Verdict) + 2
_INDENT: Final = 2


def render(diagnosis: Diagnosis, page: Page, *, everything: bool) -> Page:
    """Write the verdict, the findings, and the configuration.

    Args:
        diagnosis: What was found.
        page: Where to write.
        everything: Show values that are defaults too.
    """
    page.paragraph(diagnosis.headline, "bold red" if diagnosis.loses_data else "bold green")
    page.blank()
    for finding in diagnosis.findings:
        mark = finding.verdict.value.ljust(_MARGIN)
        page.paragraph(finding.title.rstrip("."), _STYLES[finding.verdict], first=mark)
        if finding.advice:
            page.paragraph(finding.advice, indent=_MARGIN + _INDENT)
    _configuration(diagnosis, page, everything=everything)
    return page


def _configuration(diagnosis: Diagnosis, page: Page, *, everything: bool) -> None:
    shown = [each for each in diagnosis.values if everything or each.origin != DEFAULT]
    page.heading("Configuration")
    if shown:
        columns = [Column("variable"), Column("value"), Column("from")]
        page.table(columns, [_row(value) for value in shown])
    if len(shown) < len(diagnosis.values):
        rest = "Everything" if not shown else "Everything else"
        page.paragraph(f"{rest} has its default (all: nemo-lens doctor --all).", "dim")


def _row(value: Value) -> list[Cell]:
    kind, _, variable = value.origin.partition(":")
    origin = kind if variable in {"", value.variable} else f"{kind} {variable}"
    return [Cell(value.variable), Cell(value.value or "-"), Cell(origin, "dim")]
