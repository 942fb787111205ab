# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Metric groups: declared once by their owner, known to the whole process by name."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.instruments.problems import forget_problems

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.instruments.metric_spec import MetricSpec

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
        allow_override: Replace an earlier declaration; its instruments are made anew.

    Raises:
        ValueError: Empty group name, no specs, a key given twice, or a group that is declared
            already while `allow_override` is false.
    """
    declared = tuple(specs)
    _check(group, declared)
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


def _check(group: str, specs: tuple[MetricSpec, ...]) -> None:
    if not group:
        raise ValueError("A metric group's name must be a non-empty string.")
    if not specs:
        raise ValueError(f"Metric group {group!r} needs at least one MetricSpec.")
    keys = [spec.key for spec in specs]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise ValueError(f"Duplicate metric key in group {group!r}: {', '.join(twice)}.")


def _publish(groups: dict[str, tuple[MetricSpec, ...]]) -> None:
    global _groups
    _groups = groups


@run_in_forked_child
def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()
