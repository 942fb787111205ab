# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Ids that seeds cannot repeat."""

from __future__ import annotations

import os
import random

from nemo.lens.sdk.ids import RandomIds, SharedTraceIds, reseed_all


def test_the_global_random_stream_neither_decides_ids_nor_notices_them():
    """Seeding does not repeat ids, and drawing ids does not move the stream."""
    random.seed(1)
    expected = random.random()
    random.seed(1)
    first = RandomIds().generate_trace_id()
    assert random.random() == expected
    random.seed(1)
    assert RandomIds().generate_trace_id() != first


def test_a_forked_child_draws_other_ids():
    """A child inherits the state of the generator and must not use it."""
    generator = RandomIds()
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        reseed_all()
        os.write(write_end, str(generator.generate_trace_id()).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert int(os.read(read_end, 100)) != generator.generate_trace_id()
    os.close(read_end)
    os.close(write_end)


def test_all_processes_of_a_run_derive_one_trace_id():
    """The trace id follows from the run id alone; span ids stay random."""
    first, second = SharedTraceIds("run-1"), SharedTraceIds("run-1")
    assert first.generate_trace_id() == second.generate_trace_id() != 0
    assert first.generate_trace_id() != SharedTraceIds("run-2").generate_trace_id()
    assert first.generate_span_id() != second.generate_span_id()
    assert not first.is_trace_id_random()
    assert RandomIds().is_trace_id_random()
