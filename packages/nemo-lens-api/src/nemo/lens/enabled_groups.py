# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What was chosen to be enabled, resolved against what was registered at one instant."""

from __future__ import annotations

from nemo.lens.registered_groups import RegisteredGroups
from nemo.lens.span_group_spec import listed, parts_of
from nemo.lens.vocabulary import BASE_DEFAULT_GROUPS


class EnabledGroups:
    """A pinned set, specs to follow, or both, and the sets that they mean now; immutable.

    Attributes:
        enabled: The groups that are on.
        between_sampled_steps: Those of them that stay on on a step that is not sampled.
        pending: The parts of the specs that name nothing registered.
    """

    __slots__ = ("_registered", "between_sampled_steps", "enabled", "pending", "pinned", "specs")

    def __init__(
        self,
        registered: RegisteredGroups,
        *,
        pinned: frozenset[str] = frozenset(),
        specs: tuple[str, ...] = (),
    ) -> None:
        self._registered = registered
        self.pinned = pinned
        self.specs = specs
        selections = [registered.select(spec) for spec in specs]
        self.enabled = pinned.union(*(enabled for enabled, _ in selections))
        self.pending = frozenset[str]().union(*(pending for _, pending in selections))
        always = registered.presets.get("default", BASE_DEFAULT_GROUPS)
        self.between_sampled_steps = self.enabled & always

    def resolved_against(self, registered: RegisteredGroups) -> EnabledGroups:
        """Return the same choice in the light of another registry."""
        return EnabledGroups(registered, pinned=self.pinned, specs=self.specs)

    @property
    def warning_key(self) -> tuple[frozenset[str], bool, bool]:
        """What there is to warn about; equal keys mean that nothing new is to be said."""
        return self.pending, not self._registered, not self.enabled

    def warn(self) -> None:
        """Say in one WARNING of `nemo.lens.state` why the specs select less than they ask for."""
        spec = "; ".join(spec for spec in self.specs if parts_of(spec))
        if not spec:
            return
        if not self._registered:
            _warn(
                "Span groups %r: no library has registered any span groups in this process, so "
                "none is recorded. Import the instrumented library, or call "
                "SpanRegistry.register()",
                spec,
            )
        elif self.pending:
            _warn(
                "Span groups %r: no library registered in this process provides %s. "
                "Registered groups: %s; presets: %s; namespaces: %s",
                spec,
                listed(self.pending),
                listed(self._registered.groups),
                listed(self._registered.presets),
                listed(self._registered),
            )
        elif not self.enabled:
            _warn(
                "Span groups %r resolved to no span groups at all, so none is recorded. "
                "Name a group or a preset; `all` is everything registered",
                spec,
            )


def _warn(message: str, *values: object) -> None:
    import logging

    logging.getLogger("nemo.lens.state").warning(message, *values)


NOTHING = EnabledGroups(RegisteredGroups({}))
