# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which span belongs to which bucket, and how a consumer changes that."""

from __future__ import annotations

import json

import pytest

from nemo.lens.runs import BucketTable, Process, Span
from nemo.lens.runs.bucket_table import Classifier
from nemo.lens.vocabulary import SpanGroup


def span(name="x.work", group=None, **attributes):
    pairs = [{"key": key, "value": value} for key, value in attributes.items()]
    return Span(name, group, "a", "", 0, 1, Process(), {"attributes": pairs})


def text(value):
    return {"stringValue": value}


def flag(value):
    return {"boolValue": value}


def bucket_of(each, table=None):
    return Classifier(table or BucketTable.default()).bucket(each)


@pytest.mark.parametrize(
    ("each", "bucket"),
    [
        (span(group="forward_backward"), "productive"),
        (span(group="communication"), "idle"),
        (span(group="checkpoint"), "overhead"),
        (span(group="job"), None),
        (span(group="of_a_consumer"), None),
        (span("demo.train_step"), "productive"),
        (span("demo.model_init.broadcast"), "idle"),
        (span("demo.train_step", group="of_a_consumer"), None),
        (span("slurm.phase.queued"), "idle"),
        (span(group="optimizer", **{"nemo.wait": flag(True)}), "idle"),
        (span(group="optimizer", **{"nemo.wait": flag(False)}), "productive"),
        (span(group="checkpoint", is_goodput_span=flag(True)), "productive"),
        (span(group="step", is_goodput_span=text("False")), "overhead"),
        (span(group="step", **{"rl.bucket": text("Idle"), "is_goodput_span": flag(True)}), "idle"),
        (span(group="step", **{"rl.bucket": text("refit")}), "productive"),
    ],
)
def test_attributes_come_before_names_and_groups(each, bucket):
    """The first that applies decides; what nothing applies to has no bucket."""
    assert bucket_of(each) == bucket


def test_every_shared_group_but_the_job_has_a_bucket():
    """The job is what lies around; its own time is not attributed to anything."""
    without = {group for group in SpanGroup.ALL_GROUPS if bucket_of(span(group=group)) is None}
    assert without == {"job"}


def test_a_value_that_the_table_lacks_is_counted():
    """One line with the attribute, the value, and what to do."""
    classifier = Classifier(BucketTable.default())
    for _time in range(3):
        classifier.bucket(span(group="step", **{"rl.bucket": text("refit")}))
        classifier.bucket(span(group="step", **{"nemo.wait": flag(False)}))
    [line] = classifier.problems()
    assert "rl.bucket='refit' on 3 spans" in line


def test_a_file_overrides_entry_by_entry(tmp_path):
    """New groups, changed ones, removed ones, own attributes before the shipped ones."""
    file = tmp_path / "buckets.json"
    file.write_text(
        json.dumps(
            {
                "schema": 1,
                "groups": {"rollout": "productive", "evaluate": "productive", "step": None},
                "attributes": {"rl.bucket": {"refit": "overhead"}, "mine": {"Paused": "idle"}},
            }
        )
    )
    table = BucketTable.from_file(file)
    assert bucket_of(span(group="rollout"), table) == "productive"
    assert bucket_of(span(group="evaluate"), table) == "productive"
    assert bucket_of(span(group="step"), table) is None
    assert bucket_of(span(group="optimizer"), table) == "productive"
    assert bucket_of(span(**{"rl.bucket": text("refit")}), table) == "overhead"
    both = {"mine": text("paused"), "is_goodput_span": flag(True)}
    assert bucket_of(span(**both), table) == "idle"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file"),
        ("{", "is no JSON"),
        ("[]", "expected an object, got '[]'"),
        ('{"schema": 2}', "schema 2 is not the schema 1"),
        ('{"group": {}}', "unknown section 'group'; a bucket table has attributes, names, groups"),
        ('{"groups": ["step"]}', "groups: expected an object"),
        (
            '{"groups": {"step": "good"}}',
            "groups.step: 'good' is no bucket; accepted are productive",
        ),
        ('{"attributes": {"a": {"b": 1}}}', "attributes.a.b: '1' is no bucket"),
    ],
)
def test_a_wrong_table_is_refused_with_one_line(tmp_path, content, message):
    """The file, the entry, the value got, and what is accepted."""
    file = tmp_path / "buckets.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ValueError, match=r"buckets\.json") as raised:
        BucketTable.from_file(file)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("garbage", [None, 3, "x", [None, 3, {"key": 4}], {"key": "rl.bucket"}])
def test_attributes_of_a_wrong_shape_are_passed_over(garbage):
    """Nothing in a file is trusted."""
    each = Span("x", "step", "a", "", 0, 1, Process(), {"attributes": garbage})
    assert bucket_of(each) == "productive"
