# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whether telemetry, its signals and its span groups are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.cli.doctor.findings import Finding, Verdict
from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.groups import SpanRegistry
from nemo.lens.sdk.exporters.selection import SIGNALS, exporters_by_signal
from nemo.lens.vocabulary import register_base_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.cli.doctor.situation import Situation

_MOST_NAMED = 3


def main_switch(situation: Situation) -> Iterator[Finding]:
    """Is telemetry on, off on purpose, or off by mistake?"""
    switch = situation.switch
    if situation.config.enabled:
        yield Finding("enabled", Verdict.FINE, "Telemetry is on")
    elif any(f" {switch}: " in problem for problem in situation.bad_values):
        return  # said with the other bad values
    elif situation.switched_off_on_purpose:
        variable = situation.config.provenance()["enabled"].partition(":")[2]
        yield Finding(
            "enabled",
            Verdict.NOTE,
            f"Telemetry is off: {variable} says so",
            f"To record: {variable}=1. The rest is looked at once it is on.",
        )
    elif situation.telling_variables:
        named = situation.telling_variables
        more = ", ..." if len(named) > _MOST_NAMED else ""
        yield Finding(
            "enabled",
            Verdict.LOSS,
            f"Telemetry is off, although {', '.join(named[:_MOST_NAMED])}{more} "
            f"{'is' if len(named) == 1 else 'are'} set: {switch} is missing, so nothing is recorded",
            f"export {switch}=1  (or {switch}=0, to say that it is meant so)",
        )
    else:
        yield Finding(
            "enabled",
            Verdict.NOTE,
            f"Telemetry is off, as it is by default; {switch} is not set here",
            f"To record to files: export {switch}=1 {situation.question.prefix}_EXPORTER=file. "
            "A job that switches telemetry on in its code is not seen from here.",
        )


def opentelemetry_switch(situation: Situation) -> Iterator[Finding]:
    """Does OpenTelemetry's own kill switch say otherwise?"""
    if situation.is_meant_to_record and read_foreign_variable("OTEL_SDK_DISABLED") == "true":
        yield Finding(
            "enabled",
            Verdict.LOSS,
            "OTEL_SDK_DISABLED=true switches telemetry off for the whole process",
            "unset OTEL_SDK_DISABLED",
        )


def signals(situation: Situation) -> Iterator[Finding]:
    """Which signals go where, and is there any?"""
    if not situation.is_meant_to_record:
        return
    routes = exporters_by_signal(situation.switched_on())
    prefix = situation.question.prefix
    if not routes:
        yield Finding(
            "signals",
            Verdict.LOSS,
            "No signal is exported: traces, metrics and logs are all switched off",
            f"Unset {prefix}_TRACES_ENABLED and OTEL_TRACES_EXPORTER, or set them to export.",
        )
        return
    told = "; ".join(f"{signal} to {', '.join(names)}" for signal, names in routes.items())
    off = [signal for signal in SIGNALS if signal not in routes]
    suffix = f" (off: {', '.join(off)})" if off else ""
    yield Finding("signals", Verdict.FINE, f"Exported: {told}{suffix}")


def span_groups(situation: Situation) -> Iterator[Finding]:
    """Does the choice of span groups select any?"""
    if not situation.is_meant_to_record or not situation.config.traces_enabled:
        return
    register_base_vocabulary()
    spec = situation.config.span_groups
    enabled, pending = SpanRegistry.resolve(spec)
    variable = f"{situation.question.prefix}_SPAN_GROUPS"
    if pending:
        yield Finding(
            "span groups",
            Verdict.NOTE,
            f"{', '.join(sorted(pending))} of {variable}={spec} "
            f"{'is' if len(pending) == 1 else 'are'} not in the base vocabulary",
            "Right if a library of the job registers it. nemo-lens schema groups lists the others.",
        )
    elif not enabled:
        yield Finding(
            "span groups",
            Verdict.WARNING,
            f"{variable}={spec} selects no group: only spans that no group guards are recorded",
            f"export {variable}=default, or per_step to see every step",
        )
    else:
        yield Finding("span groups", Verdict.FINE, f"Recorded: {', '.join(sorted(enabled))}")
