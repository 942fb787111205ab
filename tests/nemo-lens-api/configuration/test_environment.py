# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What bad, unknown and hostile environment variables lead to."""

from __future__ import annotations

import logging
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemo.lens.config import NemoLensConfig, ensure_run_id
from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES
from nemo.lens.configuration.foreign_variables import (
    bad_foreign_variables,
    read_foreign_variable,
)
from nemo.lens.configuration.settings import SETTINGS
from nemo.lens.configuration.unknown_variables import unknown_variables

READ_VARIABLES = [
    *(name for s in SETTINGS for name in s.variables("MEGATRON_OTEL", "NEMO_LENS")),
    *(row.name for row in FOREIGN_VARIABLES),
]
FAULTS = (
    "Invalid boolean",
    "Invalid integer",
    "Invalid float",
    "Unknown exporter",
    "Invalid signal",
    "Invalid unit",
    "Invalid buckets",
    "Invalid metric",
    "Invalid metric attributes",
)

any_bytes = st.binary(max_size=60).filter(lambda raw: b"\0" not in raw)
near_misses = st.sampled_from(
    [
        b"1",
        b"0",
        b"off",
        b"2",
        b"-1",
        b"nan",
        b"1e9",
        b"\xff",
        b" ",
        b",",
        b"none",
        b"$(RANK)",
        b"{}",
    ]
)
environments = st.dictionaries(
    st.sampled_from(READ_VARIABLES)
    | st.text(min_size=1, max_size=12).map(lambda tail: f"NEMO_LENS_{tail}"),
    (any_bytes | near_misses).map(os.fsdecode),
    max_size=12,
)


def from_env(prefix="NEMO_LENS", fallback_prefix=None, **variables):
    """Build a configuration from nothing but these variables."""
    return NemoLensConfig.from_env(prefix, fallback_prefix, environ=variables)


@pytest.mark.parametrize(
    ("variable", "value", "start"),
    [
        (
            "NEMO_LENS_ENABLED",
            "Maybe",
            "Invalid boolean for NEMO_LENS_ENABLED: 'maybe'. Expected '1'/'0'",
        ),
        ("NEMO_LENS_EXPORT_RANK", "First", "Invalid integer for NEMO_LENS_EXPORT_RANK: 'First'."),
        (
            "NEMO_LENS_EXPORT_SAMPLE_RATE",
            "2",
            "Invalid float for NEMO_LENS_EXPORT_SAMPLE_RATE: '2'.",
        ),
        ("NEMO_LENS_EXPORTER", "pigeon", "Unknown exporter for NEMO_LENS_EXPORTER: 'pigeon'."),
        ("NEMO_LENS_QUEUE_SIZE", "0", "Invalid integer for NEMO_LENS_QUEUE_SIZE: '0'."),
        ("NEMO_LENS_BLACKBOX", "auto", "Invalid boolean for NEMO_LENS_BLACKBOX: 'auto'."),
        ("NEMO_LENS_FLUSH_SIGNALS", "KILL", "Invalid signal for NEMO_LENS_FLUSH_SIGNALS: 'KILL'."),
        ("ENABLE_SINGLE_TRACEID", "2", "Invalid boolean for ENABLE_SINGLE_TRACEID: '2'."),
    ],
)
def test_a_bad_value_names_the_variable_the_value_and_what_is_accepted(variable, value, start):
    """The sentence that clients match, and the cure in it."""
    with pytest.raises(ValueError) as refusal:
        from_env(**{variable: value})
    assert str(refusal.value).startswith(start)
    assert ". Expected " in str(refusal.value)


def test_the_variable_that_was_read_is_the_one_that_is_named():
    """The fallback's name, when the fallback's value was bad."""
    with pytest.raises(ValueError, match="Invalid boolean for NEMO_LENS_ENABLED"):
        from_env("MEGATRON_OTEL", "NEMO_LENS", NEMO_LENS_ENABLED="maybe")


def test_a_bad_fallback_that_is_not_read_does_no_harm():
    """What the prefix says makes the fallback moot."""
    config = from_env(
        "MEGATRON_OTEL", "NEMO_LENS", MEGATRON_OTEL_ENABLED="1", NEMO_LENS_ENABLED="?"
    )
    assert config.enabled


def test_all_bad_values_are_told_at_once():
    """One line for each, so that a job is not started once per mistake."""
    with pytest.raises(ValueError) as refusal:
        from_env(NEMO_LENS_EXPORTER="pigeon", NEMO_LENS_QUEUE_SIZE="many")
    assert len(str(refusal.value).splitlines()) == 2


def test_a_huge_bad_value_is_cut():
    """An error message stays readable."""
    with pytest.raises(ValueError) as refusal:
        from_env(NEMO_LENS_EXPORTER="x" * 100_000)
    assert len(str(refusal.value)) < 400


def test_credentials_in_a_url_are_not_shown():
    """An endpoint in the wrong variable is a likely mistake, and logs are read by many."""
    with pytest.raises(ValueError, match=r"https://\[REDACTED\]@collector") as refusal:
        from_env(NEMO_LENS_EXPORTER="https://ada:hunter2@collector:4318")
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("off", ["0", "false", " OFF "])
def test_the_kill_switch_works_whatever_else_is_set(caplog, off):
    """Explicitly off: one warning about all that is bad, and the defaults."""
    config = from_env(
        NEMO_LENS_ENABLED=off,
        NEMO_LENS_EXPORT_RANK="abc",
        NEMO_LENS_EXPORT_SAMPLE_RATE="many",
        NEMO_LENS_EXPORTER="pigeon",
        NEMO_LENS_UNHEARD_OF="1",
        OTEL_METRIC_EXPORT_INTERVAL="abc",
    )
    assert config == NemoLensConfig()
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    for variable in ("NEMO_LENS_EXPORT_RANK", "NEMO_LENS_EXPORT_SAMPLE_RATE", "NEMO_LENS_EXPORTER"):
        assert variable in record.getMessage()


def test_off_by_default_is_not_the_kill_switch():
    """A bad value beside an unset switch is an error, as the typo may be in the switch."""
    with pytest.raises(ValueError, match="NEMO_LENS_EXPORTER"):
        from_env(NEMO_LENS_EXPORTER="pigeon")


def test_an_unknown_variable_gives_one_warning_with_the_nearest_name(caplog):
    """All of them in one warning, with the names that were meant."""
    from_env(
        "MEGATRON_OTEL",
        "NEMO_LENS",
        MEGATRON_OTEL_RANK_STRATEGY="all_ranks",
        NEMO_LENS_ENABELD="1",
        NEMO_LENS_SERVICE_NAME="trainer",
        NEMO_LENS_QQQ="1",
    )
    [record] = caplog.records
    text = record.getMessage()
    assert record.levelno == logging.WARNING
    assert "MEGATRON_OTEL_RANK_STRATEGY (did you mean MEGATRON_OTEL_EXPORT_STRATEGY?)" in text
    assert "NEMO_LENS_ENABELD (did you mean NEMO_LENS_ENABLED?)" in text
    assert "NEMO_LENS_SERVICE_NAME (did you mean OTEL_SERVICE_NAME?)" in text
    assert "NEMO_LENS_QQQ." in text or "NEMO_LENS_QQQ," in text


def test_known_variables_of_both_generations_are_not_unknown(caplog):
    """The keys of 0.2, the later ones, OpenTelemetry's and other libraries' raise no eyebrow."""
    from_env(
        "MEGATRON_OTEL",
        MEGATRON_OTEL_EXPORT_STRATEGY="all_ranks",
        MEGATRON_OTEL_EXPORT_RANK="0",
        MEGATRON_OTEL_EXPORT_SAMPLE_RATE="0.5",
        MEGATRON_OTEL_SAMPLER_ENABLED="1",
        MEGATRON_OTEL_ENABLE_SINGLE_TRACEID="1",
        NEMO_LENS_UNHEARD_OF="1",
        NVRX_OTEL_UNHEARD_OF="1",
        OTEL_UNHEARD_OF="1",
        PATH="/bin",
    )
    assert caplog.records == []


def test_a_short_prefix_does_not_claim_the_variables_of_a_longer_one():
    """`NEMO` is not asked about `NEMO_LENS_*`."""
    environ = {"NEMO_LENS_UNHEARD_OF": "1", "NEMO_UNHEARD_OF": "1"}
    assert list(unknown_variables(environ, ["NEMO"])) == ["NEMO_UNHEARD_OF"]


def test_the_value_of_an_unknown_variable_is_never_shown(caplog):
    """It may be a key that landed under the wrong name."""
    with caplog.at_level(logging.DEBUG):
        from_env(NEMO_LENS_API_KEY="sk-1234567890", NEMO_LENS_EXPORTR="hunter2")
    assert "NEMO_LENS_API_KEY" in caplog.text
    assert "sk-1234567890" not in caplog.text
    assert "hunter2" not in caplog.text


def test_many_unknown_variables_make_one_short_warning(caplog):
    """The rest is counted, and odd names are printable."""
    from_env(**{f"NEMO_LENS_\udcff{i:03}": "1" for i in range(100)})
    [record] = caplog.records
    assert record.getMessage().isascii()
    assert "and 80 more" in record.getMessage()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(environ=environments)
def test_no_environment_does_more_than_warn_or_raise_a_documented_error(caplog, environ):
    """Arbitrary bytes in any variable give a valid configuration, or errors that name variables."""
    caplog.clear()
    try:
        config = NemoLensConfig.from_env("MEGATRON_OTEL", "NEMO_LENS", environ=environ)
    except ValueError as refusal:
        for line in str(refusal).splitlines():
            fault, _, rest = line.partition(" for ")
            assert fault in FAULTS
            assert rest.partition(":")[0] in environ
    else:
        config.validate()
        child = NemoLensConfig.from_env(environ=config.to_env())
        assert child == config
        ensure_run_id(config, environ).encode()
    for row in FOREIGN_VARIABLES:
        read_foreign_variable(row.name, environ)
    assert bad_foreign_variables(environ).keys() <= environ.keys()
    assert all(record.levelno == logging.WARNING for record in caplog.records)
    assert sum("Unknown environment variables" in r.getMessage() for r in caplog.records) <= 1
    "".join(record.getMessage() for record in caplog.records).encode()


def test_raw_bytes_in_a_real_environment_are_survived():
    """What the interpreter makes of bytes that are not UTF-8 is read like any other text."""
    environ = {
        b"NEMO_LENS_USER_ID": b"\xff\xfe",
        b"NEMO_LENS_RUN_ID": b"run-\xe4",
        b"NEMO_LENS_\xff": b"\xff",
        b"NEMO_LENS_ENABLED": b"1",
    }
    code = (
        "from nemo.lens.config import NemoLensConfig as C, ensure_run_id as e; c = C.from_env();"
        "print(ascii(c.user), ascii(e(c)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == [r"'\\udcff\\udcfe'", r"'run-\\udce4'"]
    assert "Traceback" not in result.stderr
    assert "Logging error" not in result.stderr
