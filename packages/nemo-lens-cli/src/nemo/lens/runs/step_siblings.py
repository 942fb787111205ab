# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans that lie beside the steps rather than in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nemo.lens.runs.step_records import PLANNED_GROUPS

if TYPE_CHECKING:
    from nemo.lens.runs.phases import Node


class Siblings:
    """Spans beside the steps, handed out once, in order of time."""

    def __init__(self, children: dict[str, list[Node]], parents: set[str]) -> None:
        self._children = children
        self._waiting = {parent: sorted(children.pop(parent, ())) for parent in parents}
        self._place = dict.fromkeys(parents, 0)
        self._kept: dict[str, list[Node]] = {parent: [] for parent in parents}

    def take(self, parent: str, after: int, before: int) -> list[Node]:
        """The siblings that lie wholly between two steps, planned work left out."""
        nodes, place = self._waiting[parent], self._place[parent]
        taken: list[Node] = []
        while place < len(nodes) and nodes[place].start < before:
            node = nodes[place]
            whole = after and node.start >= after and node.end <= before
            fits = whole and node.kind.phase.label not in PLANNED_GROUPS
            (taken if fits else self._kept[parent]).append(node)
            place += 1
        self._place[parent] = place
        return taken

    def give_back(self) -> None:
        """Put the siblings that no step took back among the children."""
        for parent, nodes in self._waiting.items():
            rest = self._kept[parent] + nodes[self._place[parent] :]
            if rest:
                self._children[parent] = rest
