# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What goes with the telemetry of a process from its start to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.sdk.resources import Resource


class Companion:
    """Told of every turn in the life of a process's telemetry; by itself it does nothing.

    Attributes:
        name: What warnings call it; for an exporter, its name in a configuration.
    """

    name: str

    def open(self) -> None:
        """Begin; called once everything was built."""

    def after_fork(self, resource: Resource) -> None:
        """Begin anew in a forked child."""

    def stop(self, end: str) -> None:
        """Note at once how the process ends; open spans are closed and exported after this."""

    def finish(self, end: str, lost: Mapping[str, int]) -> None:
        """End: say how the process ended and what was lost."""

    def lost(self) -> dict[str, int]:
        """What was lost, by reason, that no queue counts."""
        return {}
