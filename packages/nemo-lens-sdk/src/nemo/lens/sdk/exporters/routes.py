# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The exporters that a configuration names, each able to build its sinks again in a child."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from nemo.lens import semconv
from nemo.lens.resources.identity import detect_identity
from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.companion import Companion
from nemo.lens.sdk.repair import repair_logs, repair_metrics, repair_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from opentelemetry.sdk.resources import Resource

    from nemo.lens.config import NemoLensConfig
    from nemo.lens.sdk.export_queue import Sink
    from nemo.lens.sdk.files.sinks import RunFiles

_MAIN_ROLE = "trainer"


class Route(Companion, ABC):
    """One exporter and what it builds for each signal.

    Attributes:
        delay_s: Seconds between exports while less than a batch waits.
    """

    delay_s: float = 0.2

    @abstractmethod
    def span_sink(self) -> Sink:
        """Build the sink of spans."""

    @abstractmethod
    def metric_sink(self) -> Sink:
        """Build the sink of metrics."""

    @abstractmethod
    def log_sink(self) -> Sink:
        """Build the sink of log records."""

    def metric_preferences(self, sink: Any) -> dict[str, Any]:
        """The temporality and aggregation that the sink's exporter asks for; the defaults if {}."""
        del sink
        return {}


class OtlpRoute(Route):
    """Export to an OTLP endpoint."""

    name = "otlp"
    delay_s = 1.0

    def span_sink(self) -> Sink:
        """Build the sink of spans."""
        from nemo.lens.sdk.exporters.otlp import OtlpSink

        return OtlpSink("traces", repair_spans)

    def metric_sink(self) -> Sink:
        """Build the sink of metrics."""
        from nemo.lens.sdk.exporters.otlp import OtlpSink

        return OtlpSink("metrics", repair_metrics, one_by_one=True)

    def log_sink(self) -> Sink:
        """Build the sink of log records."""
        from nemo.lens.sdk.exporters.otlp import OtlpSink

        return OtlpSink("logs", repair_logs)

    def metric_preferences(self, sink: Any) -> dict[str, Any]:
        """The preferences of the official exporter, which reads its own variables."""
        return _otel_private.preferences(sink.exporter)


class ConsoleRoute(Route):
    """Print to standard output."""

    name = "console"

    def span_sink(self) -> Sink:
        """Build the sink of spans."""
        from nemo.lens.sdk.exporters.console import ConsoleSink

        return ConsoleSink(repair_spans)

    def metric_sink(self) -> Sink:
        """Build the sink of metrics."""
        from nemo.lens.sdk.exporters.console import ConsoleSink

        return ConsoleSink(lambda batch: [repair_metrics(data) for data in batch])

    def log_sink(self) -> Sink:
        """Build the sink of log records."""
        from nemo.lens.sdk.exporters.console import ConsoleSink

        return ConsoleSink(repair_logs)


class FileRoute(Route):
    """Record to run files.

    Args:
        files: The files of this process.
    """

    name = "file"

    def __init__(self, files: RunFiles) -> None:
        self.files = files

    def span_sink(self) -> Sink:
        """Build the sink of spans."""
        from nemo.lens.sdk.files.sinks import SpanFile

        return SpanFile(self.files)

    def metric_sink(self) -> Sink:
        """Build the sink of metrics."""
        from nemo.lens.sdk.files.sinks import MetricFile

        return MetricFile(self.files)

    def log_sink(self) -> Sink:
        """Build the sink of log records."""
        from nemo.lens.sdk.files.sinks import LogFile

        return LogFile(self.files)

    def open(self) -> None:
        """Create the folder and its manifest, so that even a process that dies at once is seen."""
        self.files.open()

    def after_fork(self, resource: Resource) -> None:
        """Record to a folder of the child's own, created with its first item."""
        self.files.start_over(resource.attributes)

    def finish(self, end: str, lost: Mapping[str, int]) -> None:
        """Complete the manifest."""
        self.files.finish(end, lost)

    def lost(self) -> dict[str, int]:
        """What was deleted for the cap."""
        return self.files.losses.lost()


def routes_of(config: NemoLensConfig, resource: Resource, names: Iterable[str]) -> list[Route]:
    """Build the routes to the exporters called `names`, one for each."""
    routes: list[Route] = []
    for name in dict.fromkeys(names):
        if name == "otlp":
            routes.append(OtlpRoute())
        elif name == "console":
            routes.append(ConsoleRoute())
        else:
            routes.append(FileRoute(run_files(config, resource)))
    return routes


def run_files(config: NemoLensConfig, resource: Resource) -> RunFiles:
    """Prepare the run files of this process."""
    from nemo.lens.sdk.files.folder import ProcessIdentity
    from nemo.lens.sdk.files.sinks import RunFiles

    attributes = resource.attributes
    has_rank = semconv.NV_DL_RANK in attributes
    identity = ProcessIdentity(
        run_id=config.run_id,
        role=str(attributes.get(semconv.NV_DL_ROLE) or (_MAIN_ROLE if has_rank else "process")),
        rank=_integer(attributes.get(semconv.NV_DL_RANK)),
        world_size=_integer(attributes.get(semconv.NV_DL_WORLD_SIZE)),
        local_rank=_integer(attributes.get(semconv.NV_DL_LOCAL_RANK)),
        restart=detect_identity().restart or 0,
    )
    settings = {
        field.name: getattr(config, field.name)
        for field in fields(config)
        if not field.name.startswith("_")
    }
    return RunFiles(config.directory, identity, settings, attributes)


def _integer(value: Any) -> int | None:
    try:
        return None if value is None else int(value)
    except (TypeError, ValueError):
        return None
