# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which span groups exist: every library registers its own, in its own namespace.

Group names are one flat name space that all libraries of a process share; a namespace says who
owns a name. This module names no group itself: the base vocabulary of training jobs lives in
`nemo.lens.vocabulary`, whose `SpanGroup` is importable from here too.
"""

from __future__ import annotations

import sys

from nemo.lens.registered_groups import Namespace, RegisteredGroups
from nemo.lens.span_group_registry import (
    announce,
    commit,
    remove,
    restore,
    snapshot,
    warn,
    warn_of_collisions,
)
from nemo.lens.span_group_spec import ALL, is_text, listed, shown
from nemo.lens.vocabulary import SpanGroup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["ALL", "SpanGroup", "SpanRegistry"]


class SpanRegistry:
    """The span groups and presets of every library in this process; never instantiated.

    Libraries register at import time of their telemetry module:

        SpanRegistry.register("mylib", {"rollout", "reward"}, presets={"default": {"rollout"}})

    Presets of the same name are united over all namespaces, and only ever name groups that are
    registered now. Registration takes effect at once, also after `setup_telemetry()`.
    """

    @classmethod
    def register(
        cls,
        namespace: str,
        groups: Iterable[str],
        presets: Mapping[str, Iterable[str]] | None = None,
        *,
        allow_override: bool = False,
    ) -> None:
        """Register the span groups of one library.

        A name that another namespace has registered too, a preset member that nobody has
        registered yet, and a registration after an enabled `setup_telemetry()` are no errors; each
        gives one WARNING of the logger `nemo.lens.groups`.

        Args:
            namespace: Who owns the groups, usually the library's import name. Used as it is.
            groups: Names of span groups; stripped and put into lower case. May be empty.
            presets: Members by preset name. A member may belong to another namespace, and may be
                registered later.
            allow_override: Replace an earlier registration of `namespace` as a whole, presets
                included, and do not warn about names that other namespaces have too.

        Raises:
            ValueError: The namespace is empty or already registered, a group name is empty, or a
                group or preset is called `all`.
            TypeError: `groups` or the members of a preset are a single text or no iterable of
                text, or `presets` is no mapping.
        """
        owner = _checked_namespace(namespace)
        entry = Namespace.checked(owner, groups, presets)
        collisions = commit(owner, entry, allow_override=allow_override)
        if not allow_override:
            warn_of_collisions(owner, collisions)
        _warn_of_deferred_members(owner, entry)
        _warn_if_after_setup(owner)
        announce()

    @classmethod
    def unregister(cls, namespace: str) -> None:
        """Remove one namespace; a group that another namespace has too stays.

        Raises:
            ValueError: The namespace is not registered.
        """
        remove(namespace)

    @classmethod
    def clear(cls) -> None:
        """Remove every namespace. Meant for tests."""
        restore(RegisteredGroups({}))

    @classmethod
    def groups(cls) -> frozenset[str]:
        """Return every registered group."""
        return snapshot().groups

    @classmethod
    def namespaces(cls) -> list[str]:
        """Return the registered namespaces, sorted."""
        return list(snapshot())

    @classmethod
    def presets(cls) -> dict[str, frozenset[str]]:
        """Return the groups of every preset, `all` included, as of now."""
        return dict(snapshot().presets)

    @classmethod
    def resolve(cls, spec: str) -> tuple[frozenset[str], frozenset[str]]:
        """Resolve a spec such as `"default,layer"` or `"all,-optimizer"`; never raises.

        Args:
            spec: Comma-separated names of presets and groups, in any case; `-name` excludes.

        Returns:
            The groups that the spec selects, and its parts that name nothing registered (yet).
        """
        return snapshot().select(spec)


def _warn_of_deferred_members(namespace: str, entry: Namespace) -> None:
    others = snapshot().lacking(namespace).groups
    for preset, members in entry.deferred(others).items():
        warn(
            "Preset %r of span-group namespace %r names %s, which nobody has registered yet; "
            "they join the preset when they are registered",
            preset,
            namespace,
            listed(members),
        )


def _warn_if_after_setup(namespace: str) -> None:
    handle = sys.modules.get("nemo.lens.handle")
    if handle is not None and vars(handle).get("_INITIALIZED", False):
        warn(
            "Span-group namespace %r was registered after setup_telemetry(); its groups were not "
            "selectable until now. Import the library before telemetry is set up",
            namespace,
        )


def _checked_namespace(namespace: object) -> str:
    if not is_text(namespace) or not str.__str__(namespace):
        raise ValueError(f"Namespace must be a non-empty string, got {shown(namespace)}")
    return str.__str__(namespace)
