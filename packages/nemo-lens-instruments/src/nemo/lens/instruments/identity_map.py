# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Something remembered about objects of others, by what they are and as long as they live.

A `WeakKeyDictionary` asks its keys for their hash and for equality. A meter is an object of
anybody's, which may have neither, or claim to equal every other one.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class WeakIdentityMap(Generic[Value]):
    """Values by the identity of their keys, which are not kept alive."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], Value]] = {}

    def get(self, key: object) -> Value | None:
        """Return the value of `key`, None without one."""
        entry = self._entries.get(id(key))
        return entry[1] if entry is not None and entry[0]() is key else None

    def set(self, key: object, value: Value) -> None:
        """Remember `value` until `key` is gone.

        Raises:
            TypeError: `key` cannot be referenced weakly, as None and numbers cannot.
        """
        place = id(key)
        self._entries[place] = (weakref.ref(key, functools.partial(self._forget, place)), value)

    def _forget(self, place: int, reference: weakref.ref[Any]) -> None:
        entry = self._entries.get(place)
        if entry is not None and entry[0] is reference:
            self._entries.pop(place, None)
