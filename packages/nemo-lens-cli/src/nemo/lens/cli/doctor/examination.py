# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""All checks, one after the other, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.cli.doctor.captured_logs import captured_warnings
from nemo.lens.cli.doctor.checks import (
    export_ranks,
    hazards,
    installation,
    otlp,
    run_files,
    switches,
    variables,
)
from nemo.lens.cli.doctor.effective import Value, effective_values
from nemo.lens.cli.doctor.findings import Finding, Verdict
from nemo.lens.cli.doctor.interpreter import ask_interpreter
from nemo.lens.cli.doctor.situation import look_around

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from nemo.lens.cli.doctor.situation import Question, Situation

    Check = Callable[[Situation], Iterable[Finding]]

CHECKS: Final[tuple[Check, ...]] = (
    installation.namespace,
    installation.copies,
    installation.versions,
    variables.own_values,
    variables.foreign_values,
    variables.unknown_names,
    variables.other_prefixes,
    switches.main_switch,
    switches.opentelemetry_switch,
    switches.signals,
    switches.span_groups,
    export_ranks.export_ranks,
    run_files.run_files,
    otlp.otlp,
    hazards.forks,
    hazards.torch,
)


@dataclass(frozen=True)
class Diagnosis:
    """What was found.

    Attributes:
        findings: The worst first.
        values: The effective configuration with the origin of each value.
        is_meant_to_record: Whether telemetry is on, or off by mistake.
        versions: Installed versions of what matters, by distribution.
    """

    findings: tuple[Finding, ...]
    values: tuple[Value, ...]
    is_meant_to_record: bool
    versions: Mapping[str, str]

    @property
    def loses_data(self) -> bool:
        """Whether anything that was found loses data."""
        return bool(self.of(Verdict.LOSS))

    def of(self, verdict: Verdict) -> list[Finding]:
        """The findings of one verdict."""
        return [finding for finding in self.findings if finding.verdict is verdict]

    @property
    def headline(self) -> str:
        """The whole in a few words."""
        losses = self.of(Verdict.LOSS)
        if losses:
            count = "One problem loses" if len(losses) == 1 else f"{len(losses)} problems lose"
            return f"{count} telemetry."
        warnings = len(self.of(Verdict.WARNING))
        suffix = {0: "", 1: ", with 1 warning"}.get(warnings, f", with {warnings} warnings")
        state = "Telemetry works here" if self.is_meant_to_record else "Telemetry is off here"
        return f"{state}{suffix}."

    @property
    def verdict(self) -> str:
        """The headline, and the first of what loses data."""
        first = [f"{finding.title.rstrip('.')}." for finding in self.of(Verdict.LOSS)[:1]]
        return " ".join([self.headline, *first])

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON shows it."""
        return {
            "schema": 1,
            "run": None,
            "verdict": self.verdict,
            "loses_data": self.loses_data,
            "findings": [
                {**finding._asdict(), "verdict": finding.verdict.value} for finding in self.findings
            ],
            "configuration": [value._asdict() for value in self.values],
            "versions": dict(self.versions),
            "problems": [finding.title for finding in self.of(Verdict.LOSS)],
        }


def examine(
    question: Question, environ: Mapping[str, str], listener: Callable[[str], object]
) -> Diagnosis:
    """Look at everything; a check that fails itself is a finding too.

    Args:
        question: What the user asks.
        environ: The variables of this process. What OpenTelemetry and the detection of the job
            read, they read from the process itself.
        listener: Called with what is looked at next.
    """
    findings: list[Finding] = []
    with captured_warnings():
        situation = look_around(question, environ, ask_interpreter())
        for check in CHECKS:
            listener(_name(check))
            findings += _answer(check, situation)
        values = effective_values(situation)
    severity = list(Verdict)
    findings.sort(key=lambda finding: severity.index(finding.verdict))
    return Diagnosis(
        findings=tuple(findings),
        values=values,
        is_meant_to_record=situation.is_meant_to_record,
        versions={
            each.name: each.version
            for each in reversed(situation.interpreter.distributions)
            if each.name.startswith(("nemo-lens", "opentelemetry-")) or each.name == "torch"
        },
    )


def _name(check: Check) -> str:
    return check.__name__.replace("_", " ")


def _answer(check: Check, situation: Situation) -> Iterator[Finding]:
    try:
        yield from check(situation)
    except Exception as error:  # one check that fails must not hide the answers of the others
        yield Finding(
            _name(check),
            Verdict.WARNING,
            f"The check {_name(check)} failed: {type(error).__name__}: {error}",
            "Please report it: https://github.com/NVIDIA-NeMo/Lens/issues",
        )
