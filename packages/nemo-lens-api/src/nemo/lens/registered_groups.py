# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""An immutable picture of everything that libraries have registered at one instant.

`SpanRegistry` replaces the picture as a whole, so that whoever holds one can answer several
questions that never contradict each other, without a lock.
"""

from __future__ import annotations

from nemo.lens.span_group_spec import ALL, is_text, normalised, parts_of, select, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Namespace:
    """The groups and presets of one library.

    Attributes:
        groups: All its groups.
        presets: Members by preset name; they need not be registered.
        own: Those of the groups that it does not mean to share. The base vocabulary, and what a
            class inherits from another one, is for sharing.
    """

    __slots__ = ("groups", "own", "presets")

    def __init__(
        self,
        groups: frozenset[str],
        presets: Mapping[str, frozenset[str]],
        shared: frozenset[str] = frozenset(),
    ) -> None:
        self.groups = groups
        self.presets = presets
        self.own = groups - shared

    @classmethod
    def checked(cls, namespace: str, groups: object, presets: object) -> Namespace:
        """Normalise and check what a library wants to register.

        Raises:
            ValueError: A group name is empty, or a group or preset is called `all`.
            TypeError: `groups`, `presets` or the members of a preset have the wrong type.
        """
        names = _names(groups, f"groups of namespace {namespace!r}")
        if "" in names:
            raise ValueError(
                f"Namespace {namespace!r} registered an empty group name: give every group a name"
            )
        if ALL in names:
            raise ValueError(_reserved(namespace, "group"))
        return cls(names, dict(_checked_presets(namespace, presets)))

    def deferred(self, known: frozenset[str]) -> dict[str, frozenset[str]]:
        """Return, per preset, the members that are neither this namespace's own nor `known`."""
        unknown = {name: members - self.groups - known for name, members in self.presets.items()}
        return {name: members for name, members in unknown.items() if members}


class RegisteredGroups:
    """Every namespace with its groups and presets; never changed once made."""

    __slots__ = ("_namespaces", "groups", "presets")

    def __init__(self, namespaces: Mapping[str, Namespace]) -> None:
        self._namespaces = dict(namespaces)
        self.groups: frozenset[str] = frozenset().union(
            *(entry.groups for entry in self._namespaces.values())
        )
        self.presets = self._united_presets()

    def __bool__(self) -> bool:
        return bool(self._namespaces)

    def __contains__(self, namespace: str) -> bool:
        return namespace in self._namespaces

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._namespaces))

    def having(self, namespace: str, entry: Namespace) -> RegisteredGroups:
        """Return a picture in which `namespace` is `entry`, replacing what it was before."""
        return RegisteredGroups({**self._namespaces, namespace: entry})

    def lacking(self, namespace: str) -> RegisteredGroups:
        """Return a picture without `namespace`."""
        return RegisteredGroups(
            {name: entry for name, entry in self._namespaces.items() if name != namespace}
        )

    def collisions(self, namespace: str, entry: Namespace) -> dict[str, frozenset[str]]:
        """Return, per other namespace, the names that it and `entry` both claim as their own."""
        both = {
            name: other.own & entry.own
            for name, other in sorted(self._namespaces.items())
            if name != namespace
        }
        return {name: names for name, names in both.items() if names}

    def select(self, spec: object) -> tuple[frozenset[str], frozenset[str]]:
        """Resolve one spec leniently: unknown names are pending, nothing raises."""
        return select(parts_of(spec), self.presets, self.groups)

    def _united_presets(self) -> dict[str, frozenset[str]]:
        # Members are kept raw and cut to the groups registered now: a preset may name a group
        # whose owner comes later, and starts to include it then.
        united: dict[str, frozenset[str]] = {}
        for entry in self._namespaces.values():
            for name, members in entry.presets.items():
                united[name] = united.get(name, frozenset()) | (members & self.groups)
        united[ALL] = self.groups
        return united


def elements_of(values: object) -> tuple[object, ...]:
    """Return what `values` holds.

    Raises:
        TypeError: It is a single text, or cannot be iterated.
        Exception: Whatever the caller's own iterable raises.
    """
    if is_text(values):
        raise TypeError("a single text is no collection of names")
    return tuple(values)  # type: ignore[arg-type]


def items_of(mapping: object) -> tuple[tuple[object, object], ...]:
    """Return the items of a mapping.

    Raises:
        Exception: Whatever an object that is no mapping raises.
    """
    return tuple(mapping.items())  # type: ignore[attr-defined]


def _checked_presets(namespace: str, presets: object) -> Iterator[tuple[str, frozenset[str]]]:
    for name, members in _items(namespace, presets):
        if not is_text(name):
            raise TypeError(
                f"presets of namespace {namespace!r} must have text as keys, got {shown(name)}"
            )
        preset = normalised(name)
        if preset == ALL:
            raise ValueError(_reserved(namespace, "preset"))
        yield preset, _names(members, f"members of preset {preset!r} in namespace {namespace!r}")


def _items(namespace: str, presets: object) -> tuple[tuple[object, object], ...]:
    if presets is None:
        return ()
    try:
        return items_of(presets)
    except Exception as error:  # a caller's mapping may fail in any way
        raise TypeError(
            f"presets of namespace {namespace!r} must be a mapping from a preset's name to its "
            f"groups, got {shown(presets)}"
        ) from error


def _names(values: object, what: str) -> frozenset[str]:
    try:
        names = elements_of(values)
    except Exception as error:  # a caller's iterable may fail in any way
        raise TypeError(f"{what} must be a collection of names, got {shown(values)}") from error
    return frozenset(_checked_name(name, what) for name in names)


def _checked_name(name: object, what: str) -> str:
    if not is_text(name):
        raise TypeError(f"{what} must be text, got {shown(name)}")
    return normalised(name)


def _reserved(namespace: str, kind: str) -> str:
    return (
        f"Namespace {namespace!r} registered the {kind} {ALL!r}, which is reserved: it always "
        f"means every registered group. Choose another name"
    )
