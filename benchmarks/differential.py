# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G15: the gate of all other rows: programs whose exported data differ from the stock SDK's."""

from __future__ import annotations

import re
import subprocess
import sys

from benchmarks.children import clean_environment
from benchmarks.rows import Measurement, NotMeasurableError, Row

_SUITE = "tests/nemo-lens-sdk/fast_spans/test_differential.py"


def _differing() -> Measurement:
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", _SUITE],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    last = (result.stdout.strip() or "no output").splitlines()[-1]
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", last)}
    if "passed" not in counts:
        raise NotMeasurableError(last)
    wrong = sum(counts.get(word, 0) for word in ("failed", "error", "errors"))
    return Measurement(float(wrong), {"compared": str(counts["passed"] + wrong)})


ROWS = (Row("G15", "comparisons with the stock SDK that differ", 0.0, _differing),)
