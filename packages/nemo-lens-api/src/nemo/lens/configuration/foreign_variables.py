# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The table of variables that belong to others, OpenTelemetry above all, and that NeMo Lens reads.

A bad value of one of these never stops a job: one warning, and the default. The second table of
`docs/reference/configuration.md` is written from it. What the detection of SLURM, Kubernetes and
GPUs reads stands in `nemo.lens.resources`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens.configuration.exporter_names import ExporterNames
from nemo.lens.configuration.problems import bad_value, warn
from nemo.lens.configuration.value_types import Integer, Real, Text, Words

if TYPE_CHECKING:
    from collections.abc import Mapping

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
_URL: Final = Text("a URL")
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
_LOG_LEVEL: Final = Words("debug", "info", "warning", "error", "critical")
_SHARE: Final = Real(0, 1)
_SWITCH: Final = Words("true", "false")

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
    *_for_each_signal("ENDPOINT", _URL, "0.3",
                      "Chooses HTTP by port 4318 or a `/v1/` path when no protocol is set."),
    *_for_each_signal("TIMEOUT", _SECONDS, "0.3",
                      "Limits the time of one export in seconds."),
    *_for_each_signal("COMPRESSION", _COMPRESSION, "0.3",
                      "Chooses the compression of what is sent."),
    *_for_each_signal("CREDENTIAL_PROVIDER", _TEXT, "0.3",
                      "Names the entry point of an HTTP session that authenticates itself.",
                      prefix="OTEL_PYTHON_EXPORTER_OTLP_HTTP"),
    ForeignVariable("OTEL_SDK_DISABLED", _SWITCH, "false", "set-up", "0.3",
                    "Switches all export off."),
    ForeignVariable("OTEL_PROPAGATORS", _TEXT, None, "propagation", "0.3",
                    "Names the formats in which trace context is handed on, with commas between."),
    ForeignVariable("OTEL_TRACES_SAMPLER", _SAMPLER, None, "traces", "0.3",
                    "Chooses the traces that are recorded.", parsed_by_otel=True),
    ForeignVariable("OTEL_TRACES_SAMPLER_ARG", _SHARE, None, "traces", "0.3",
                    "Gives the share of traces that a sampler by ratio records.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_METRIC_EXPORT_INTERVAL", _COUNT, 10_000, "metrics", "0.1",
                    "Gives the time between two exports of metrics in milliseconds.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_METRIC_EXPORT_TIMEOUT", _COUNT, None, "metrics", "0.3",
                    "Limits the time of one export of metrics in milliseconds.",
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
    ForeignVariable("OTEL_BLRP_SCHEDULE_DELAY", _LIMIT, None, "logs", "0.3",
                    "Gives the time between two exports of log records in milliseconds.",
                    parsed_by_otel=True),
    ForeignVariable("OTEL_BLRP_MAX_QUEUE_SIZE", _COUNT, None, "logs", "0.3",
                    "Bounds the log records that wait for export.", parsed_by_otel=True),
    ForeignVariable("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", _COUNT, None, "logs", "0.3",
                    "Bounds the log records of one export.", parsed_by_otel=True),
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

_BY_NAME: Final = {row.name: row for row in FOREIGN_VARIABLES}
_told: set[str] = set()


def read_foreign_variable(name: str, environ: Mapping[str, str] | None = None) -> Any:
    """Give the value of a variable that belongs to someone else.

    Args:
        name: The name of a row of `FOREIGN_VARIABLES`.
        environ: The variables; the process's own when not given.

    Returns:
        The value; the default of the row when the variable is unset or blank, and when its value
        is bad, which is one warning in a process for each variable.

    Raises:
        KeyError: If the table has no such row.
    """
    variables = os.environ if environ is None else environ
    row = _BY_NAME[name]
    problem = _problem(row, variables)
    if problem:
        warn_once(name, problem)
    text = "" if problem else variables.get(name, "").strip()
    return row.type.parse(text) if text else row.default


def warn_once(name: str, problem: str) -> None:
    """Log what is bad about a variable and what it counts as, once in a process.

    Args:
        name: The name of a row of `FOREIGN_VARIABLES`.
        problem: What `bad_foreign_variables` says about it.
    """
    if name not in _told:
        _told.add(name)
        default = _BY_NAME[name].default
        warn(
            "%s The variable counts as %s.", problem, "unset" if default is None else repr(default)
        )


def bad_foreign_variables(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Find the variables of the table whose value nobody could use.

    Args:
        environ: The variables; the process's own when not given.

    Returns:
        The names, each with a sentence that says what was got and what is accepted.
    """
    variables = os.environ if environ is None else environ
    problems = {row.name: _problem(row, variables) for row in FOREIGN_VARIABLES}
    return {name: problem for name, problem in problems.items() if problem}


def _problem(row: ForeignVariable, environ: Mapping[str, str]) -> str:
    text = environ.get(row.name, "")
    if not text.strip():
        return ""
    try:
        row.type.parse(text)
    except ValueError:
        return bad_value(row.type, row.name, text)
    return ""


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction] -- nemo.lens.testing
    _told.clear()
