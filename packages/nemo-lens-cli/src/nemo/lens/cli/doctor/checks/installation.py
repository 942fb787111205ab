# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whether what is installed can be imported, is there once, and fits together."""

from __future__ import annotations

import platform
from collections import defaultdict
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from nemo.lens.cli.doctor.findings import Finding, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.cli.doctor.interpreter import Distribution, Interpreter
    from nemo.lens.cli.doctor.situation import Situation

_NAMED = ("nemo-lens-api", "nemo-lens-sdk", "opentelemetry-api", "opentelemetry-sdk")
_OURS = "nemo-lens"


def namespace(situation: Situation) -> Iterator[Finding]:
    """Can a script that is started here import `nemo.lens`, or does another `nemo` hide it?"""
    found = situation.interpreter
    if found.failure:
        yield Finding(
            "namespace",
            Verdict.WARNING,
            f"A fresh interpreter could not be asked what it imports ({found.failure}).",
            'Try it by hand: python -c "import nemo.lens"',
        )
    elif found.import_error and found.nemo_file:
        yield Finding(
            "namespace",
            Verdict.LOSS,
            f"A package nemo hides nemo.lens: a script started here imports {found.nemo_file}, "
            f"and then fails with {found.import_error}",
            "A checkout of NeMo in the current folder or on PYTHONPATH does that. Start the job "
            "elsewhere, or take the folder off PYTHONPATH; NeMo itself can be installed with pip.",
        )
    elif found.import_error:
        yield Finding(
            "namespace",
            Verdict.LOSS,
            f"A script started here cannot import nemo.lens: {found.import_error}",
            "Install it into the environment of the job: pip install nemo-lens-sdk",
        )
    else:
        yield Finding("namespace", Verdict.FINE, f"nemo.lens is imported from {found.lens_file}")


def copies(situation: Situation) -> Iterator[Finding]:
    """Is everything there once? Python reads the first copy and may mix two of them."""
    found = situation.interpreter
    for name, folders in _folders_by_name(found).items():
        if len(folders) > 1:
            yield Finding(
                "copies",
                Verdict.WARNING,
                f"{name} is installed {len(folders)} times: {', '.join(folders)}",
                "The first one counts. Uninstall the others, or take their folder off PYTHONPATH.",
            )
    if len(found.fronts) > 1:
        yield Finding(
            "copies",
            Verdict.WARNING,
            f"There are {len(found.fronts)} copies of nemo.lens: {', '.join(found.fronts)}",
            "The first one counts, and modules that it lacks come from the others. Keep one.",
        )


def versions(situation: Situation) -> Iterator[Finding]:
    """Do the installed versions fit what our distributions ask for?"""
    found = situation.interpreter
    misfits = [misfit for each in _ours(found) for misfit in _misfits(each, found)]
    yield from dict.fromkeys(misfits)
    own = {each.name: each.version for each in _ours(found)}
    if len(set(own.values())) > 1:
        yield Finding(
            "versions",
            Verdict.WARNING,
            "The parts of NeMo Lens have different versions: "
            + ", ".join(f"{name} {version}" for name, version in own.items()),
            "Bring them to one version: pip install --upgrade " + " ".join(own),
        )
    if not misfits and own:
        named = (found.installed(name) for name in _NAMED)
        told = ", ".join(f"{each.name} {each.version}" for each in named if each)
        yield Finding(
            "versions", Verdict.FINE, f"{told}, Python {platform.python_version()} fit together"
        )


def _ours(found: Interpreter) -> list[Distribution]:
    first = {each.name: each for each in reversed(found.distributions)}
    return [first[name] for name in sorted(first) if name.startswith(_OURS)]


def _folders_by_name(found: Interpreter) -> dict[str, list[str]]:
    folders: dict[str, dict[str, None]] = defaultdict(dict)
    for each in found.distributions:
        if each.name.startswith(_OURS):
            folders[each.name][each.folder] = None
    return {name: list(where) for name, where in folders.items()}


def _misfits(distribution: Distribution, found: Interpreter) -> Iterator[Finding]:
    for text in distribution.requires:
        try:
            requirement = Requirement(text)
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
                continue
            installed = found.installed(requirement.name.lower().replace("_", "-"))
            version = None if installed is None else Version(installed.version)
        except (InvalidRequirement, InvalidVersion):
            continue  # nothing that could be compared
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            is_there = "is not installed" if version is None else f"{version} is installed"
            yield Finding(
                "versions",
                Verdict.WARNING,
                f"{requirement.name} {is_there}, and {distribution.name} {distribution.version} "
                f"needs {requirement.specifier or 'it'}",
                f"pip install '{requirement.name}{requirement.specifier}'",
            )
