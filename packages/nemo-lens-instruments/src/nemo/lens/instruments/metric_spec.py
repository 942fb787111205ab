# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a metric is: one frozen record, from which everything else about it is derived."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from opentelemetry.metrics import CallbackOptions, Observation

    ObservableCallback = Callable[[CallbackOptions], Iterable[Observation]]

SYNCHRONOUS_METRIC_KINDS = frozenset({"counter", "gauge", "histogram", "up_down_counter"})
"""Kinds whose values the program records when it has them."""

OBSERVABLE_METRIC_KINDS = frozenset(
    {"observable_counter", "observable_gauge", "observable_up_down_counter"}
)
"""Kinds whose values a callback reports at every collection."""

METRIC_KINDS = SYNCHRONOUS_METRIC_KINDS | OBSERVABLE_METRIC_KINDS
"""All accepted values of `MetricSpec.kind`."""


@dataclasses.dataclass(frozen=True)
class MetricSpec:
    """One metric of a group.

    Args:
        key: The name of the value at the recording call, `record_metrics(meter, group, key=...)`.
        name: The instrument's name in the application's scope, such as `rl.reward.mean`.
        kind: One of `METRIC_KINDS`.
        unit: A UCUM unit: `s`, `By`, `{token}`, `1`, or empty for a number without one.
        description: A full sentence that says what the number means.
        callback: For observable kinds only: reports the complete set of observations each time.
        buckets: Histograms only: advisory upper bounds, ascending, in `unit`.
        attributes: The attribute names that points of this metric carry; for documentation.
        seconds_name: For a histogram in `ms` only: the name under which the same durations are
            recorded in seconds, when `NemoLensConfig.metric_durations` says so.
        owner: Who to ask about the metric.

    Raises:
        ValueError: Empty key or name, unknown kind, a callback that is missing or not usable,
            bucket bounds on another kind or out of order, or a name in seconds for what is no
            duration in milliseconds.
    """

    key: str
    name: str
    kind: str = "gauge"
    unit: str = ""
    description: str = ""
    callback: ObservableCallback | None = None
    buckets: tuple[float, ...] | None = None
    attributes: tuple[str, ...] = ()
    owner: str = ""
    seconds_name: str = ""

    def __post_init__(self) -> None:
        """Refuse a specification that no instrument could be made from."""
        if not self.key:
            raise ValueError("A metric's key must be a non-empty string.")
        if not self.name:
            raise ValueError(f"Metric {self.key!r}: the name must be a non-empty string.")
        if self.kind not in METRIC_KINDS:
            raise ValueError(
                f"Metric {self.key!r}: kind {self.kind!r} is not one of"
                f" {', '.join(sorted(METRIC_KINDS))}."
            )
        self._check_callback()
        self._check_buckets()
        if self.seconds_name and (self.kind, self.unit) != ("histogram", "ms"):
            raise ValueError(
                f"Metric {self.key!r}: seconds_name is only used by histograms with the unit 'ms',"
                f" not by {self.kind!r} with {self.unit!r}."
            )

    @property
    def is_observable(self) -> bool:
        """Whether a callback reports the values."""
        return self.kind in OBSERVABLE_METRIC_KINDS

    def in_seconds(self) -> MetricSpec | None:
        """Return the metric that records the same durations in seconds, None without one."""
        if not self.seconds_name:
            return None
        bounds = None if self.buckets is None else tuple(bound / 1000 for bound in self.buckets)
        return dataclasses.replace(
            self, name=self.seconds_name, unit="s", buckets=bounds, seconds_name=""
        )

    def _check_callback(self) -> None:
        if self.is_observable and self.callback is None:
            raise ValueError(
                f"Metric {self.key!r} of kind {self.kind!r} requires a callback that returns"
                " its observations."
            )
        if self.callback is not None and not self.is_observable:
            raise ValueError(
                f"Metric {self.key!r}: a callback is only used by observable kinds, not by"
                f" {self.kind!r}; record the values with record_metrics instead."
            )

    def _check_buckets(self) -> None:
        if self.buckets is None:
            return
        if self.kind != "histogram":
            raise ValueError(
                f"Metric {self.key!r}: bucket bounds belong to histograms, not to {self.kind!r}."
            )
        bounds: tuple[Any, ...] = self.buckets
        if not bounds or any(low >= high for low, high in itertools.pairwise(bounds)):
            raise ValueError(
                f"Metric {self.key!r}: bucket bounds {bounds!r} must be ascending and not empty."
            )
