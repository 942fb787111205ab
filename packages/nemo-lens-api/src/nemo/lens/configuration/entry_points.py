# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Names of installed parts: OpenTelemetry finds propagators, providers and others by entry points."""

from __future__ import annotations

from typing import Any, Final

from nemo.lens.configuration.value_types import Text

NONE: Final = "none"
"""What switches off where it is known; in any case, unlike the names of entry points."""


class EntryPoints(Text):
    """The name of an entry point of one group, or a comma list of them.

    Args:
        group: The group.
        known: Names that are good without a look at what is installed, which takes time.
        several: Whether it is a list.
        keeps_rest: Whether a list goes on without the names that are bad; the whole list is
            refused otherwise.
    """

    fault = "Unknown entry point"

    def __init__(
        self, group: str, *known: str, several: bool = False, keeps_rest: bool = False
    ) -> None:
        names = "a comma list of" if several else "the name of an installed"
        entry_points = "entry points" if several else "entry point"
        also = "".join(f"'{name}', " for name in known)
        super().__init__(f"{also}{'or ' if also else ''}{names} {entry_points} of '{group}'")
        self._group = group
        self._known = frozenset(known)
        self._several = several
        self._keeps_rest = keeps_rest

    def parse(self, text: str) -> str:
        """Give the names without blanks around them and without empty ones."""
        names = self._names(text)
        if not names or not all(map(self._is_good, names)):
            raise ValueError(text)
        return ",".join(names)

    def remains(self, text: str) -> str:
        """Give the good names of a list that goes on without the others."""
        return ",".join(filter(self._is_good, self._names(text))) if self._keeps_rest else ""

    def load(self, name: str) -> Any:
        """Give what the entry point stands for.

        Raises:
            LookupError: Nothing that is installed has an entry point of this name.
            Exception: Whatever the import of the module of the entry point raises.
        """
        from importlib.metadata import entry_points

        for entry_point in entry_points(group=self._group, name=name):
            return entry_point.load()
        raise LookupError(name)

    def _names(self, text: str) -> list[str]:
        parts = text.split(",") if self._several else [text]
        names = [part.strip() for part in parts if part.strip()]
        return [NONE if name.lower() == NONE in self._known else name for name in names]

    def _is_good(self, name: str) -> bool:
        if name in self._known:
            return True
        try:
            self.load(name)
        except Exception:
            return False
        return True
