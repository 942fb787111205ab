# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A lock that was held at a fork holds nobody up."""

from __future__ import annotations

import threading

import pytest

from nemo.lens.sdk.inherited_locks import renew_locks


@pytest.mark.parametrize("make", [threading.Lock, threading.RLock])
def test_a_held_lock_is_replaced_by_one_of_its_kind_and_the_rest_stays(make):
    """A re-entrant lock stays re-entrant."""

    class Owner:
        def __init__(self):
            self.lock = make()
            self.other = [1]

    owner = Owner()
    held, other = owner.lock, owner.other
    thread = threading.Thread(target=held.acquire)
    thread.start()
    thread.join()
    renew_locks(owner)
    assert owner.lock is not held
    assert type(owner.lock) is type(held)
    assert owner.lock.acquire(blocking=False)
    assert owner.other is other
