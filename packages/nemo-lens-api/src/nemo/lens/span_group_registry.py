# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where everything that libraries have registered is kept, and who is told when it changes.

It knows neither the gate, which follows it, nor the vocabularies, which register with it. What
libraries call is `SpanRegistry` in `nemo.lens.groups`.
"""

from __future__ import annotations

from threading import RLock

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.registered_groups import Namespace, RegisteredGroups
from nemo.lens.span_group_spec import is_text, listed, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Writers take the lock to replace the picture; readers take the picture and need none. The lock is
# re-entrant because a signal handler may register in the middle of a registration.
_lock = RLock()
_registered = RegisteredGroups({})
_listener: Callable[[], object] | None = None


def on_change(listener: Callable[[], object]) -> None:
    """Have `listener` called after every change, outside of the lock; replaces an earlier one."""
    global _listener
    _listener = listener


def announce() -> None:
    """Call the listener: something has changed."""
    if _listener is not None:
        _listener()


def snapshot() -> RegisteredGroups:
    """Return the immutable picture of everything registered now."""
    return _registered


def restore(registered: RegisteredGroups) -> None:
    """Put back a picture taken with `snapshot`."""
    global _registered
    with _lock:
        _registered = registered
    announce()


def commit(namespace: str, entry: Namespace, *, allow_override: bool) -> dict[str, frozenset[str]]:
    """Register a namespace; the caller warns of what is returned, then calls `announce`.

    Returns:
        The names that other namespaces claim as their own too, by namespace.

    Raises:
        ValueError: The namespace is registered already and `allow_override` is false.
    """
    global _registered
    with _lock:
        if namespace in _registered and not allow_override:
            raise ValueError(
                f"Span-group namespace {namespace!r} is already registered; pass "
                f"allow_override=True to replace it"
            )
        collisions = _registered.collisions(namespace, entry)
        _registered = _registered.having(namespace, entry)
    return collisions


def remove(namespace: object) -> None:
    """Remove a namespace.

    Raises:
        ValueError: The namespace is not registered.
    """
    global _registered
    owner = str.__str__(namespace) if is_text(namespace) else ""
    with _lock:
        if owner not in _registered:
            raise ValueError(
                f"Span-group namespace {shown(namespace)} is not registered; registered "
                f"namespaces: {listed(_registered)}"
            )
        _registered = _registered.lacking(owner)
    announce()


def store(namespace: str, entry: Namespace) -> None:
    """Register a namespace that set-up itself brings, replacing an earlier one of that name.

    Names that another library claims as its own give a warning; the time of registration and
    members of presets do not.
    """
    warn_of_collisions(namespace, commit(namespace, entry, allow_override=True))
    announce()


def warn_of_collisions(namespace: str, collisions: Mapping[str, frozenset[str]]) -> None:
    """Say in one WARNING of `nemo.lens.groups` per other namespace what is shared with it."""
    for owner, names in collisions.items():
        warn(
            "Span-group namespace %r registered %s, which namespace %r has registered too; "
            "both share one gate, so that enabling the name enables both",
            namespace,
            listed(names),
            owner,
        )


def warn(message: str, *values: object) -> None:
    """Log a WARNING of the logger `nemo.lens.groups`, under which libraries filter."""
    import logging

    logging.getLogger("nemo.lens.groups").warning(message, *values)


@run_in_forked_child
def _replace_lock() -> None:
    global _lock
    _lock = RLock()
