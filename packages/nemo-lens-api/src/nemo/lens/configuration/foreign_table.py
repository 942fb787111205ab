# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The table of variables that belong to others, OpenTelemetry above all, and that NeMo Lens reads.

The second table of `docs/reference/configuration.md` is written from it. What the detection of
SLURM, Kubernetes and GPUs reads stands in `nemo.lens.resources`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens.configuration.entry_points import NONE, EntryPoints
from nemo.lens.configuration.exporter_names import ExporterNames
from nemo.lens.configuration.otlp_value_types import Endpoint, Headers
from nemo.lens.configuration.value_types import Integer, Real, Text, Words

if TYPE_CHECKING:
    from nemo.lens.configuration.value_types import ValueType


class ForeignVariable(NamedTuple):
    """One row of the table.

    Attributes:
        name: The variable.
        type: How text becomes a value, and what is accepted.
        default: What `read_foreign_variable` gives when it is unset; `None` where the part that
            reads it has a default of its own.
        used_by: The part that reads the value.
        since: First version that reads it.
        description: One sentence for the documentation.
        parsed_by_otel: Whether OpenTelemetry itself parses it, and may raise on a bad value.
    """

    name: str
    type: ValueType
    default: Any
    used_by: str
    since: str
    description: str
    parsed_by_otel: bool = False


_TEXT: Final = Text()
_ENDPOINT: Final = Endpoint()
_HEADERS: Final = Headers()
_FILE: Final = Text("a path to a file in PEM format")
_PROVIDER_OF_CREDENTIALS: Final = EntryPoints("opentelemetry_otlp_credential_provider")
_COUNT: Final = Integer(1)
_LIMIT: Final = Integer(0)
_SECONDS: Final = Real(0.001, 1e9)
_PROTOCOL: Final = Words("grpc", "http/protobuf", "http/json")
_COMPRESSION: Final = Words("none", "gzip", "deflate")
_EXPORTERS: Final = ExporterNames()
_EXEMPLARS: Final = Words("trace_based", "always_on", "always_off")
_SAMPLER: Final = Words(
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
)
_SHARE: Final = Real(0, 1)
_LOG_LEVEL: Final = Words("debug", "info", "warning", "error", "critical")
_SWITCH: Final = Words("true", "false")
_TEMPORALITY: Final = Words("cumulative", "delta", "lowmemory")
_AGGREGATION: Final = Words("explicit_bucket_histogram", "base2_exponential_bucket_histogram")
_PROPAGATORS: Final = EntryPoints(
    "opentelemetry_propagator", "tracecontext", "baggage", NONE, several=True
)
_DETECTORS: Final = EntryPoints(
    "opentelemetry_resource_detector", "otel", "*", several=True, keeps_rest=True
)
_IDS: Final = EntryPoints("opentelemetry_id_generator", "random")
_GRPC_CODES: Final = Words(
    "cancelled",
    "unknown",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
    "permission_denied",
    "resource_exhausted",
    "failed_precondition",
    "aborted",
    "out_of_range",
    "unimplemented",
    "internal",
    "unavailable",
    "data_loss",
    "unauthenticated",
    several=True,
)

_LIMITS: Final = {
    "ATTRIBUTE_COUNT": "attributes of anything",
    "ATTRIBUTE_VALUE_LENGTH": "characters of an attribute of anything",
    "SPAN_ATTRIBUTE_COUNT": "attributes of a span",
    "SPAN_ATTRIBUTE_VALUE_LENGTH": "characters of an attribute of a span",
    "SPAN_EVENT_COUNT": "events of a span",
    "SPAN_LINK_COUNT": "links of a span",
    "EVENT_ATTRIBUTE_COUNT": "attributes of an event",
    "LINK_ATTRIBUTE_COUNT": "attributes of a link",
    "LOGRECORD_ATTRIBUTE_COUNT": "attributes of a log record",
    "LOGRECORD_ATTRIBUTE_VALUE_LENGTH": "characters of an attribute of a log record",
}


def _for_each_signal(
    name: str,
    value_type: ValueType,
    since: str,
    description: str,
    *,
    prefix: str = "OTEL_EXPORTER_OTLP",
    parsed_by_otel: bool = True,
) -> tuple[ForeignVariable, ...]:
    """Give the common variable of the OTLP exporters and those of the single signals."""
    common = ForeignVariable(
        f"{prefix}_{name}",
        value_type,
        None,
        "exporter `otlp`",
        since,
        description,
        parsed_by_otel,
    )
    rows = [
        common._replace(
            name=f"{prefix}_{signal.upper()}_{name}",
            description=f"Does for {signal} what `{common.name}` does for all signals.",
        )
        for signal in ("traces", "metrics", "logs")
    ]
    return (common, *rows)


# fmt: off
# One row reads as one row: name, type, default, used by, since / description.
FOREIGN_VARIABLES: Final[tuple[ForeignVariable, ...]] = (
    ForeignVariable("OTEL_RESOURCE_ATTRIBUTES", _TEXT, "", "resource", "0.1",
                    "Adds resource attributes, as `key=value` pairs with commas between them."),
    ForeignVariable("DEPLOYMENT_ENV", _TEXT, "", "resource", "0.1",
                    "Names the deployment (`deployment.environment.name`)."),
    ForeignVariable("ENVIRONMENT", _TEXT, "", "resource", "0.1",
                    "Names the deployment when `DEPLOYMENT_ENV` is empty."),
    *(ForeignVariable(f"OTEL_{signal.upper()}_EXPORTER", _EXPORTERS, None, "exporters", "0.3",
                      f"Switches {signal} off (`none`), or says where they go when the setting "
                      "`exporter` was not chosen.")
      for signal in ("traces", "metrics", "logs")),
    *_for_each_signal("PROTOCOL", _PROTOCOL, "0.1",
                      "Chooses the OTLP protocol; unset, the endpoint decides, else it is gRPC.",
                      parsed_by_otel=False),
    *_for_each_signal("ENDPOINT", _ENDPOINT, "0.3",
                      "Says where to send to, and chooses HTTP by port 4318 or a `/v1/` path when "
                      "no protocol is set."),
    *_for_each_signal("HEADERS", _HEADERS, "0.3",
                      "Adds headers to what is sent; bad ones are left out."),
    *_for_each_signal("CERTIFICATE", _FILE, "0.3",
                      "Names the authority to trust over TLS in place of the machine's own."),
    *_for_each_signal("CLIENT_CERTIFICATE", _FILE, "0.3",
                      "Names the certificate to show over TLS."),
    *_for_each_signal("CLIENT_KEY", _FILE, "0.3",
                      "Names the private key of the certificate to show."),
    *_for_each_signal("INSECURE", _SWITCH, "0.3",
                      "Switches TLS off over gRPC, for an endpoint that does not say."),
    *_for_each_signal("TIMEOUT", _SECONDS, "0.3",
                      "Limits the time of one export in seconds."),
    *_for_each_signal("COMPRESSION", _COMPRESSION, "0.3",
                      "Chooses the compression of what is sent."),
    *_for_each_signal("CREDENTIAL_PROVIDER", _PROVIDER_OF_CREDENTIALS, "0.3",
                      "Names the entry point of an HTTP session that authenticates itself.",
                      prefix="OTEL_PYTHON_EXPORTER_OTLP_HTTP"),
    *_for_each_signal("CREDENTIAL_PROVIDER", _PROVIDER_OF_CREDENTIALS, "0.3",
                      "Names the entry point of the credentials of a gRPC channel with TLS.",
                      prefix="OTEL_PYTHON_EXPORTER_OTLP_GRPC"),
    ForeignVariable("OTEL_PYTHON_EXPORTER_OTLP_GRPC_RETRYABLE_ERROR_CODES", _GRPC_CODES, None,
                    "exporter `otlp`", "0.3",
                    "Lists the answers over gRPC after which a batch is sent again.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", _TEMPORALITY, None,
                    "exporter `otlp`", "0.3",
                    "Chooses whether sums are sent as totals or as differences.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", _AGGREGATION, None,
                    "exporter `otlp`", "0.3",
                    "Chooses the kind of histograms without buckets of their own.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_SDK_DISABLED", _SWITCH, "false", "set-up", "0.3",
                    "Switches all export off."),
    ForeignVariable("OTEL_PROPAGATORS", _PROPAGATORS, None, "propagation", "0.3",
                    "Names the formats in which trace context is handed on, with commas between.",
                    parsed_by_otel=True),
    *(ForeignVariable(f"OTEL_PYTHON_{kind.upper()}_PROVIDER",
                      EntryPoints(f"opentelemetry_{kind}_provider"), None, "set-up", "0.3",
                      f"Names a {kind} provider that OpenTelemetry installs by itself; NeMo Lens "
                      "exports through it.", parsed_by_otel=True)
      for kind in ("tracer", "meter", "logger")),
    ForeignVariable("OTEL_PYTHON_ID_GENERATOR", _IDS, None, "traces", "0.3",
                    "Names what makes trace and span ids in place of NeMo Lens's own generator, "
                    "which is also `random`."),
    ForeignVariable("OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED", _SWITCH, None, "set-up", "0.3",
                    "Has OpenTelemetry report metrics about itself.", parsed_by_otel=True),
    ForeignVariable("OTEL_EXPERIMENTAL_RESOURCE_DETECTORS", _DETECTORS, None, "resource", "0.3",
                    "Adds resource detectors of OpenTelemetry; unknown ones are left out.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_TRACES_SAMPLER", _SAMPLER, None, "traces", "0.3",
                    "Chooses the traces that are recorded.", parsed_by_otel=True),
    ForeignVariable("OTEL_TRACES_SAMPLER_ARG", _SHARE, None, "traces", "0.3",
                    "Gives the share of traces that a sampler by ratio records.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_METRIC_EXPORT_INTERVAL", _COUNT, 10_000, "metrics", "0.1",
                    "Gives the time between two exports of metrics in milliseconds.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_METRIC_EXPORT_TIMEOUT", _COUNT, None, "metrics", "0.3",
                    "Has no effect: `OTEL_EXPORTER_OTLP_METRICS_TIMEOUT` limits an export.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_METRICS_EXEMPLAR_FILTER", _EXEMPLARS, None, "metrics", "0.3",
                    "Selects the measurements that may become exemplars.", parsed_by_otel=True),
    ForeignVariable("OTEL_BSP_SCHEDULE_DELAY", _LIMIT, None, "traces", "0.3",
                    "Gives the time between two exports of spans in milliseconds.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_BSP_MAX_QUEUE_SIZE", _COUNT, None, "traces", "0.3",
                    "Bounds the finished spans that wait for export, in place of `queue_size`.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", _COUNT, None, "traces", "0.3",
                    "Bounds the spans of one export.", parsed_by_otel=True),
    ForeignVariable("OTEL_BSP_EXPORT_TIMEOUT", _COUNT, None, "traces", "0.3",
                    "Has no effect: `OTEL_EXPORTER_OTLP_TRACES_TIMEOUT` limits an export.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_BLRP_SCHEDULE_DELAY", _LIMIT, None, "logs", "0.3",
                    "Gives the time between two exports of log records in milliseconds.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_BLRP_MAX_QUEUE_SIZE", _COUNT, None, "logs", "0.3",
                    "Bounds the log records that wait for export.", parsed_by_otel=True),
    ForeignVariable("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", _COUNT, None, "logs", "0.3",
                    "Bounds the log records of one export.", parsed_by_otel=True),
    ForeignVariable("OTEL_BLRP_EXPORT_TIMEOUT", _COUNT, None, "logs", "0.3",
                    "Has no effect: `OTEL_EXPORTER_OTLP_LOGS_TIMEOUT` limits an export.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_PYTHON_LOG_LEVEL", _LOG_LEVEL, None, "logs", "0.3",
                    "Has set-up open the root logger for records of this level; handlers that are "
                    "there already print no more than before."),
    *(ForeignVariable(f"OTEL_{name}_LIMIT", _LIMIT, None, "traces, logs", "0.3",
                      f"Limits the number of {what}.", parsed_by_otel=True)
      for name, what in _LIMITS.items()),
    ForeignVariable("SLURM_ARRAY_JOB_ID", _TEXT, "", "run id", "0.3",
                    "Makes the run id of an array job, together with `SLURM_ARRAY_TASK_ID`."),
    ForeignVariable("SLURM_ARRAY_TASK_ID", _TEXT, "", "run id", "0.3",
                    "Tells the tasks of an array job apart in the run id."),
    ForeignVariable("SLURM_HET_JOB_ID", _TEXT, "", "run id", "0.3",
                    "Is the run id of a heterogeneous SLURM job, whose parts have ids too."),
    ForeignVariable("SLURM_JOB_ID", _TEXT, "", "run id", "0.1",
                    "Is the run id of a SLURM job."),
    ForeignVariable("SLURM_JOBID", _TEXT, "", "run id", "0.3",
                    "Is the older spelling of `SLURM_JOB_ID`."),
    ForeignVariable("TORCHELASTIC_RUN_ID", _TEXT, "", "run id", "0.3",
                    "Is the run id of a torchrun job, unless it says `none`."),
    ForeignVariable("RAY_JOB_ID", _TEXT, "", "run id", "0.3",
                    "Is the run id of a Ray job, unless it says `ffffffff` (none)."),
)
# fmt: on
