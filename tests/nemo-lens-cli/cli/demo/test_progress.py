# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How a training is followed."""

from __future__ import annotations

import io

import pytest

from nemo.lens.cli.demo.messages import Evaluated, Progress
from nemo.lens.cli.demo.progress import progress


@pytest.mark.parametrize(("steps", "most"), [(1, 1), (7, 7), (60, 10), (1005, 12)])
def test_a_pipe_gets_about_ten_lines_whatever_the_length(steps, most):
    """Every line is whole, and the last step is always among them."""
    stream = io.StringIO()

    with progress(stream, steps) as listener:
        for step in range(1, steps + 1):
            listener(Progress(step, 1 / step))

    lines = stream.getvalue().splitlines()
    assert 1 <= len(lines) <= most
    assert lines[-1] == f"step {steps} of {steps}, loss {1 / steps:.4f}"


def test_measurements_are_told():
    """Accuracy is printed as it was counted."""
    stream = io.StringIO()

    with progress(stream, 60) as listener:
        listener(Evaluated(20, 67, 69))

    assert stream.getvalue() == "after step 20: 67 of 69 held-out examples predicted correctly\n"
