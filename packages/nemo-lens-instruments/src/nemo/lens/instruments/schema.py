# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Every declared metric as data: what documentation, dashboards and rules are made from."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments import collection
from nemo.lens.instruments.prometheus_names import prometheus_name
from nemo.lens.instruments.registry import registered_metric_groups
from nemo.lens.metric_durations import BOTH, MILLISECONDS, SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nemo.lens.instruments.metric_spec import MetricSpec

OWN_MODULES = ("inference", "rl", "gym", "gpu")
"""The modules of this package that declare metric groups."""


def schema() -> list[dict[str, Any]]:
    """Return every metric of this package and of the groups that are registered, one row each.

    Imports the modules of this package that declare metrics; nothing is recorded or exported.

    Returns:
        Rows in the order of their groups, which can be written as JSON: `group`, `key`, `name`,
        `kind`, `unit` (UCUM), `description`, `attributes` (a list of names), `buckets` (a list of
        upper bounds, or None), `owner`, `recorded_when` (the values of
        `NemoLensConfig.metric_durations` under which it is recorded; empty when always) and
        `prometheus_name` (of the time series in Prometheus; those of a histogram append `_bucket`,
        `_sum` and `_count`).
    """
    for module in OWN_MODULES:
        import_module(f"nemo.lens.instruments.{module}")
    groups = {collection.GROUP: collection.SPECS, **registered_metric_groups()}
    return [
        _row(group, spec, recorded_when)
        for group, specs in sorted(groups.items())
        for each in specs
        for spec, recorded_when in _variants(each)
    ]


def _variants(spec: MetricSpec) -> Iterator[tuple[MetricSpec, list[str]]]:
    twin = spec.in_seconds()
    yield spec, [] if twin is None else [MILLISECONDS, BOTH]
    if twin is not None:
        yield twin, [SECONDS, BOTH]


def _row(group: str, spec: MetricSpec, recorded_when: list[str]) -> dict[str, Any]:
    return {
        "group": group,
        "key": spec.key,
        "name": spec.name,
        "kind": spec.kind,
        "unit": spec.unit,
        "description": spec.description,
        "attributes": list(spec.attributes),
        "buckets": None if spec.buckets is None else list(spec.buckets),
        "owner": spec.owner,
        "recorded_when": recorded_when,
        "prometheus_name": prometheus_name(spec.name, spec.unit, spec.kind),
    }
