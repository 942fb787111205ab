# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The check for work in the arguments of gated calls finds work and nothing else."""

import check_gated_arguments
import pytest
from hypothesis import given
from hypothesis import strategies as st

WORK = [
    'f"step {i}"',
    '"step {}".format(i)',
    '"step %d" % i',
    '"step " + name',
    "str(i)",
    "time.time()",
    "[x for x in xs]",
    "{x for x in xs}",
    "{x: 1 for x in xs}",
    "(x for x in xs)",
    "{'loss': loss.item()}",
    "[1, [f(x)]]",
    "x if ready() else y",
]
NO_WORK = [
    "i",
    "self.step",
    "'text'",
    "-1",
    "i + 1",
    "row[0]",
    "{'loss': loss}",
    "(a, b)",
    "lambda: {'loss': loss.item()}",
    "a if ready else b",
]


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize(
    "call",
    [
        "managed_span(GROUP, 'train.step', value={})",
        "lens.managed_span(GROUP, 'train.step', **{})",
        "managed_span(GROUP, {})",
        "is_span_group_enabled({})",
        "managed_span(GROUP, 'x', _span=SpanOptions(attributes={}))",
    ],
)
def test_work_is_found_with_its_line(call, work):
    """Work of any kind in any argument is one finding on its line."""
    source = f"import x\n\nwith {call.replace('{}', work)} as span:\n    pass\n"
    assert [line for line, _ in check_gated_arguments.findings(source)] == [3]


@pytest.mark.parametrize("value", NO_WORK)
def test_a_value_that_exists_already_is_fine(value):
    """Names, constants, displays of them and callables cost nothing worth a gate."""
    source = f"with managed_span(GROUP, 'train.step', value={value}) as span:\n    pass\n"
    assert check_gated_arguments.findings(source) == []


@pytest.mark.parametrize("work", WORK)
def test_work_in_other_calls_is_not_our_business(work):
    """Only gated calls are looked at."""
    assert check_gated_arguments.findings(f"print({work})") == []


def test_a_marked_counterexample_is_left_alone():
    """Documentation may show what not to do."""
    source = '# wrong: built with telemetry off too\nmanaged_span(G, "x", label=f"{i}")\n'
    assert check_gated_arguments.findings(source) == []
    assert check_gated_arguments.findings("\n" * 5 + source.split("\n", 1)[1])


@given(st.lists(st.sampled_from(WORK), max_size=4))
def test_each_argument_is_judged_on_its_own(works):
    """As many findings as arguments with work."""
    arguments = "".join(f", a{number}={work}" for number, work in enumerate(works))
    found = check_gated_arguments.findings(f"managed_span(GROUP, 'x'{arguments})")
    assert len(found) == len(works)


def test_python_blocks_of_a_page_are_found_with_their_place():
    """Indented blocks too; other languages are left out."""
    page = "# Page\n\n```python\na = 1\n```\n\n- item\n\n  ```python\n  b = 2\n  ```\n\n```bash\nls\n```\n"
    assert list(check_gated_arguments.code_blocks(page)) == [(3, "a = 1\n"), (9, "b = 2\n")]
