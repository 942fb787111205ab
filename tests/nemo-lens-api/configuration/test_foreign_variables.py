# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Variables that belong to others: read tolerantly, and never an error."""

from __future__ import annotations

import logging

import pytest

from nemo.lens.configuration.foreign_variables import bad_foreign_variables, read_foreign_variable


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("OTEL_METRIC_EXPORT_INTERVAL", "2500", 2500),
        ("OTEL_METRIC_EXPORT_INTERVAL", " ", 10_000),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", " HTTP/Protobuf ", "http/protobuf"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "", None),
        ("DEPLOYMENT_ENV", " prod ", "prod"),
    ],
)
def test_foreign_variables_are_read_with_their_defaults(caplog, name, text, value):
    """A good or an empty value is nobody's concern."""
    assert read_foreign_variable(name, {name: text}) == value
    assert caplog.records == []


@pytest.mark.parametrize(
    ("name", "text", "default"),
    [
        ("OTEL_METRIC_EXPORT_INTERVAL", "10s", 10_000),
        ("OTEL_METRIC_EXPORT_INTERVAL", "-1", 10_000),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "htpp/protobuf", None),
    ],
)
def test_a_bad_foreign_value_warns_and_gives_the_default(caplog, name, text, default):
    """One warning with the variable, the value, what is accepted and what counts instead."""
    assert read_foreign_variable(name, {name: text}) == default
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    for part in (name, repr(text), "Expected", "counts as"):
        assert part in record.getMessage()


def test_a_bad_foreign_value_is_told_once_in_a_process(caplog):
    """However many parts read the variable, and however often."""
    for _ in range(3):
        read_foreign_variable("OTEL_BSP_MAX_QUEUE_SIZE", {"OTEL_BSP_MAX_QUEUE_SIZE": "x"})
    read_foreign_variable("OTEL_BLRP_MAX_QUEUE_SIZE", {"OTEL_BLRP_MAX_QUEUE_SIZE": "x"})
    assert ["BSP" in line for line in caplog.messages] == [True, False]


def test_foreign_variables_come_from_the_process_by_default(monkeypatch):
    """Without `environ` it is `os.environ` that counts."""
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "77")
    assert read_foreign_variable("OTEL_METRIC_EXPORT_INTERVAL") == 77


def test_a_variable_without_a_row_is_refused():
    """What is read has a row, and with it a place in the documentation."""
    with pytest.raises(KeyError):
        read_foreign_variable("OTEL_UNHEARD_OF", {})


def test_all_bad_foreign_values_are_found_with_what_is_accepted(caplog):
    """For whoever hides them from their readers, or tells about them; nothing is logged."""
    found = bad_foreign_variables(
        {
            "OTEL_BSP_MAX_QUEUE_SIZE": "abc",
            "OTEL_BSP_SCHEDULE_DELAY": "-1",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "nan",
            "OTEL_EXPORTER_OTLP_LOGS_COMPRESSION": "zip",
            "OTEL_SPAN_EVENT_COUNT_LIMIT": "",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc",
        }
    )
    assert list(found) == [
        "OTEL_EXPORTER_OTLP_TIMEOUT",
        "OTEL_EXPORTER_OTLP_LOGS_COMPRESSION",
        "OTEL_BSP_SCHEDULE_DELAY",
        "OTEL_BSP_MAX_QUEUE_SIZE",
    ]
    for name, sentence in found.items():
        assert name in sentence
        assert "Expected" in sentence
    assert caplog.records == []


def test_bad_foreign_values_are_looked_for_in_the_process_by_default(monkeypatch):
    """Without `environ` it is `os.environ` that counts."""
    monkeypatch.setenv("OTEL_METRIC_EXPORT_TIMEOUT", "soon")
    assert "OTEL_METRIC_EXPORT_TIMEOUT" in bad_foreign_variables()
