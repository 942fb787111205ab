# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The configuration of NeMo Lens in one process."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from nemo.lens.configuration.environment import FROM_CODE, FROM_DEFAULT, read_settings
from nemo.lens.configuration.problems import bad_value
from nemo.lens.configuration.run_id import ensure_run_id
from nemo.lens.configuration.settings import BY_FIELD, DEFAULT_PREFIX, SETTINGS
from nemo.lens.configuration.value_types import DefaultText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nemo.lens.configuration.settings import Setting

    Value = TypeVar("Value")
    # Any of these may be assigned; what is read is always the tuple of pairs.
    ForMetrics = Mapping[str, Sequence[Value]] | tuple[tuple[str, tuple[Value, ...]], ...]

__all__ = ["NemoLensConfig", "ensure_run_id"]


class _Origin(NamedTuple):
    """Where a value came from; a field that holds another value now was changed in code."""

    value: Any
    origin: str


@dataclass
class NemoLensConfig:
    """What NeMo Lens does in this process.

    Build it in code, or with `from_env` from `<PREFIX>_*` variables, change fields as you like, and
    hand it to `setup_telemetry`. The table in the reference documentation describes each field,
    its variable and the accepted values.

    Attributes:
        enabled: Whether there is any telemetry.
        service_name: `service.name` of the resource.
        service_version: `service.version` of the resource; left out when empty.
        exporter: A comma list out of `otlp`, `console` and `file`.
        span_groups: Which span groups are recorded, for example `"default"` or `"all,-optimizer"`.
        export_strategy: Which ranks export, when set-up is given a rank.
        export_rank: The exporting rank under `single_rank`; a negative one counts from the end.
        export_sample_rate: The share of exporting ranks under a sampling strategy, in [0, 1].
        sampler_enabled: Whether the rank sampler is added to the tracer provider.
        traces_enabled: Whether spans are exported.
        metrics_enabled: Whether metrics are exported.
        logs_enabled: Whether records of Python's `logging` are exported.
        metric_durations: `"ms"`, `"s"` or `"both"`: the unit of the instruments' durations.
        run_id: The id of the run; set-up fills it when it is empty.
        user: `nemo.user.id` of the resource; left out when empty.
        wandb_entity: `wandb.entity` of the resource; left out when empty.
        wandb_project: `wandb.project` of the resource; left out when empty.
        single_trace_id: Whether the spans of all ranks of a run share one trace.
        directory: The folder under which the exporter `file` records runs.
        blackbox: Whether the black box is kept; `None` keeps it with the exporter `file`.
        blackbox_dir: The folder on the node where the black box lies; `"run"` for the folder of the
            run, `""` for `/dev/shm` or the folder of temporary files.
        redact_keys: Attribute keys to redact in addition to the built-in ones.
        step_sampling: Record the per-step groups on every n-th step only.
        sigterm_flush: Whether SIGTERM flushes telemetry before it ends the process.
        flush_signals: Names of further signals that flush telemetry, such as `("SIGUSR1",)`.
        queue_size: How many finished spans may wait for export.
        metric_buckets: Upper bounds of the buckets of histograms, by name, such as
            `{"rl.rollout.duration_ms": (1, 10, 100)}`.
        metric_drop: Names of metrics that are not exported, such as `("gym.*",)`.
        metric_attributes: The attributes that metrics keep, by name of the metric.

    Raises:
        ValueError: If `export_sample_rate` is not in [0, 1]. Everything else is checked by
            `validate`, which set-up calls, because clients change fields in between.
    """

    enabled: bool = False
    service_name: str = BY_FIELD["service_name"].default
    service_version: str = ""
    exporter: str = BY_FIELD["exporter"].default
    span_groups: str = "default"
    export_strategy: str = BY_FIELD["export_strategy"].default
    export_rank: int = -1
    export_sample_rate: float = 1.0
    sampler_enabled: bool = False
    traces_enabled: bool = True
    metrics_enabled: bool = True
    logs_enabled: bool = False
    metric_durations: str = "ms"
    run_id: str = ""
    user: str = ""
    wandb_entity: str = ""
    wandb_project: str = ""
    single_trace_id: bool = False
    directory: str = "./nemo-lens-runs"
    blackbox: bool | None = None
    blackbox_dir: str = ""
    redact_keys: tuple[str, ...] = ()
    step_sampling: int = 1
    sigterm_flush: bool = True
    flush_signals: tuple[str, ...] = ()
    queue_size: int = 131_072
    metric_buckets: ForMetrics[float] = ()
    metric_drop: tuple[str, ...] = ()
    metric_attributes: ForMetrics[str] = ()
    _span_group_cls: Any = field(default=None, repr=False, compare=False)
    _prefix: str = field(default=DEFAULT_PREFIX, repr=False, compare=False)
    _origins: dict[str, _Origin] = field(
        default_factory=dict[str, _Origin], repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Refuse a bad sample rate."""
        self._check(("export_sample_rate",))

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field; its value came from code then.

        An accepted value is stored as `from_env` would give it (a list of names as a tuple, text
        without blanks around it); any other is stored as it is and reported by `validate`. Empty
        text counts as not set, as an empty variable does, but for `span_groups`, where it selects
        nothing.
        """
        setting = BY_FIELD.get(name)
        if setting is None:
            super().__setattr__(name, value)
            return
        canonical = _canonical(setting, value)
        chosen = not isinstance(canonical, DefaultText)
        self.record_origin(name, canonical, FROM_CODE if chosen else FROM_DEFAULT)

    @classmethod
    def from_env(
        cls,
        prefix: str = DEFAULT_PREFIX,
        fallback_prefix: str | None = None,
        span_group_cls: Any = None,
        *,
        environ: Mapping[str, str] | None = None,
    ) -> NemoLensConfig:
        """Build the configuration from environment variables.

        A variable that is empty counts as unset. Unknown variables under either prefix give one
        warning that names the nearest known ones.

        Args:
            prefix: The prefix of the library's own variables, such as `MEGATRON_OTEL`.
            fallback_prefix: The prefix that is looked at where those are unset.
            span_group_cls: A `SpanGroup` subclass that `resolved_span_groups` is strict about.
            environ: The variables; the process's own when not given.

        Raises:
            ValueError: If variables have bad values; the text names each variable, its value and
                what is accepted. Not when `<PREFIX>_ENABLED` is explicitly false: then there is one
                warning.
        """
        variables = os.environ if environ is None else environ
        readings = read_settings(variables, prefix, fallback_prefix)
        return cls(
            **{name: reading.value for name, reading in readings.items()},
            _span_group_cls=span_group_cls,
            _prefix=prefix,
            _origins={
                name: _Origin(reading.value, reading.origin) for name, reading in readings.items()
            },
        )

    def to_env(self, prefix: str = DEFAULT_PREFIX) -> dict[str, str]:
        """Give the variables that hand this configuration to child processes.

        `from_env(prefix)` in a process with these variables gives an equal configuration. Every
        setting is written, so that what the child inherits otherwise cannot change one; only
        service name and Weights & Biases names that are not set are left to the environment, which
        others read too. `span_group_cls` does not travel.

        Args:
            prefix: The prefix that the child's `from_env` is called with.

        Raises:
            ValueError: If a value is bad; see `validate`.
        """
        self.validate()
        environment: dict[str, str] = {}
        for setting in SETTINGS:
            text = setting.type.render(getattr(self, setting.field))
            if text or setting.suffixes:
                environment[setting.written_variable(prefix)] = text
        return environment

    def validate(self) -> None:
        """Check every value; `setup_telemetry` calls this.

        Raises:
            ValueError: If a value is bad; the text has a line for each, which names the variable it
                came from or else the field, the value, and what is accepted.
        """
        self._check(BY_FIELD)

    def provenance(self) -> Mapping[str, str]:
        """Say where each value came from.

        Returns:
            For each field `"default"`, `"code"`, `"environment:<VARIABLE>"`,
            `"fallback:<VARIABLE>"`, or `"random"` for an invented run id. Values that were changed
            after `from_env` say `"code"`; copies and `dataclasses.replace` keep the rest.
        """
        return MappingProxyType({name: self._origin(name) for name in BY_FIELD})

    def is_explicit(self, name: str) -> bool:
        """Say whether someone chose the value of the field `name`, be it equal to the default."""
        return self._origin(name) != FROM_DEFAULT

    def record_origin(self, name: str, value: Any, origin: str) -> None:
        """Set a field to a value that was found, not chosen, and remember where.

        Args:
            name: The field.
            value: Its value.
            origin: What `provenance` says about it.
        """
        super().__setattr__(name, value)
        origins = self.__dict__.get("_origins")
        if origins is not None:
            # A new mapping each time: after `copy.copy` two configurations share the old one.
            self._origins = {**origins, name: _Origin(value, origin)}

    @property
    def exporters(self) -> tuple[str, ...]:
        """The exporters by name, in order and lower case.

        Raises:
            ValueError: If `exporter` names one that there is not.
        """
        self._check(("exporter",))
        return tuple(BY_FIELD["exporter"].type.parse(self.exporter).split(","))

    @property
    def resolved_span_groups(self) -> frozenset[str]:
        """The span groups that `span_groups` selects.

        With a `SpanGroup` class this is its strict `resolve`. Without one the base vocabulary is
        registered, and the names that no registered library provides select nothing.

        Raises:
            ValueError: If a class is set and does not know a name.
        """
        if self._span_group_cls is not None:
            resolved: frozenset[str] = self._span_group_cls.resolve(self.span_groups)
            return resolved
        from nemo.lens.groups import SpanRegistry
        from nemo.lens.vocabulary import register_base_vocabulary

        register_base_vocabulary()
        enabled, _ = SpanRegistry.resolve(self.span_groups)
        return enabled

    def _check(self, names: Iterable[str]) -> None:
        """Raise one `ValueError` with a line for each of the fields whose value is bad."""
        problems = [
            bad_value(BY_FIELD[name].type, self._source(name), getattr(self, name))
            for name in names
            if not BY_FIELD[name].type.accepts(getattr(self, name))
        ]
        if problems:
            raise ValueError("\n".join(problems))

    def _source(self, name: str) -> str:
        """Give the variable that a value came from, else its field."""
        _, _, variable = self._origin(name).partition(":")
        return variable or f"NemoLensConfig.{name}"

    def _origin(self, name: str) -> str:
        """Give the recorded origin for as long as the value is the recorded one."""
        value = getattr(self, name)
        recorded = self._origins.get(name)
        if recorded is not None and _same(value, recorded.value):
            return recorded.origin
        return FROM_DEFAULT if _same(value, BY_FIELD[name].default) else FROM_CODE


def _canonical(setting: Setting, value: Any) -> Any:
    """Give an accepted value as a variable would give it, any other unchanged."""
    if not setting.type.accepts(value):
        return value
    canonical = setting.type.canonical(value)
    return canonical if setting.type.render(canonical) else setting.default


def _same(value: Any, other: Any) -> bool:
    """Compare values; a default that nobody chose is not the same as that text, chosen."""
    return value is other or (type(value) is type(other) and bool(value == other))
