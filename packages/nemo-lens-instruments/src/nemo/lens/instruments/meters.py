# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The instrument sets of each meter, made on first use and bound to it as long as it lives."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.instruments.collection import Collection
from nemo.lens.instruments.identity_map import WeakIdentityMap
from nemo.lens.instruments.instrument_set import InstrumentSet
from nemo.lens.instruments.observing import is_collecting
from nemo.lens.instruments.problems import warn_once
from nemo.lens.instruments.registry import specs_of
from nemo.lens.instruments.stand_ins import installed_provider, stands_in
from nemo.lens.spans.text import type_name

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

# Held while instruments are made, never while recording.
_lock = threading.RLock()
_LONGEST_WAIT_S = 5.0


class _Place(NamedTuple):
    """Where a meter leads, and which global provider it followed there; None if it follows none."""

    collection: Collection
    provider: Any

    @property
    def is_outdated(self) -> bool:
        if self.provider is None:
            return False
        installed = installed_provider()
        return installed is not self.provider and not stands_in(installed)


_places: WeakIdentityMap[_Place] = WeakIdentityMap()


def instrument_set(meter: Meter, group: str, caller: str) -> InstrumentSet | None:
    """Return the instruments of `group` on `meter`, made anew after a new declaration.

    Args:
        meter: The meter; None and foreign ones are told once.
        group: The metric group, as `plain_name` gives it.
        caller: The function that asks, for the message about an unregistered group.

    Returns:
        None when the group is not registered or nothing can be recorded with this meter.
    """
    specs = specs_of(group)
    if specs is None:
        warn_once(
            ("group", group),
            "%s was called for the unregistered group %r; its values are dropped. Call"
            " register_metric_group first.",
            caller,
            group,
        )
        return None
    place = _places.get(meter)
    if place is not None:
        known = place.collection.sets.get(group)
        if known is not None and known.specs is specs and not place.is_outdated:
            return known
    return _made(meter, group)


def _made(meter: Meter, group: str) -> InstrumentSet | None:
    # A reader that collects holds a lock of OpenTelemetry's, which making instruments needs.
    if is_collecting():
        warn_once(
            ("callback use", group),
            "Metrics of group %r were first used in the callback of an observable metric, where no"
            " instrument can be made; their values are dropped. Call create_metric_instruments"
            " before.",
            group,
        )
        return None
    if not _lock.acquire(timeout=_LONGEST_WAIT_S):
        warn_once(
            ("busy", group),
            "Instruments of metric group %r could not be made in %.0f s, because others are being"
            " made: a reader that collects holds them up. The values of this call are dropped.",
            group,
            _LONGEST_WAIT_S,
        )
        return None
    try:
        collection = _current_collection(meter)
        if collection is None:
            return None
        collection.maker.use(meter)
        return _current_set(collection, group)
    finally:
        _lock.release()


def _current_collection(meter: Meter) -> Collection | None:
    place = _places.get(meter)
    if place is not None and not place.is_outdated:
        return place.collection
    try:
        provider = installed_provider() if stands_in(meter) else None
        place = _Place(Collection.of(meter), provider)
        _places.set(meter, place)
    except TypeError:  # None, or an object that cannot be referenced weakly
        warn_once(
            ("meter", type_name(type(meter))),
            "Failed to resolve instruments: a meter is needed, got %s. What is recorded with it is"
            " dropped. Pass the meter of the handle, handle.meter.",
            type_name(type(meter)),
        )
        return None
    return place.collection


def _current_set(collection: Collection, group: str) -> InstrumentSet | None:
    specs = specs_of(group)
    if specs is None:
        return None
    known = collection.sets.get(group)
    if known is not None:
        if known.specs is specs:
            return known
        known.apply_pending(wait_s=1.0)
    made = collection.sets[group] = InstrumentSet(collection, group, specs)
    return made


@run_in_forked_child
def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()
