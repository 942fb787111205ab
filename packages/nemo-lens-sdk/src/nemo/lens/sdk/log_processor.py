# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The one log record processor: from the logger provider into the export queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.sdk import _otel_private

if TYPE_CHECKING:
    from collections.abc import Callable

    from nemo.lens.sdk.export_queue import ExportQueue


class LensLogProcessor:
    """Queues log records; has the methods of a processor in every supported OpenTelemetry.

    Args:
        queues: One queue for each exporter.
        flush: Flushes the whole pipeline.
    """

    def __init__(self, queues: tuple[ExportQueue, ...], flush: Callable[[int], bool]) -> None:
        self._queues = queues
        self._flush = flush

    def on_emit(self, log_record: Any) -> None:
        """Queue a record."""
        readable = _otel_private.readable_log_record(log_record)
        for queue in self._queues:
            queue.put(readable)

    def emit(self, log_data: Any) -> None:
        """Queue a record; the name of `on_emit` before OpenTelemetry 1.35."""
        self.on_emit(log_data)

    def enabled(self, **_criteria: Any) -> bool:
        """Say that every record is wanted."""
        return True

    def shutdown(self) -> None:
        """Do nothing: the pipeline is shut down by its handle."""

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Flush the pipeline within `timeout_millis`; True when everything was delivered."""
        return self._flush(timeout_millis)
