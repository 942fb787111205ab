# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in an `OTEL_*` variable: one warning at most, never an error, never a half."""

from __future__ import annotations

import logging
import os

import opentelemetry.environment_variables
import opentelemetry.sdk.environment_variables
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.configuration import foreign_variables
from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES

pytestmark = pytest.mark.usefixtures("clean_environment")

OTLP = "OTEL_EXPORTER_OTLP"
PROTOCOLS = ("grpc", "http/protobuf")  # JSON shares all of this with the other one over HTTP


def _set_up(**fields):
    config = NemoLensConfig(
        enabled=True,
        span_groups="all",
        run_id="r",
        logs_enabled=True,
        sigterm_flush=False,
        **fields,
    )
    return setup_telemetry(config, rank=0)


def _told_by_set_up(caplog):
    with caplog.at_level(logging.WARNING):
        handle = _set_up()
    told = [record.getMessage() for record in caplog.records]
    assert handle.is_exporting
    handle.shutdown(0)
    return told


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_PYTHON_TRACER_PROVIDER", "nobody's"),
        ("OTEL_PYTHON_METER_PROVIDER", "nobody's"),
        ("OTEL_PYTHON_LOGGER_PROVIDER", "nobody's"),
        ("OTEL_PYTHON_ID_GENERATOR", "dice"),
        ("OTEL_PROPAGATORS", "tracecontext,b4"),
        (f"{OTLP}_ENDPOINT", "http://"),
        (f"{OTLP}_ENDPOINT", "http://host:port"),
        (f"{OTLP}_ENDPOINT", "not a url"),
        (f"{OTLP}_TRACES_ENDPOINT", "http://[::1"),
        (f"{OTLP}_METRICS_ENDPOINT", "https://host:99999"),
        (f"{OTLP}_LOGS_ENDPOINT", "http://:4318"),
        (f"{OTLP}_INSECURE", "perhaps"),
        (f"{OTLP}_LOGS_INSECURE", "perhaps"),
        (f"{OTLP}_COMPRESSION", "zip"),
        (f"{OTLP}_METRICS_COMPRESSION", "zip"),
        (f"{OTLP}_TIMEOUT", "soon"),
        (f"{OTLP}_TRACES_TIMEOUT", "-1"),
        (f"{OTLP}_METRICS_TEMPORALITY_PREFERENCE", "sometimes"),
        (f"{OTLP}_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", "pie"),
        ("OTEL_PYTHON_EXPORTER_OTLP_HTTP_CREDENTIAL_PROVIDER", "nobody's"),
        ("OTEL_PYTHON_EXPORTER_OTLP_GRPC_LOGS_CREDENTIAL_PROVIDER", "nobody's"),
        ("OTEL_PYTHON_EXPORTER_OTLP_GRPC_RETRYABLE_ERROR_CODES", "unavailable,teapot"),
        ("OTEL_BSP_SCHEDULE_DELAY", "x"),
        ("OTEL_BSP_EXPORT_TIMEOUT", "x"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "0"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "x"),
        ("OTEL_BLRP_SCHEDULE_DELAY", "x"),
        ("OTEL_BLRP_EXPORT_TIMEOUT", "x"),
        ("OTEL_BLRP_MAX_QUEUE_SIZE", "0"),
        ("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", "x"),
        ("OTEL_METRIC_EXPORT_TIMEOUT", "x"),
        ("OTEL_EXPERIMENTAL_RESOURCE_DETECTORS", "otel,nobody's"),
    ],
)
def test_a_bad_value_is_one_warning_at_set_up(clean_environment, caplog, name, value, protocol):
    """It names the variable and the value, says what is accepted and what happens instead."""
    clean_environment(**{f"{OTLP}_PROTOCOL": protocol, name: value})
    [told] = _told_by_set_up(caplog)
    for part in (name, repr(value), "Expected", "The variable counts as"):
        assert part in told


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "value", ["authorization", "a=b,authorization", "a b=c", "a=b%0Ac", "a=b;c", "x=\u20ac"]
)
def test_bad_headers_are_told_without_what_they_hold(clean_environment, caplog, value, protocol):
    """They may be secrets. OpenTelemetry alone would log them."""
    clean_environment(**{f"{OTLP}_PROTOCOL": protocol, f"{OTLP}_HEADERS": value})
    [told] = _told_by_set_up(caplog)
    assert f"{OTLP}_HEADERS" in told
    assert value not in told


@pytest.mark.parametrize("protocol", ["http/protobuf", "http/json"])
@pytest.mark.parametrize("value", ["collector:4318", "127.0.0.1:4318", "unix:/run/x", "grpc://c:1"])
def test_over_http_an_endpoint_is_an_http_url(clean_environment, caplog, value, protocol):
    """It would fail at every export; gRPC takes it."""
    clean_environment(**{f"{OTLP}_PROTOCOL": protocol, f"{OTLP}_ENDPOINT": value})
    [told] = _told_by_set_up(caplog)
    for part in (f"{OTLP}_ENDPOINT", repr(value), "http://", "counts as unset"):
        assert part in told


def test_over_grpc_headers_that_only_http_can_send_are_left_out(
    clean_environment, caplog, grpc_receiver
):
    """The others are sent; the exporter would raise at every export."""
    clean_environment(
        **grpc_receiver.environment(),
        OTEL_EXPORTER_OTLP_HEADERS="team=a,x-bin=b,caf%C3%A9=c,name=caf%C3%A9,to!ken=d",
    )
    with caplog.at_level(logging.WARNING):
        handle = _set_up()
    with managed_span("step", "qa.step"):
        pass
    assert handle.shutdown()
    _signal, headers = grpc_receiver.requests[0]
    assert headers["team"] == "a"
    assert not {"x-bin", "name", "to!ken"} & headers.keys()
    assert len([text for text in caplog.messages if "HEADERS" in text]) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "variables",
    [
        {f"{OTLP}_TIMEOUT": "2.5", f"{OTLP}_TRACES_TIMEOUT": "0.5"},
        {f"{OTLP}_ENDPOINT": "http://collector:4317"},
        {f"{OTLP}_ENDPOINT": " HTTPS://user:pass@[::1]:1/base/ "},
        {f"{OTLP}_TRACES_ENDPOINT": "http://h/v1/traces", f"{OTLP}_CERTIFICATE": ""},
        {f"{OTLP}_ENDPOINT": "http://h:1", f"{OTLP}_CERTIFICATE": "/no/such/file"},
        {f"{OTLP}_ENDPOINT": "http://h:1", f"{OTLP}_TRACES_CERTIFICATE": "/"},
        {f"{OTLP}_ENDPOINT": "http://h:1", f"{OTLP}_CLIENT_KEY": "/no/such/file"},
        {f"{OTLP}_HEADERS": "a=b, c = d,,e=f g,h=i%20j=="},
        {f"{OTLP}_INSECURE": "TRUE", f"{OTLP}_TRACES_INSECURE": "false"},
        {f"{OTLP}_COMPRESSION": "GZIP", f"{OTLP}_LOGS_COMPRESSION": "none"},
        {f"{OTLP}_METRICS_TEMPORALITY_PREFERENCE": " LowMemory "},
        {f"{OTLP}_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "Base2_Exponential_Bucket_Histogram"},
        {"OTEL_PROPAGATORS": " baggage , tracecontext,"},
        {"OTEL_PROPAGATORS": "None"},
        {"OTEL_PYTHON_ID_GENERATOR": "random"},
        {"OTEL_PYTHON_TRACER_PROVIDER": " "},
        {"OTEL_PYTHON_METER_PROVIDER": ""},
        {"OTEL_PYTHON_EXPORTER_OTLP_GRPC_RETRYABLE_ERROR_CODES": "unavailable, Aborted"},
        {"OTEL_EXPERIMENTAL_RESOURCE_DETECTORS": "otel"},
        {"OTEL_BSP_EXPORT_TIMEOUT": "30000", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "64"},
        {"OTEL_RESOURCE_ATTRIBUTES": "a=b"},
    ],
)
def test_a_good_value_is_nobodys_concern(clean_environment, caplog, variables, protocol):
    """No warning, and the variables stay as they were set."""
    clean_environment(**{f"{OTLP}_PROTOCOL": protocol, **variables})
    assert _told_by_set_up(caplog) == []
    assert {name: os.environ[name] for name in variables if variables[name].strip()} == {
        name: value for name, value in variables.items() if value.strip()
    }


@pytest.mark.parametrize("value", ["collector:4317", "unix:/run/otel.sock", "dns:///c:1", "c"])
def test_over_grpc_other_targets_are_good_endpoints(clean_environment, caplog, value):
    """GRPC resolves them."""
    clean_environment(**{f"{OTLP}_PROTOCOL": "grpc", f"{OTLP}_ENDPOINT": value})
    assert _told_by_set_up(caplog) == []


def test_an_endpoint_of_the_signals_own_spares_the_common_one(clean_environment, caplog):
    """A common endpoint for gRPC is no mistake of a signal that goes over HTTP."""
    clean_environment(
        OTEL_EXPORTER_OTLP_PROTOCOL="grpc",
        OTEL_EXPORTER_OTLP_ENDPOINT="collector:4317",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL="http/protobuf",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="http://collector:4318/v1/traces",
    )
    assert _told_by_set_up(caplog) == []


PROVIDERS = """
import logging, os
from nemo.lens import NemoLensConfig, get_meter, get_tracer, managed_span, setup_telemetry
handle = setup_telemetry(NemoLensConfig.from_env(), rank=0)
with managed_span("step", "qa.step"):
    get_meter().create_counter("qa.count").add(1)
get_tracer().start_span("direct").end()
handle.shutdown(0)
print(sorted(name for name in os.environ if name.startswith("OTEL_PYTHON")))
"""


@pytest.mark.parametrize("switched_off", ["TRACES", "METRICS"])
def test_a_provider_that_nobody_has_is_not_looked_for_again(run_python, switched_off):
    """OpenTelemetry would, in every look-up of a tracer while no provider is installed."""
    process = run_python(
        PROVIDERS,
        environment={
            f"NEMO_LENS_{switched_off}_ENABLED": "0",
            "OTEL_PYTHON_TRACER_PROVIDER": "nobody's",
            "OTEL_PYTHON_METER_PROVIDER": "nobody's",
        },
    )
    assert process.stdout.strip() == "[]"
    assert process.stderr.count("nobody's") == 2
    assert "Traceback" not in process.stderr


PROPAGATORS = """
from nemo.lens import NemoLensConfig, inject_context, managed_span, setup_telemetry
handle = setup_telemetry(NemoLensConfig.from_env(), rank=0)
carrier, direct = {}, {}
with managed_span("step", "qa.step"):
    inject_context(carrier)
    from opentelemetry.propagate import inject
    inject(direct)
handle.shutdown(0)
print(sorted(carrier), sorted(direct))
"""


def test_a_bad_propagator_does_not_reach_code_that_uses_opentelemetry(run_python):
    """OpenTelemetry would raise at the import of its own function."""
    process = run_python(PROPAGATORS, environment={"OTEL_PROPAGATORS": "tracecontext,b4"})
    assert process.stdout.strip() == "['traceparent'] ['traceparent']"
    assert process.stderr.count("OTEL_PROPAGATORS") == 1


FORK_SUPPORT = """
import os
from nemo.lens import NemoLensConfig, setup_telemetry
handle = setup_telemetry(NemoLensConfig.from_env(), rank=0)
handle.shutdown(0)
print(os.environ.get("GRPC_ENABLE_FORK_SUPPORT"))
"""


@pytest.mark.parametrize("of_the_user", [None, "0"])
def test_grpc_is_prepared_for_forks_without_a_trace_in_the_environment(run_python, of_the_user):
    """Programs that this one starts make their own choice; one of the user's is kept."""
    chosen = {} if of_the_user is None else {"GRPC_ENABLE_FORK_SUPPORT": of_the_user}
    environment = {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", **chosen}
    assert run_python(FORK_SUPPORT, environment=environment).stdout.strip() == str(of_the_user)


def _names_of(module):
    return {value for name, value in vars(module).items() if "OTEL_" in name and value}


VARIABLES = sorted(
    {row.name for row in FOREIGN_VARIABLES if row.name.startswith("OTEL_")}
    | _names_of(opentelemetry.environment_variables)
    | _names_of(opentelemetry.sdk.environment_variables)
)
VALUES = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20),
    st.binary(max_size=8).map(lambda raw: os.fsdecode(raw.replace(b"\0", b""))),
    st.sampled_from(
        [
            "",
            "a",
            " ",
            "true",
            "otlp",
            "none",
            "console",
            "1e999",
            "nan",
            "0",
            "-1",
            "/",
            ".",
            "*",
            "http://",
            "https://h",
            "http://[",
            "h:1",
            "//",
            "a=b",
            "a=b,c",
            "gzip",
            ",",
            "a,b",
        ]
    ),
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    protocol=st.sampled_from(PROTOCOLS),
    variables=st.dictionaries(st.sampled_from(VARIABLES), VALUES, min_size=1, max_size=4),
)
def test_no_text_in_any_variable_stops_a_job(monkeypatch, caplog, protocol, variables):
    """Set-up works, tells of each variable once at most, and leaves nothing half done."""
    caplog.clear()
    foreign_variables._reset_for_tests()
    with monkeypatch.context() as changed, caplog.at_level(logging.WARNING):
        changed.setenv(f"{OTLP}_ENDPOINT", "http://127.0.0.1:9")
        changed.setenv(f"{OTLP}_PROTOCOL", protocol)
        for name, value in variables.items():
            changed.setenv(name, value)
        config = NemoLensConfig.from_env()
        config.enabled, config.span_groups, config.logs_enabled = True, "all", True
        config.sigterm_flush = False
        handle = setup_telemetry(config, rank=0)
        with managed_span("step", "qa.step"):
            handle.meter.create_counter("qa.count").add(1)
        handle.shutdown(0)
    for name in variables:
        told = [text for text in caplog.messages if f" {name}: " in text]
        assert len(told) <= 1
    after = _set_up()
    assert after.is_exporting
    after.shutdown(0)
