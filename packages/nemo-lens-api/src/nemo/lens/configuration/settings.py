# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The one table of settings: every variable by which NeMo Lens is configured.

Parsing, error messages, `NemoLensConfig.to_env`, the origin of each value, the warning about
unknown variables and the table in `docs/reference/configuration.md` are derived from it. To add a
setting, add its row here and its field to `NemoLensConfig`; a test compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nemo.lens.configuration.metric_value_types import (
    MetricAttributes,
    MetricBuckets,
    MetricPatterns,
)
from nemo.lens.configuration.value_types import (
    INT32_MAX,
    Boolean,
    DefaultText,
    GroupSpec,
    Integer,
    Names,
    Real,
    Signals,
    Text,
    Words,
)

if TYPE_CHECKING:
    from nemo.lens.configuration.value_types import ValueType

DEFAULT_PREFIX: Final = "NEMO_LENS"
KNOWN_PREFIXES: Final = (DEFAULT_PREFIX, "MEGATRON_OTEL", "NVRX_OTEL")
RUN_ID_VARIABLE: Final = "NEMO_LENS_RUN_ID"


class Setting(NamedTuple):
    """One row of the table.

    Attributes:
        field: Name of the field of `NemoLensConfig`.
        suffixes: Names after `<PREFIX>_`; `to_env` writes the first, all are read. Empty when only
            `bare` exists.
        bare: A name that is read whatever the prefix is, after the prefixed ones; "" for none.
        type: How text becomes a value, and what is accepted.
        default: The value when no variable is set.
        used_by: The part that reads the value.
        since: First version with this variable.
        description: One sentence for the documentation.
    """

    field: str
    suffixes: tuple[str, ...]
    bare: str
    type: ValueType
    default: Any
    used_by: str
    since: str
    description: str

    def variables(self, prefix: str, fallback_prefix: str | None = None) -> dict[str, bool]:
        """Give the variables in the order they are read, each with whether it is a fallback."""
        names = {f"{prefix}_{suffix}": False for suffix in self.suffixes}
        if fallback_prefix:
            for suffix in self.suffixes:
                names.setdefault(f"{fallback_prefix}_{suffix}", True)
        if self.bare:
            names.setdefault(self.bare, False)
        return names

    def written_variable(self, prefix: str) -> str:
        """Give the variable that hands the value to a child process."""
        return f"{prefix}_{self.suffixes[0]}" if self.suffixes else self.bare


_SWITCH: Final = Boolean()
_TEXT: Final = Text()
_VERBATIM_TEXT: Final = Text(keeps_blanks=True)
_GROUPS: Final = GroupSpec("names of groups and presets, `-name` to exclude")
_DURATIONS: Final = Words("ms", "s", "both", fault="Invalid unit")
_EXPORTERS: Final = Words("otlp", "console", "file", fault="Unknown exporter", several=True)

# fmt: off
# One row reads as one row: field, suffixes, bare name, type, default / used by, since / description.
SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("enabled", ("ENABLED",), "", _SWITCH, False,
            "set-up", "0.1",
            "Switches telemetry on; explicitly off, no other variable can raise an error."),
    Setting("service_name", (), "OTEL_SERVICE_NAME", _TEXT, DefaultText("nemo"),
            "resource", "0.1",
            "Names the service that the telemetry comes from (`service.name`)."),
    Setting("service_version", ("SERVICE_VERSION",), "", _TEXT, "",
            "resource", "0.3",
            "Gives the version of that service (`service.version`); left out when empty."),
    Setting("exporter", ("EXPORTER",), "", _EXPORTERS, DefaultText("otlp"),
            "exporters", "0.1",
            "Says where telemetry goes: an OTLP endpoint, standard output, run files."),
    Setting("span_groups", ("SPAN_GROUPS",), "", _GROUPS, "default",
            "the gate", "0.1",
            "Selects the span groups that are recorded; a comma alone selects none."),
    Setting("export_strategy", ("EXPORT_STRATEGY",), "",
            Text("the name of a registered strategy"), DefaultText("single_rank"),
            "set-up with a rank", "0.2",
            "Decides which ranks export: `all_ranks`, `single_rank`, `sampled`, `every_nth`, "
            "`first_rank_per_node` or a strategy that the application registered."),
    Setting("export_rank", ("EXPORT_RANK",), "", Integer(-INT32_MAX), -1,
            "strategy `single_rank`", "0.2",
            "Gives the rank that exports under `single_rank`; -1 is the last one, -2 the one "
            "before it."),
    Setting("export_sample_rate", ("EXPORT_SAMPLE_RATE",), "", Real(0, 1), 1.0,
            "strategies `sampled`, `every_nth`; sampler", "0.2",
            "Gives the share of ranks that export under a sampling strategy."),
    Setting("sampler_enabled", ("SAMPLER_ENABLED",), "", _SWITCH, False,
            "traces", "0.2",
            "Adds the sampler that keeps only the spans of sampled ranks."),
    Setting("traces_enabled", ("TRACES_ENABLED",), "", _SWITCH, True,
            "traces", "0.1",
            "Switches the export of spans."),
    Setting("metrics_enabled", ("METRICS_ENABLED",), "", _SWITCH, True,
            "metrics", "0.1",
            "Switches the export of metrics."),
    Setting("logs_enabled", ("LOGS_ENABLED",), "", _SWITCH, False,
            "logs", "0.1",
            "Switches the export of the records of Python's `logging`."),
    Setting("metric_durations", ("METRIC_DURATIONS",), "", _DURATIONS, "ms",
            "metrics", "0.3",
            "Chooses the duration metrics of the instruments: in milliseconds under the names of "
            "earlier releases, in seconds after the OpenTelemetry conventions, or both."),
    Setting("run_id", ("RUN_ID",), RUN_ID_VARIABLE, _TEXT, "",
            "resource, run files", "0.1",
            "Identifies the run; when it is empty, set-up fills it from the scheduler or at "
            "random."),
    Setting("user", ("USER_ID",), "", _TEXT, "",
            "resource", "0.1",
            "Names the user whom the run belongs to (`nemo.user.id`); left out when empty."),
    Setting("wandb_entity", (), "WANDB_ENTITY", _VERBATIM_TEXT, "",
            "resource", "0.1",
            "Names the Weights & Biases entity (`wandb.entity`); left out when empty."),
    Setting("wandb_project", (), "WANDB_PROJECT", _VERBATIM_TEXT, "",
            "resource", "0.1",
            "Names the Weights & Biases project (`wandb.project`); left out when empty."),
    Setting("single_trace_id", ("SINGLE_TRACE_ID", "ENABLE_SINGLE_TRACEID"),
            "ENABLE_SINGLE_TRACEID", _SWITCH, False,
            "traces", "0.2",
            "Puts the spans of all ranks of a run into one trace, whose id follows from the run "
            "id."),
    Setting("directory", ("DIR",), "", Text("a path"), "./nemo-lens-runs",
            "exporter `file`", "0.3",
            "Names the folder under which runs are recorded."),
    Setting("blackbox", ("BLACKBOX",), "", Boolean(optional=True), None,
            "black box", "0.3",
            "Keeps the black box that survives a killed process; when it is unset, the exporter "
            "`file` brings it."),
    Setting("blackbox_dir", ("BLACKBOX_DIR",), "", Text("a path"), "",
            "black box", "0.3",
            "Names a folder on the node for the black box, or `run` for the folder of the run; "
            "when it is empty, `/dev/shm` is used, or the folder of temporary files."),
    Setting("redact_keys", ("REDACT_KEYS",), "", Names(), (),
            "span attributes", "0.3",
            "Adds attribute keys whose values are replaced by `[REDACTED]`."),
    Setting("step_sampling", ("STEP_SAMPLING",), "", Integer(1), 1,
            "the gate", "0.3",
            "Records the per-step groups on every n-th step only; has no effect unless the loop "
            "calls `set_step`."),
    Setting("sigterm_flush", ("SIGTERM_FLUSH",), "", _SWITCH, True,
            "signals", "0.3",
            "Flushes within a deadline when the process receives SIGTERM, then lets it end."),
    Setting("flush_signals", ("FLUSH_SIGNALS",), "", Signals(), (),
            "signals", "0.3",
            "Adds signals that flush telemetry, such as the warning before a preemption."),
    Setting("queue_size", ("QUEUE_SIZE",), "", Integer(1), 131_072,
            "traces", "0.3",
            "Bounds the finished spans that wait for export; more are dropped and counted."),
    Setting("metric_buckets", ("METRIC_BUCKETS",), "", MetricBuckets(), (),
            "metrics", "0.3",
            "Gives histograms other upper bounds of their buckets."),
    Setting("metric_drop", ("METRIC_DROP",), "", MetricPatterns(), (),
            "metrics", "0.3",
            "Names metrics that are not exported."),
    Setting("metric_attributes", ("METRIC_ATTRIBUTES",), "", MetricAttributes(), (),
            "metrics", "0.3",
            "Lists the attributes that metrics keep; their other ones are dropped."),
)
# fmt: on

BY_FIELD: Final[dict[str, Setting]] = {setting.field: setting for setting in SETTINGS}
