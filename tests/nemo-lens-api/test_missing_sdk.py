# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A missing sdk and a broken one are told apart."""

from __future__ import annotations

import pytest

from nemo.lens.missing_sdk import needing_sdk


@pytest.mark.parametrize(
    "name", ["nemo.lens.sdk", "nemo.lens.sdk.runtime", "nemo.lens.strategies", "opentelemetry.sdk"]
)
def test_a_missing_part_of_the_sdk_says_who_needs_it_and_what_to_install(name):
    """The import system's own error is kept as the cause."""
    missing = ModuleNotFoundError(f"No module named {name!r}", name=name)
    told = pytest.raises(ImportError, match=r"^build_providers needs .*nemo-lens-sdk")
    with told as raised, needing_sdk("build_providers"):
        raise missing
    assert raised.value.__cause__ is missing


@pytest.mark.parametrize(
    "error",
    [ModuleNotFoundError("No module named 'grpc'", name="grpc"), ImportError("cyclic"), OSError()],
)
def test_any_other_error_is_raised_as_it_is(error):
    """What is broken is not reported as missing."""
    with pytest.raises(type(error)) as raised, needing_sdk("build_providers"):
        raise error
    assert raised.value is error
