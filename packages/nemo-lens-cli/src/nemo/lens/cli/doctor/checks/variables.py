# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whether every variable that was set says something, and to somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.cli.doctor.findings import Finding, Verdict
from nemo.lens.configuration.foreign_variables import bad_foreign_variables
from nemo.lens.configuration.settings import DEFAULT_PREFIX, KNOWN_PREFIXES, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.cli.doctor.situation import Situation


def own_values(situation: Situation) -> Iterator[Finding]:
    """Do our variables have values that set-up accepts? It raises for others."""
    for problem in situation.bad_values:
        if situation.switched_off_on_purpose:
            yield Finding("values", Verdict.NOTE, f"{problem} Telemetry is off: it is ignored.")
        else:
            yield Finding(
                "values",
                Verdict.LOSS,
                problem,
                "NemoLensConfig.from_env raises a ValueError for it; correct or unset it.",
            )


def foreign_values(situation: Situation) -> Iterator[Finding]:
    """Do the variables of OpenTelemetry and others have values that anybody can use?"""
    for problem in bad_foreign_variables(situation.environ).values():
        yield Finding("values", Verdict.WARNING, problem, "It counts as unset; correct it.")


def unknown_names(situation: Situation) -> Iterator[Finding]:
    """Are there variables under our prefixes that nobody reads?"""
    for name, nearest in situation.unknown.items():
        yield Finding(
            "names",
            Verdict.WARNING,
            f"{name} is unknown and ignored",
            f"Did you mean {nearest}?" if nearest else "Unset it; nothing of ours is called so.",
        )


def other_prefixes(situation: Situation) -> Iterator[Finding]:
    """Are there variables of another library, which were not looked at?"""
    question = situation.question
    asked = {question.prefix, question.fallback_prefix}
    # Those that are read under any prefix say nothing about a library.
    names = set(situation.environ) - {setting.bare for setting in SETTINGS}
    for prefix in KNOWN_PREFIXES:
        if prefix not in asked and any(name.startswith(f"{prefix}_") for name in names):
            fallback = "" if prefix == DEFAULT_PREFIX else f" --fallback-prefix {DEFAULT_PREFIX}"
            yield Finding(
                "names",
                Verdict.NOTE,
                f"Variables under {prefix}_ are set and were not looked at",
                f"For the library that reads them: nemo-lens doctor --prefix {prefix}{fallback}",
            )
