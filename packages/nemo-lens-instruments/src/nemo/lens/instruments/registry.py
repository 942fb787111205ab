# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metric groups: declared once by their owner, known to the whole process by name."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.instruments.metric_spec import MetricSpec
from nemo.lens.instruments.problems import forget_problems
from nemo.lens.spans.text import real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable

# Held while the table is replaced, never while recording: readers take the table as it is.
_lock = threading.RLock()
_groups: dict[str, tuple[MetricSpec, ...]] = {}


def register_metric_group(
    group: str, specs: Iterable[MetricSpec], *, allow_override: bool = False
) -> None:
    """Declare the metrics of `group`.

    Args:
        group: The name that recording calls use.
        specs: The metrics, at least one, with distinct keys.
        allow_override: Replace an earlier declaration. Instruments are made for what is new, and
            observable metrics report through the new callbacks, or no longer when they are left
            out. OpenTelemetry keeps the bucket bounds that a histogram was made with; recording
            then warns.

    Raises:
        ValueError: A group name that is no text or empty, specs that are none, no specs, a key
            given twice, or a group that is declared already while `allow_override` is false.
    """
    group, declared = _checked(group, specs)
    with _lock:
        if group in _groups and not allow_override:
            raise ValueError(
                f"Metric group {group!r} is already registered. Pass allow_override=True to"
                " replace it."
            )
        _publish({**_groups, group: declared})
    forget_problems(group)


def unregister_metric_group(group: str) -> None:
    """Forget `group`; callbacks of its observable metrics that are installed keep reporting.

    Raises:
        ValueError: The group is not registered.
    """
    group = plain_name(group)
    with _lock:
        if group not in _groups:
            raise ValueError(f"Metric group {group!r} is not registered.")
        _publish({name: specs for name, specs in _groups.items() if name != group})
    forget_problems(group)


def registered_metric_groups() -> dict[str, tuple[MetricSpec, ...]]:
    """Return a snapshot of all groups and their metrics."""
    return dict(_groups)


def specs_of(group: str) -> tuple[MetricSpec, ...] | None:
    """Return the metrics of `group`, the same object until it is declared anew, or None."""
    return _groups.get(group)


def plain_name(name: Any) -> str:
    """Return the text of a group's or metric's name; for what is no text, what nothing is called."""
    kind = real_type(name)
    return str.__str__(name) if issubclass(kind, str) else f"<{type_name(kind)}>"


def _checked(group: Any, specs: Iterable[Any]) -> tuple[str, tuple[MetricSpec, ...]]:
    if not issubclass(real_type(group), str) or not plain_name(group):
        raise ValueError(f"A metric group's name must be a non-empty string, got {group!r}.")
    name = plain_name(group)
    try:
        declared = tuple(specs)
    except TypeError as reason:
        raise ValueError(
            f"Metric group {name!r} needs a sequence of MetricSpec, got {specs!r}."
        ) from reason
    if not declared:
        raise ValueError(f"Metric group {name!r} needs at least one MetricSpec.")
    for spec in declared:
        if not isinstance(spec, MetricSpec):
            raise ValueError(  # noqa: TRY004 - every bad declaration is a ValueError
                f"Metric group {name!r} is made of MetricSpec, got {spec!r}."
            )
    keys = [spec.key for spec in declared]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise ValueError(f"Duplicate metric key in group {name!r}: {', '.join(twice)}.")
    return name, declared


def _publish(groups: dict[str, tuple[MetricSpec, ...]]) -> None:
    global _groups
    _groups = groups


@run_in_forked_child
def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()
