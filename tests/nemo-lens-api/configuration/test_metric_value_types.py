# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The settings about single metrics: their grammar in variables, and their shapes in code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.config import NemoLensConfig
from nemo.lens.configuration.metric_value_types import (
    MetricAttributes,
    MetricBuckets,
    MetricPatterns,
)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("rl.rollout.duration_ms=1,10,100", (("rl.rollout.duration_ms", (1.0, 10.0, 100.0)),)),
        (" a = -1, 2.5 ,1e3 ; b=0; ", (("a", (-1.0, 2.5, 1000.0)), ("b", (0.0,)))),
        (";", ()),
    ],
)
def test_buckets_are_read_by_histogram(text, pairs):
    """Blanks, an end with a separator and every spelling of a number are fine."""
    assert MetricBuckets().parse(text) == pairs


@pytest.mark.parametrize(
    "text",
    [
        "a", "a=", "=1", "a=x", "a=1,1", "a=2,1", "a=nan", "a=inf", "a=1,,2", "a=1;a=2", "a b=1",
        "a=1_000", "a*=1", "1a=1", f"{'a' * 256}=1", "a=1=2",
    ],
)  # fmt: skip
def test_bad_buckets_name_the_variable_the_value_and_what_is_accepted(text):
    """No entry is dropped in silence."""
    with pytest.raises(ValueError, match="NEMO_LENS_METRIC_BUCKETS") as caught:
        NemoLensConfig.from_env(environ={"NEMO_LENS_METRIC_BUCKETS": text})
    assert repr(text)[:50] in str(caught.value)
    assert "'<histogram>=<bound>,<bound>'" in str(caught.value)


def test_attributes_are_read_by_metric_and_may_be_none():
    """Nothing after the `=` keeps no attribute."""
    read = MetricAttributes().parse("a=k, gen_ai.token.type;b=")
    assert read == (("a", ("k", "gen_ai.token.type")), ("b", ()))


@pytest.mark.parametrize("text", ["a", "=k", "a=k,", "a=k\0", "a=\ud800", "a=k;a=l", "a=k=l"])
def test_bad_attributes_are_refused(text):
    """With the variable and what is accepted."""
    with pytest.raises(ValueError, match=r"NEMO_LENS_METRIC_ATTRIBUTES.*'<metric>=<key>,<key>'"):
        NemoLensConfig.from_env(environ={"NEMO_LENS_METRIC_ATTRIBUTES": text})


def test_metrics_to_drop_may_be_patterns():
    """Names and patterns, as a comma list."""
    assert MetricPatterns().parse(" rl.*, gym.verify.?,* ") == ("rl.*", "gym.verify.?", "*")
    with pytest.raises(ValueError, match=r"NEMO_LENS_METRIC_DROP.*stands for any"):
        NemoLensConfig.from_env(environ={"NEMO_LENS_METRIC_DROP": "[rl]"})


@pytest.mark.parametrize(
    "value",
    [
        {"a": (1, 10)},
        {"a": [1.0, 10.0]},
        (("a", (1, 10)),),
        [["a", [1, 10]]],
    ],
)
def test_code_gives_mappings_or_pairs(value):
    """What is stored is the same, and hashable."""
    config = NemoLensConfig(metric_buckets=value)
    config.validate()
    assert config.metric_buckets == (("a", (1.0, 10.0)),)
    assert dict(config.metric_buckets) == {"a": (1.0, 10.0)}


class _Hostile:
    def __iter__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "value", ["a=1", {"a": "12"}, {"a": ()}, {"a": (True,)}, {7: (1,)}, 3, _Hostile(), {"a": b"1"}]
)
def test_other_shapes_in_code_are_named_by_the_field(value):
    """Nothing that a value does while it is looked at escapes."""
    config = NemoLensConfig(metric_buckets=value)
    with pytest.raises(ValueError, match=r"NemoLensConfig\.metric_buckets"):
        config.validate()


@given(st.text())
def test_any_text_is_read_or_refused(text):
    """A `ValueError` is the only way to refuse, and what was read renders to the same."""
    for value_type in (MetricBuckets(), MetricAttributes(), MetricPatterns()):
        try:
            value = value_type.parse(text)
        except ValueError:
            continue
        assert value_type.accepts(value)
        assert value_type.parse(value_type.render(value)) == value
