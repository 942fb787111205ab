# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Record the values of a metric group; nothing on this path ever raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.meters import instrument_set
from nemo.lens.instruments.problems import warn_once
from nemo.lens.instruments.registry import plain_name
from nemo.lens.spans.text import is_mapping, real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.metrics import Meter


_TEXT = frozenset({str})


def record_metrics(
    meter: Meter,
    group: str,
    values: Mapping[str, Any] | None = None,
    /,
    *,
    attributes: Mapping[str, Any] | None = None,
    **more_values: Any,
) -> None:
    """Record one value for each key of a metric group.

    Never raises; each distinct problem is logged once as a WARNING, and the other values are
    recorded. With a meter that exports nothing this costs a few look-ups. In a hot loop,
    `nemo.lens.instruments.bind_metrics` saves the look-ups.

    Args:
        meter: The meter of the handle, `handle.meter`.
        group: A name given to `register_metric_group`.
        values: Keys and numbers; `None` values are left out. numpy and torch scalars in host
            memory are read; one on an accelerator is dropped, because reading it would wait.
        attributes: Attributes of every point recorded by this call. A group keeps
            `MAX_ATTRIBUTE_SETS` distinct sets apart; further ones are recorded together, under
            `otel.metric.overflow=true`.
        **more_values: Further values; they win over `values`.
    """
    if type(group) is not str:
        group = plain_name(group)
    merged = merged_values(group, values, more_values)
    if merged:
        record_row(meter, group, tuple(merged), tuple(merged.values()), attributes)


def record_row(
    meter: Meter,
    group: str,
    keys: Sequence[str],
    values: Sequence[Any],
    attributes: Mapping[str, Any] | None,
) -> None:
    """Record one value for each of `keys`, as `record_metrics` does with a mapping of them."""
    instruments = instrument_set(meter, group, "record_metrics")
    if instruments is not None and not instruments.discards:
        points = None if attributes is None else instruments.attribute_sets.of(attributes)
        instruments.record(keys, values, points)


def create_metric_instruments(meter: Meter, group: str) -> None:
    """Make the instruments of `group` now, which starts its observable metrics.

    A second call makes what could not be made before. Never raises; problems are logged as in `record_metrics`.
    """
    instruments = instrument_set(meter, plain_name(group), "create_metric_instruments")
    if instruments is not None:
        instruments.complete()


def merged_values(group: str, values: Any, more_values: dict[str, Any]) -> dict[str, Any]:
    """Join what was given as a mapping and as keywords; empty when the mapping is none."""
    if values is None:
        return more_values
    if not is_mapping(values):
        warn_once(
            ("values", group),
            "record_metrics(%r): the `values` argument of type %s is not a mapping; the call"
            " records nothing. Pass a mapping of metric keys to numbers.",
            group,
            type_name(real_type(values)),
        )
        return {}
    try:
        merged = {**values, **more_values}
        return merged if _TEXT.issuperset(map(type, merged)) else _with_text_keys(group, merged)
    except Exception:  # a mapping of the caller's whose own methods fail
        warn_once(
            ("values", group),
            "record_metrics(%r): the `values` argument of type %s cannot be read.",
            group,
            type_name(real_type(values)),
        )
        return more_values


def _with_text_keys(group: str, values: Mapping[Any, Any]) -> dict[str, Any]:
    """Keep the values whose keys are text, members of text enumerations among them."""
    kept: dict[str, Any] = {}
    for key, value in values.items():
        if issubclass(real_type(key), str):
            kept[str.__str__(key)] = value
        else:
            warn_once(
                ("key type", group),
                "record_metrics(%r): a key of type %s is no metric key; its value was dropped.",
                group,
                type_name(real_type(key)),
            )
    return kept
