# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The check of units, descriptions, names, and of numbers that move."""

import check_instruments
import pytest

from nemo.lens.instruments import schema


def test_what_is_declared_literally_in_the_repository_passes(capsys):
    """Packages, examples and pages."""
    assert check_instruments.main() == 0, capsys.readouterr().err


@pytest.mark.parametrize("row", schema(), ids=lambda row: row["name"])
def test_every_metric_of_the_table_passes(row):
    """Those too whose declarations are put together by functions."""
    assert list(check_instruments.faults(row["name"], row["unit"], row["description"])) == []
    assert row["owner"] == "nemo-lens"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("MetricSpec('k', 'loss', 'gauge', '1', 'Loss of the step.')", "<scope>.<what>"),
        ("MetricSpec('k', 'lib.Loss', 'gauge', '1', 'Loss of the step.')", "snake_case"),
        ("MetricSpec('k', 'dl.loss', 'gauge', '1', 'Loss of the step.')", "scope of the"),
        ("MetricSpec('k', 'lib.loss', 'gauge', '', 'Loss of the step.')", "no UCUM unit"),
        ("MetricSpec('k', 'lib.t', 'gauge', 'seconds', 'Time of the step.')", "no UCUM unit"),
        ("MetricSpec('k', 'lib.t', 'gauge', 'token', 'Tokens of the step.')", "no UCUM unit"),
        ("MetricSpec('k', 'lib.loss', unit='1')", "no sentence"),
        ("MetricSpec('k', 'lib.loss', unit='1', description='the loss')", "no sentence"),
        ("meter.create_gauge('lib.loss')", "no UCUM unit"),
        ("meter.create_counter('steps', unit='{step}', description='Steps done.')", "<scope>"),
        ("managed_span('step', 'lib.step', loss=loss)", "is a number that moves"),
        ("managed_span('step', 'lib.step', **{'dl.loss': 1})", "is a number that moves"),
        ("span.set_attribute('lib.grad_norm', 1)", "is a number that moves"),
        ("span.set_attributes({'lib.loss': 1})", "is a number that moves"),
        ("tracer.start_span('lib.step', attributes={'lib.loss': 1})", "is a number that moves"),
        ("open_span('step', 'lib.step', loss=loss)", "is a number that moves"),
        ("SpanOptions(attributes={'lib.loss': 1})", "is a number that moves"),
        ("safe_set_span_attributes(span, {semconv.DL_LOSS: 1})", "is a number that moves"),
    ],
)
def test_each_fault_is_found(source, complaint):
    """With its line and what to do."""
    found = list(check_instruments.problems(f"\n{source}\n"))
    assert complaint in " ".join(text for _, text in found)
    assert {line for line, _ in found} == {2}


@pytest.mark.parametrize(
    "source",
    [
        "MetricSpec('k', 'lib.loss', 'gauge', '1', 'Loss of the last step.')",
        "MetricSpec('k', 'lib.rate', 'gauge', '{token}/s', 'Tokens for each second.')",
        "MetricSpec('k', NAME, 'gauge', '', '')",
        "meter.create_gauge('lib.size', unit='By', description='Size of the batch.')",
        "meter.create_counter('lib.steps', '{step}', 'Steps that were done.')",
        "meter.create_observable_gauge('lib.size', [read], 'By', 'Size of the batch.')",
        "managed_span('step', 'lib.step', iteration=3, lossless=True)",
        "record_metrics(meter, 'lib', loss=1)",
    ],
)
def test_what_is_right_passes(source):
    """And so does what cannot be read from the source alone."""
    assert list(check_instruments.problems(source)) == []


def test_a_fault_in_a_page_has_the_line_of_the_page(tmp_path, capsys):
    """Code blocks of Markdown are checked as well."""
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n```python\nmeter.create_gauge('lib.loss')\n```\n", encoding="utf-8")
    assert check_instruments.main([str(page)]) == 1
    assert f"{page}:4: metric 'lib.loss'" in capsys.readouterr().err
