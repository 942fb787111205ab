# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the checks look at: the configuration, the interpreter, and who this process is."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nemo.lens.config import NemoLensConfig
from nemo.lens.configuration.environment import FROM_DEFAULT, read_setting
from nemo.lens.configuration.settings import SETTINGS
from nemo.lens.configuration.unknown_variables import unknown_variables
from nemo.lens.resources.identity import detect_identity
from nemo.lens.sdk.exporters.selection import exporters_by_signal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemo.lens.cli.doctor.interpreter import Interpreter


@dataclass(frozen=True)
class Question:
    """What the user asks.

    Attributes:
        prefix: Prefix of the library's variables.
        fallback_prefix: Prefix that counts where those are unset.
        rank: The rank to judge, None for that of this process.
        world_size: Number of ranks, None for what the launcher says.
        timeout_s: Longest wait for a connection, and for a delivery, in seconds.
        offline: Connect to nothing and deliver nothing.
    """

    prefix: str
    fallback_prefix: str | None
    rank: int | None
    world_size: int | None
    timeout_s: float
    offline: bool


@dataclass(frozen=True)
class Situation:
    """What is the case.

    Attributes:
        question: What the user asks.
        environ: The variables of this process.
        config: What `from_env` would give, with defaults in place of bad values.
        bad_values: A sentence about each variable of ours with a bad value.
        unknown: Variables under the prefixes that nobody reads, each with the nearest known one.
        interpreter: What a script started here would import.
        rank: The rank to judge, None when nobody names one.
        world_size: Number of ranks, None when nobody names it.
    """

    question: Question
    environ: Mapping[str, str]
    config: NemoLensConfig
    bad_values: tuple[str, ...]
    unknown: Mapping[str, str]
    interpreter: Interpreter
    rank: int | None
    world_size: int | None

    @property
    def switch(self) -> str:
        """The variable that switches telemetry on."""
        return f"{self.question.prefix}_ENABLED"

    @property
    def switched_off_on_purpose(self) -> bool:
        """Whether somebody said so."""
        return not self.config.enabled and self.config.is_explicit("enabled")

    @property
    def telling_variables(self) -> list[str]:
        """Variables that are set and make no sense unless telemetry is on."""
        bare = {setting.bare for setting in SETTINGS if setting.bare}
        origins = self.config.provenance().items()
        named = [
            origin.partition(":")[2]
            for field, origin in origins
            if origin not in {FROM_DEFAULT, "code"} and field != "enabled"
        ]
        return sorted({*named, *self.unknown} - bare)

    @property
    def is_meant_to_record(self) -> bool:
        """Whether telemetry is on, or off by mistake."""
        return self.config.enabled or (
            not self.switched_off_on_purpose and bool(self.telling_variables)
        )

    def switched_on(self) -> NemoLensConfig:
        """The configuration as it would be with telemetry on."""
        return dataclasses.replace(self.config, enabled=True)

    def signals_to(self, exporter: str) -> list[str]:
        """The signals that go to an exporter once telemetry is on."""
        routes = exporters_by_signal(self.switched_on())
        return [signal for signal, names in routes.items() if exporter in names]


def look_around(
    question: Question, environ: Mapping[str, str], interpreter: Interpreter
) -> Situation:
    """Read what there is; nothing is raised for bad values."""
    config, bad_values = _read_configuration(question, environ)
    identity = detect_identity(environ)
    prefixes = filter(None, (question.prefix, question.fallback_prefix))
    return Situation(
        question=question,
        environ=environ,
        config=config,
        bad_values=bad_values,
        unknown=unknown_variables(environ, prefixes),
        interpreter=interpreter,
        rank=identity.rank if question.rank is None else question.rank,
        world_size=identity.world_size if question.world_size is None else question.world_size,
    )


def _read_configuration(
    question: Question, environ: Mapping[str, str]
) -> tuple[NemoLensConfig, tuple[str, ...]]:
    names = (question.prefix, question.fallback_prefix)
    usable = dict(environ)
    problems: list[str] = []
    for setting in SETTINGS:
        problem = read_setting(setting, environ, *names).problem
        if problem:
            problems.append(problem)
            for variable in setting.variables(*names):
                usable.pop(variable, None)
    return NemoLensConfig.from_env(*names, environ=usable), tuple(problems)
