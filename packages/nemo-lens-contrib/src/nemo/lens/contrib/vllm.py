# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""vLLM's own tracing, governed by the job's switch.

    tracing = vllm_tracing(config, sample_ratio=0.01)
    command = ["vllm", "serve", model, *tracing.command_line]
    subprocess.Popen(command, env={**child_environment(), **tracing.environment})

vLLM makes one span for each request, below the client's span when the request has a `traceparent`
header (as the clients have that `nemo.lens.contrib.httpx` and its siblings instrument), and some
when it loads a model.

**Volume.** A rollout phase has as many requests as it has samples. `sample_ratio` is the share of
requests *without* a trace that are traced; requests inside a trace follow the decision of their
client. `detailed` adds timings inside of the model and its workers to each request: vLLM warns
that they may block, so leave them off in training jobs.

vLLM is not imported. Its options are those of version 0.33.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args
from urllib.parse import quote, urlsplit

from nemo.lens.config import ensure_run_id
from nemo.lens.contrib.own_telemetry import check_config
from nemo.lens.semconv import NEMO_RUN_ID, NV_DL_ROLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nemo.lens.config import NemoLensConfig

Detail = Literal["model", "worker", "all"]
_DETAILS = frozenset(get_args(Detail))

_GRPC, _HTTP = "grpc", "http/protobuf"
_HTTP_PORT = 4318
_TRACES_PATH = "/v1/traces"
_TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_EXPORTER_SETTINGS = (
    "CERTIFICATE",
    "CLIENT_CERTIFICATE",
    "CLIENT_KEY",
    "COMPRESSION",
    "HEADERS",
    "INSECURE",
    "TIMEOUT",
)
# What else of the job's environment decides whether and how its spans arrive.
_HANDED_ON = (
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    *(f"OTEL_EXPORTER_OTLP_{setting}" for setting in _EXPORTER_SETTINGS),
    *(f"OTEL_EXPORTER_OTLP_TRACES_{setting}" for setting in _EXPORTER_SETTINGS),
)


class VllmTracing(NamedTuple):
    """How to start vLLM."""

    arguments: dict[str, str | list[str]]
    """Keyword arguments for `vllm.LLM` or `vllm.AsyncEngineArgs`; empty when tracing is off."""

    environment: dict[str, str]
    """Variables for the process of vLLM, to lay over its environment."""

    @property
    def command_line(self) -> list[str]:
        """The arguments as options of `vllm serve`."""
        options: list[str] = []
        for name, value in self.arguments.items():
            texts = value if isinstance(value, list) else [value]
            options += [f"--{name.replace('_', '-')}", *texts]
        return options


def vllm_tracing(
    config: NemoLensConfig,
    *,
    role: str = "inference",
    sample_ratio: float | None = None,
    detailed: Sequence[Detail] = (),
    environ: Mapping[str, str] | None = None,
) -> VllmTracing:
    """Return how to start vLLM so that it traces if, and only if, this job does.

    It traces when `config` is enabled, exports traces, and has `otlp` among its exporters; vLLM
    can write no run files. It sends to the job's endpoint, over the job's protocol, as part of the
    same run.

    Args:
        config: The configuration of the job. Its `run_id` is filled when it is empty.
        role: What these processes do; `nv.dl.role` of their resource.
        sample_ratio: The share, in [0, 1], of requests outside any trace that are traced. None
            leaves that to `OTEL_TRACES_SAMPLER`.
        detailed: Which parts of vLLM are timed in detail, at a cost: `model`, `worker` or `all`.
        environ: The job's variables: endpoint, protocol, headers, certificates, sampler; None for
            the environment of this process.

    Raises:
        ValueError: `sample_ratio` is no number in [0, 1], or `detailed` is no list of these names.
        TypeError: `config` is no configuration.
    """
    check_config("vllm_tracing", config)
    _check_details(detailed)
    ratio = None if sample_ratio is None else _checked_ratio(sample_ratio)
    if not (config.enabled and config.traces_enabled and "otlp" in config.exporters):
        # An endpoint that is only inherited would switch vLLM's worker processes on.
        return VllmTracing({}, {_TRACES_ENDPOINT: ""})
    variables = os.environ if environ is None else environ
    endpoint, protocol = _target(variables)
    arguments: dict[str, str | list[str]] = {"otlp_traces_endpoint": endpoint}
    if detailed:
        arguments["collect_detailed_traces"] = [*detailed]
    environment = {
        **{name: variables[name] for name in _HANDED_ON if variables.get(name)},
        _TRACES_ENDPOINT: endpoint,
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": protocol,
        "OTEL_SERVICE_NAME": _service_name(config, variables),
        "OTEL_RESOURCE_ATTRIBUTES": _resource(config, role, variables),
    }
    if ratio is not None:
        environment["OTEL_TRACES_SAMPLER"] = "parentbased_traceidratio"
        environment["OTEL_TRACES_SAMPLER_ARG"] = str(ratio)
    return VllmTracing(arguments, environment)


def _check_details(given: Any) -> None:
    if type(given) not in (list, tuple) or not {str(name) for name in given} <= _DETAILS:
        raise ValueError(
            "vllm_tracing: `detailed` must be a list of 'model', 'worker' or 'all', such as "
            f"['model'], got {given!r}"
        )


def _checked_ratio(given: Any) -> float:
    is_number = type(given) in (int, float)
    if not (is_number and 0 <= given <= 1):
        raise ValueError(
            f"vllm_tracing: `sample_ratio` must be a number in [0, 1], got {given!r}; None leaves "
            "the choice to OTEL_TRACES_SAMPLER"
        )
    return float(given)


def _target(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return endpoint and protocol as vLLM wants them: over HTTP, with the path of traces."""
    own = environ.get(_TRACES_ENDPOINT, "").strip()
    shared = environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()
    protocol = _protocol(environ, own or shared)
    if protocol == _GRPC:
        return own or shared or "http://localhost:4317", _GRPC
    if own:
        return own, _HTTP
    return (shared or f"http://localhost:{_HTTP_PORT}").rstrip("/") + _TRACES_PATH, _HTTP


def _protocol(environ: Mapping[str, str], endpoint: str) -> str:
    """Return the protocol that set-up chooses for such an environment, as far as vLLM has it."""
    for variable in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        given = environ.get(variable, "").strip().lower()
        if given:
            return _HTTP if given.startswith("http/") else _GRPC
    return _HTTP if _port(endpoint) == _HTTP_PORT or "/v1/" in endpoint else _GRPC


def _port(endpoint: str) -> int | None:
    try:
        return urlsplit(endpoint if "//" in endpoint else f"//{endpoint}").port
    except ValueError:  # no number
        return None


def _service_name(config: NemoLensConfig, environ: Mapping[str, str]) -> str:
    """Return the name as set-up chooses it: an explicit one, then the environment's."""
    given = environ.get("OTEL_SERVICE_NAME", "").strip()
    return given if given and not config.is_explicit("service_name") else str(config.service_name)


def _resource(config: NemoLensConfig, role: str, environ: Mapping[str, str]) -> str:
    own = {NEMO_RUN_ID: ensure_run_id(config), NV_DL_ROLE: role}
    given = environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    added = ",".join(f"{name}={quote(value, safe='')}" for name, value in own.items())
    return f"{given},{added}" if given else added
