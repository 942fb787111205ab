# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Locks that a forked child inherited, perhaps held by a thread that it does not have."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_FACTORIES: dict[type, Callable[[], Any]] = {
    type(threading.Lock()): threading.Lock,
    type(threading.RLock()): threading.RLock,
}


def renew_locks(owner: object) -> None:
    """Put a lock that nobody holds in the place of each that is an attribute of `owner`."""
    attributes = vars(owner)
    for name, value in list(attributes.items()):
        make = _FACTORIES.get(type(value))
        if make is not None:
            attributes[name] = make()
