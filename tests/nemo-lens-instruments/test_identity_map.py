# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Values are remembered by what their keys are, as long as these live."""

import gc
import weakref

import pytest

from nemo.lens.instruments.identity_map import WeakIdentityMap


class Equal:
    """Equals every other one and has no hash."""

    def __eq__(self, other):
        return True

    __hash__ = None


def test_keys_are_told_apart_by_what_they_are():
    """What they say about themselves does not matter."""
    first, second = Equal(), Equal()
    known = WeakIdentityMap()
    known.set(first, 1)
    assert known.get(second) is None
    known.set(second, 2)
    known.set(first, 4)
    assert (known.get(first), known.get(second)) == (4, 2)


def test_keys_are_not_kept_alive_and_their_values_go_with_them():
    """Also when others take their place in memory."""
    known = WeakIdentityMap()
    for _ in range(1000):
        key, value = Equal(), Equal()
        assert known.get(key) is None
        known.set(key, value)
    alive = weakref.ref(key), weakref.ref(value)
    del key, value
    gc.collect()
    assert [reference() for reference in alive] == [None, None]


@pytest.mark.parametrize("key", [None, 5, "text", object()])
def test_what_cannot_be_referenced_weakly_is_never_known(key):
    """Asking is harmless, remembering is refused."""
    known = WeakIdentityMap()
    assert known.get(key) is None
    with pytest.raises(TypeError, match="weak reference"):
        known.set(key, 1)
