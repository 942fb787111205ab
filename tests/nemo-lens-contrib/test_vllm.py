# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""vLLM traces exactly when the job does, to the same place."""

import pytest

from nemo.lens.config import NemoLensConfig
from nemo.lens.contrib.vllm import vllm_tracing
from nemo.lens.resources.attributes import get_otel_resource_attributes

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
TRACES_PROTOCOL = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"


def job(**fields):
    return NemoLensConfig(**{"enabled": True, "run_id": "r", **fields})


@pytest.mark.parametrize(
    ("environ", "endpoint", "protocol"),
    [
        ({}, "http://localhost:4317", "grpc"),
        ({ENDPOINT: "http://c:4317"}, "http://c:4317", "grpc"),
        ({ENDPOINT: "http://c:4318"}, "http://c:4318/v1/traces", "http/protobuf"),
        ({ENDPOINT: "http://c:4318/"}, "http://c:4318/v1/traces", "http/protobuf"),
        ({ENDPOINT: "c:4318"}, "c:4318/v1/traces", "http/protobuf"),
        ({ENDPOINT: "http://c:bad"}, "http://c:bad", "grpc"),
        ({PROTOCOL: "http/protobuf"}, "http://localhost:4318/v1/traces", "http/protobuf"),
        ({PROTOCOL: "HTTP/JSON"}, "http://localhost:4318/v1/traces", "http/protobuf"),
        ({ENDPOINT: "http://c:4318", PROTOCOL: "grpc"}, "http://c:4318", "grpc"),
        (
            {ENDPOINT: "http://a", TRACES_ENDPOINT: "http://b/v1/traces"},
            "http://b/v1/traces",
            "http/protobuf",
        ),
        (
            {TRACES_ENDPOINT: "http://b/x", TRACES_PROTOCOL: "http/protobuf", PROTOCOL: "grpc"},
            "http://b/x",
            "http/protobuf",
        ),
    ],
)
def test_endpoint_and_protocol_are_the_jobs(environ, endpoint, protocol):
    """Over HTTP vLLM takes the endpoint as it is, so it has the path of traces."""
    tracing = vllm_tracing(job(), environ=environ)
    assert tracing.arguments == {"otlp_traces_endpoint": endpoint}
    assert tracing.environment[TRACES_ENDPOINT] == endpoint
    assert tracing.environment[TRACES_PROTOCOL] == protocol


@pytest.mark.parametrize(
    "config",
    [
        NemoLensConfig(),
        job(traces_enabled=False),
        job(exporter="file"),
        job(exporter="console,file"),
    ],
)
def test_a_job_that_exports_no_traces_switches_vllm_off(config):
    """Also its workers, which an endpoint in the environment would switch on."""
    tracing = vllm_tracing(config, sample_ratio=1, detailed=["all"], environ={ENDPOINT: "http://c"})
    assert tracing.arguments == {}
    assert tracing.command_line == []
    assert tracing.environment == {TRACES_ENDPOINT: ""}


def test_the_spans_belong_to_the_run_of_the_job():
    """With a role of their own; what the environment says of the resource stays."""
    environ = {"OTEL_RESOURCE_ATTRIBUTES": "cluster=a", "OTEL_SERVICE_NAME": "judge"}
    config = job(run_id="r,1")
    environment = vllm_tracing(config, role="rollout", environ=environ).environment
    assert get_otel_resource_attributes(environ=environment) == {
        "cluster": "a",
        "nemo.run.id": "r,1",
        "nv.dl.role": "rollout",
    }
    assert environment["OTEL_SERVICE_NAME"] == "judge"
    config.service_name = "chosen"
    assert vllm_tracing(config, environ=environ).environment["OTEL_SERVICE_NAME"] == "chosen"
    assert "cluster" not in vllm_tracing(config, environ={}).environment["OTEL_RESOURCE_ATTRIBUTES"]


def test_the_volume_can_be_bounded():
    """Requests inside a trace follow their client; unless asked, the sampler stays as it is."""
    environment = vllm_tracing(job(), sample_ratio=0.01, environ={}).environment
    assert environment["OTEL_TRACES_SAMPLER"] == "parentbased_traceidratio"
    assert environment["OTEL_TRACES_SAMPLER_ARG"] == "0.01"
    assert "OTEL_TRACES_SAMPLER" not in vllm_tracing(job(), environ={}).environment


@pytest.mark.parametrize("ratio", [-0.1, 1.1, float("nan"), "x", "0.5", True, [1]])
def test_a_ratio_out_of_range_is_refused(ratio):
    """The message says what is accepted."""
    with pytest.raises(ValueError, match=r"sample_ratio.*\[0, 1\]"):
        vllm_tracing(job(), sample_ratio=ratio)


def test_sampler_and_credentials_of_the_job_go_along():
    """A given environment counts as that of the process would."""
    settings = {
        "OTEL_TRACES_SAMPLER": "traceidratio",
        "OTEL_TRACES_SAMPLER_ARG": "0.2",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20x",
        "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "3",
    }
    tracing = vllm_tracing(job(), environ={**settings, "OTHER": "1"})
    assert settings.items() <= tracing.environment.items()
    assert "OTHER" not in tracing.environment
    assert "Bearer" not in str(tracing.command_line)
    overruled = vllm_tracing(job(), sample_ratio=1, environ=settings).environment
    assert overruled["OTEL_TRACES_SAMPLER"] == "parentbased_traceidratio"
    assert overruled["OTEL_TRACES_SAMPLER_ARG"] == "1.0"


def test_a_server_gets_the_arguments_as_options():
    """Details only when they are asked for."""
    tracing = vllm_tracing(job(), detailed=["model", "worker"], environ={ENDPOINT: "http://c"})
    assert tracing.command_line == [
        "--otlp-traces-endpoint",
        "http://c",
        "--collect-detailed-traces",
        "model",
        "worker",
    ]


@pytest.mark.parametrize("detailed", ["model", ["prompts"], None, [["model"]]])
def test_details_that_vllm_does_not_have_are_refused(detailed):
    """One text would be taken for a list of letters."""
    with pytest.raises(ValueError, match=r"`detailed` must be a list of 'model'"):
        vllm_tracing(job(), detailed=detailed)
