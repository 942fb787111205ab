# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The commands, one module each; a module imports what it needs only when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nemo.lens.cli.commands import (
    autopsy,
    completion,
    demo,
    diff,
    doctor,
    emit_spans,
    goodput,
    ranks,
    replay,
    report,
    runs,
    schema,
    slurm_attributes,
    timeline,
    vendor_fallbacks,
    watch,
)

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.screen import Screen


class Command(Protocol):
    """What a module of this package offers."""

    @property
    def NAME(self) -> str:  # noqa: N802 - module constants
        """The word that selects the command."""
        ...

    @property
    def SUMMARY(self) -> str:  # noqa: N802 - module constants
        """One line for the list of commands."""
        ...

    @property
    def DESCRIPTION(self) -> str:  # noqa: N802 - module constants
        """The first paragraph of the command's help page."""
        ...

    @property
    def EPILOG(self) -> str:  # noqa: N802 - module constants
        """Examples and exit statuses, the end of the command's help page."""
        ...

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's own arguments."""
        ...

    def run(self, arguments: argparse.Namespace, screen: Screen) -> int:
        """Do the work and return an exit status."""
        ...


COMMANDS: tuple[Command, ...] = (
    demo,
    runs,
    report,
    ranks,
    goodput,
    autopsy,
    diff,
    timeline,
    watch,
    doctor,
    replay,
    schema,
    emit_spans,
    slurm_attributes,
    vendor_fallbacks,
    completion,
)
