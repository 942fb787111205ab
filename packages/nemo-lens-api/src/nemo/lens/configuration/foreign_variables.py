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
    """

    name: str
    type: ValueType
    default: Any
    used_by: str
    since: str
    description: str


_TEXT: Final = Text()
_URL: Final = Text("a URL")
_COUNT: Final = Integer(1)
_LIMIT: Final = Integer(0)
_SECONDS: Final = Real(0.001, 1e9)
_PROTOCOL: Final = Words("grpc", "http/protobuf", "http/json")
_COMPRESSION: Final = Words("none", "gzip", "deflate")
_EXEMPLARS: Final = Words("trace_based", "always_on", "always_off")

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
    name: str, value_type: ValueType, since: str, description: str
) -> tuple[ForeignVariable, ...]:
    """Give the common variable of the OTLP exporters and those of the single signals."""
    rows = [
        ForeignVariable(
            f"OTEL_EXPORTER_OTLP_{name}", value_type, None, "exporter `otlp`", since, description
        )
    ]
    rows += [
        rows[0]._replace(
            name=f"OTEL_EXPORTER_OTLP_{signal.upper()}_{name}",
            description=f"Does for {signal} what `OTEL_EXPORTER_OTLP_{name}` does for all signals.",
        )
        for signal in ("traces", "metrics", "logs")
    ]
    return tuple(rows)


# fmt: off
# One row reads as one row: name, type, default, used by, since / description.
FOREIGN_VARIABLES: Final[tuple[ForeignVariable, ...]] = (
    ForeignVariable("OTEL_RESOURCE_ATTRIBUTES", _TEXT, "", "resource", "0.1",
                    "Adds resource attributes, as `key=value` pairs with commas between them."),
    ForeignVariable("DEPLOYMENT_ENV", _TEXT, "", "resource", "0.1",
                    "Names the deployment (`deployment.environment.name`)."),
    ForeignVariable("ENVIRONMENT", _TEXT, "", "resource", "0.1",
                    "Names the deployment when `DEPLOYMENT_ENV` is empty."),
    *_for_each_signal("PROTOCOL", _PROTOCOL, "0.1",
                      "Chooses the OTLP protocol; unset, the endpoint decides, else it is gRPC."),
    *_for_each_signal("ENDPOINT", _URL, "0.3",
                      "Chooses HTTP by port 4318 or a `/v1/` path when no protocol is set."),
    *_for_each_signal("TIMEOUT", _SECONDS, "0.3",
                      "Limits the time of one export in seconds."),
    *_for_each_signal("COMPRESSION", _COMPRESSION, "0.3",
                      "Chooses the compression of what is sent."),
    ForeignVariable("OTEL_METRIC_EXPORT_INTERVAL", _COUNT, 10_000, "metrics", "0.1",
                    "Gives the time between two exports of metrics in milliseconds."),
    ForeignVariable("OTEL_METRIC_EXPORT_TIMEOUT", _COUNT, None, "metrics", "0.3",
                    "Limits the time of one export of metrics in milliseconds."),
    ForeignVariable("OTEL_METRICS_EXEMPLAR_FILTER", _EXEMPLARS, None, "metrics", "0.3",
                    "Selects the measurements that may become exemplars."),
    ForeignVariable("OTEL_BSP_SCHEDULE_DELAY", _LIMIT, None, "traces", "0.3",
                    "Gives the time between two exports of spans in milliseconds."),
    ForeignVariable("OTEL_BSP_MAX_QUEUE_SIZE", _COUNT, None, "traces", "0.3",
                    "Bounds the finished spans that wait for export, in place of `queue_size`."),
    ForeignVariable("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", _COUNT, None, "traces", "0.3",
                    "Bounds the spans of one export."),
    ForeignVariable("OTEL_BLRP_SCHEDULE_DELAY", _LIMIT, None, "logs", "0.3",
                    "Gives the time between two exports of log records in milliseconds."),
    ForeignVariable("OTEL_BLRP_MAX_QUEUE_SIZE", _COUNT, None, "logs", "0.3",
                    "Bounds the log records that wait for export."),
    ForeignVariable("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", _COUNT, None, "logs", "0.3",
                    "Bounds the log records of one export."),
    *(ForeignVariable(f"OTEL_{name}_LIMIT", _LIMIT, None, "traces, logs", "0.3",
                      f"Limits the number of {what}.") for name, what in _LIMITS.items()),
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


def read_foreign_variable(name: str, environ: Mapping[str, str] | None = None) -> Any:
    """Give the value of a variable that belongs to someone else.

    Args:
        name: The name of a row of `FOREIGN_VARIABLES`.
        environ: The variables; the process's own when not given.

    Returns:
        The value; the default of the row when the variable is unset or blank, and, with one
        warning, when its value is bad.

    Raises:
        KeyError: If the table has no such row.
    """
    variables = os.environ if environ is None else environ
    row = _BY_NAME[name]
    problem = _problem(row, variables)
    if problem:
        counts_as = "unset" if row.default is None else repr(row.default)
        warn("%s The variable counts as %s.", problem, counts_as)
    text = "" if problem else variables.get(name, "").strip()
    return row.type.parse(text) if text else row.default


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
