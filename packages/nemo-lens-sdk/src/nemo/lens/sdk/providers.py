# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`build_providers` in both of its shapes."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nemo.lens.missing_sdk import needing_sdk
from nemo.lens.sdk.otel_environment import load_sdk
from nemo.lens.setup_arguments import refuse_unusable_parts

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace.export import SpanExporter

    from nemo.lens.config import NemoLensConfig


def build_providers(  # noqa: PLR0917 - the signature is the compatibility contract
    config: NemoLensConfig,
    rank_or_resource_attributes: int | Mapping[str, Any] | None = None,
    world_size: int | None = None,
    resource_attributes: Mapping[str, Any] | None = None,
    span_exporter: SpanExporter | None = None,
    metric_reader: MetricReader | None = None,
) -> tuple[Any, Any]:
    """Build the providers of this process and install them globally.

    Applications call `setup_telemetry`, which also decides whether to export at all, enables span
    groups, and gives a handle to shut down.

    Args:
        config: The configuration.
        rank_or_resource_attributes: The rank of this process (the 0.2 shape), or resource
            attributes (the later shape), or None.
        world_size: Number of ranks, in the 0.2 shape.
        resource_attributes: Resource attributes, in the 0.2 shape.
        span_exporter: Exports spans in place of the exporters that `config` names.
        metric_reader: Reads metrics in place of the exporters that `config` names.

    Returns:
        The tracer provider and the meter provider; None for a signal that is switched off, and for
        both when this process cannot run telemetry, which one ERROR explains.

    Raises:
        ImportError: The OpenTelemetry SDK or the package of a chosen exporter is missing.
        ValueError: A value of the configuration is bad.
        TypeError: `rank_or_resource_attributes` is neither a rank nor a mapping, or an exporter or
            reader is none.
    """
    rank: int | None = None
    if isinstance(rank_or_resource_attributes, Mapping):
        resource_attributes = {**(resource_attributes or {}), **rank_or_resource_attributes}
    elif rank_or_resource_attributes is not None:
        try:
            rank = operator.index(rank_or_resource_attributes)
        except TypeError:
            raise TypeError(
                "build_providers: the second argument must be a rank (int), a mapping of resource "
                f"attributes, or None, got {rank_or_resource_attributes!r}"
            ) from None
    refuse_unusable_parts(span_exporter, metric_reader)
    with needing_sdk("build_providers"):
        load_sdk()
        from nemo.lens.sdk.runtime import prepared
    runtime = prepared(
        config,
        rank=rank,
        world_size=world_size,
        resource_attributes=resource_attributes,
        span_exporter=span_exporter,
        metric_reader=metric_reader,
    )
    if runtime is None or not runtime.install():
        return None, None
    return runtime.providers.tracer_provider, runtime.providers.meter_provider
