# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Fast spans export exactly what the plain factory over the stock SDK does."""

from __future__ import annotations

import pytest
from harness import fast_spans_of, observed
from programs import PROGRAMS

_FOR_THE_PIPELINE = [
    name
    for name, program in PROGRAMS.items()
    if not program.processors() and "processor" not in name
]


def _compare(name, *, pipeline):
    program = PROGRAMS[name]
    expected = observed(program, fast=False, pipeline=pipeline)
    actual = observed(program, fast=True, pipeline=pipeline)
    assert actual.told == expected.told
    assert fast_spans_of(expected.spans) == []
    assert bool(fast_spans_of(actual.spans)) is program.is_fast


@pytest.mark.parametrize("name", PROGRAMS)
def test_processors_are_told_the_same(nemo_lens_isolated, name):
    """A program gives every processor the same spans, in the same order, at the same moments."""
    _compare(name, pipeline=False)


@pytest.mark.parametrize("name", _FOR_THE_PIPELINE)
def test_the_export_queue_gets_the_same(nemo_lens_isolated, name):
    """A program queues the same spans for export, past the processor's own methods."""
    _compare(name, pipeline=True)


def test_there_are_programs_enough():
    """The suite is not thinned out by accident."""
    assert len(PROGRAMS) >= 60
