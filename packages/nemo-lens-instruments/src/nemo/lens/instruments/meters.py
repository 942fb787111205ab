# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The instrument sets of each meter, made on first use and bound to it as long as it lives."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.instruments.collection import Collection
from nemo.lens.instruments.instrument_set import InstrumentSet
from nemo.lens.instruments.problems import warn_once
from nemo.lens.instruments.registry import specs_of

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

# Held while instruments are made, never while recording.
_lock = threading.RLock()
_collections: weakref.WeakKeyDictionary[Meter, Collection] = weakref.WeakKeyDictionary()


def instrument_set(meter: Meter, group: str, caller: str) -> InstrumentSet | None:
    """Return the instruments of `group` on `meter`, made anew after a new declaration.

    Args:
        meter: The meter; None and foreign ones are told once.
        group: The metric group.
        caller: The function that asks, for the message about an unregistered group.

    Returns:
        None when the group is not registered or nothing can be recorded with this meter.
    """
    try:
        specs = specs_of(group)
    except TypeError:  # not even hashable
        specs, group = None, f"of type {type(group).__name__}"
    if specs is None:
        warn_once(
            ("group", group),
            "%s was called for the unregistered group %r; its values are dropped. Call"
            " register_metric_group first.",
            caller,
            group,
        )
        return None
    try:
        collection = _collections.get(meter)
    except TypeError:  # None, or an object that cannot be referenced weakly
        warn_once(
            ("meter", group),
            "Failed to resolve instruments of metric group %r: a meter is needed, got %s. Its"
            " values are dropped. Pass the meter of the handle, handle.meter.",
            group,
            type(meter).__name__,
        )
        return None
    if collection is not None:
        known = collection.sets.get(group)
        if known is not None and known.specs is specs:
            return known
    return _made(meter, group)


def _made(meter: Meter, group: str) -> InstrumentSet | None:
    with _lock:
        specs = specs_of(group)
        if specs is None:
            return None
        collection = _collections.get(meter)
        if collection is None:
            collection = _collections[meter] = Collection()
            collection.attach(meter)
        known = collection.sets.get(group)
        if known is not None:
            if known.specs is specs:
                return known
            known.apply_pending(wait_s=1.0)
        made = collection.sets[group] = InstrumentSet(meter, group, specs, collection)
        return made


@run_in_forked_child
def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()
    for collection in _collections.values():
        collection.after_fork()
