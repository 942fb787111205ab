# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Run files as an exporter of spans, metrics and logs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk import counts
from nemo.lens.sdk._otel_private import encode_logs
from nemo.lens.sdk.export_queue import Outcome, Sink
from nemo.lens.sdk.files.encoding import encode_resource, encode_spans, to_bytes
from nemo.lens.sdk.files.folder import ProcessIdentity, RunFolder
from nemo.lens.sdk.files.kept_segments import KeptSegments
from nemo.lens.sdk.files.messages import message_to_line
from nemo.lens.sdk.files.segments import SegmentLimits, SegmentWriter
from nemo.lens.sdk.noise import warn_once_a_minute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan


class RunFiles:
    """The recording of this process: one folder, one writer for each signal.

    Args:
        directory: Where runs are recorded.
        identity: Who this process is.
        config: The configuration, for the manifest.
        resource: The resource attributes, for the manifest.
        limits: When segments end and what is kept.
    """

    def __init__(
        self,
        directory: str,
        identity: ProcessIdentity,
        config: Mapping[str, Any],
        resource: Mapping[str, Any],
        limits: SegmentLimits | None = None,
    ) -> None:
        self._directory = Path(directory).absolute()
        self._identity = identity
        self._config = config
        self._limits = limits or SegmentLimits()
        self.losses = counts.Counts()
        self.start_over(resource)

    def start_over(self, resource: Mapping[str, Any]) -> None:
        """Begin a new folder, which is created when it is first needed; for forked children."""
        self._folder = RunFolder(self._directory, self._identity, self._config, resource)
        self._writers: dict[str, SegmentWriter] = {}
        self._kept = KeptSegments(self._limits.total_bytes, self.losses)
        self.losses.reset()

    def open(self) -> None:
        """Create the folder and its manifest; a failure is one warning, and is tried again later."""
        try:
            self._folder.open()
        except OSError as error:
            _warn(self._directory, error)

    @property
    def folder(self) -> RunFolder:
        """The folder of this process, created with its manifest when it is first needed."""
        return self._folder

    def identity(self) -> dict[str, Any]:
        """Who this process is, as the manifest says it."""
        return asdict(self._identity)

    def write(self, signal: str, line: str, items: int) -> Outcome:
        """Append one line; a full disk or a vanished folder is a warning and a retry."""
        writer = self._writers.get(signal)
        if writer is None:
            writer = SegmentWriter(signal, self._folder.open, self._limits, self._kept)
            self._writers[signal] = writer
        try:
            writer.write(to_bytes(line), items)
        except OSError as error:
            _warn(self._directory, error)
            return Outcome.RETRY
        return Outcome.DELIVERED

    def close(self, signal: str) -> None:
        """Close the current segment of one signal."""
        writer = self._writers.pop(signal, None)
        if writer is not None:
            writer.close()

    def finish(self, end: str, lost: Mapping[str, int]) -> None:
        """Say in the manifest how the recording ended and what was lost."""
        try:
            self._folder.finish(end, lost)
        except OSError as error:
            _warn(self._directory, error)


class SpanFile(Sink):
    """Writes spans to `traces-*.jsonl`."""

    rejected_as = counts.UNENCODABLE

    def __init__(self, files: RunFiles) -> None:
        self._files = files
        self._resources: dict[int, tuple[Resource, str]] = {}

    def send(self, batch: Sequence[ReadableSpan]) -> Outcome:
        """Write the batch as one line."""
        resource = batch[0].resource
        encodable = batch
        try:
            line = encode_spans(batch, self._resource_json(resource))
        except Exception:
            encodable = [span for span in batch if _is_encodable(span)]
            line = encode_spans(encodable, self._resource_json(resource))
        self.rejected = len(batch) - len(encodable)
        if not encodable:
            return Outcome.DELIVERED
        return self._files.write("traces", line, len(encodable))

    def close(self) -> None:
        """Close the current segment."""
        self._files.close("traces")

    def _resource_json(self, resource: Resource) -> str:
        known = self._resources.get(id(resource))
        if known is None or known[0] is not resource:
            known = self._resources[id(resource)] = (resource, encode_resource(resource))
        return known[1]


class MetricFile(Sink):
    """Writes metrics to `metrics-*.jsonl`."""

    def __init__(self, files: RunFiles) -> None:
        self._files = files

    def send(self, batch: Sequence[Any]) -> Outcome:
        """Write one collection of metrics as one line."""
        from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics

        from nemo.lens.sdk.repair import encode_repaired, repair_metrics

        message = encode_repaired(encode_metrics, repair_metrics, batch[0])
        return self._files.write("metrics", message_to_line(message), 1)

    def close(self) -> None:
        """Close the current segment."""
        self._files.close("metrics")


class LogFile(Sink):
    """Writes log records to `logs-*.jsonl`."""

    def __init__(self, files: RunFiles) -> None:
        self._files = files

    def send(self, batch: Sequence[Any]) -> Outcome:
        """Write the batch as one line."""
        from nemo.lens.sdk.repair import encode_repaired, repair_logs

        message = encode_repaired(encode_logs, repair_logs, batch)
        return self._files.write("logs", message_to_line(message), len(batch))

    def close(self) -> None:
        """Close the current segment."""
        self._files.close("logs")


def _is_encodable(span: ReadableSpan) -> bool:
    try:
        encode_spans([span], "")
    except Exception as error:
        warn_once_a_minute("unencodable", "a span cannot be written and is dropped: %s", error)
        return False
    return True


def _warn(directory: Path, error: OSError) -> None:
    warn_once_a_minute(
        f"files {directory}",
        "recording to %s failed (%s); what is recorded waits in memory within its bound and is "
        "written when there is space again",
        directory,
        error,
    )
