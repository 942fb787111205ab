# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A span exporter that the caller of set-up brought along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from nemo.lens.sdk.export_queue import Outcome, Sink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan


class ForeignSpanSink(Sink):
    """Hands spans to any OpenTelemetry span exporter, whose failures are final.

    Args:
        exporter: The caller's exporter; it is shared with forked children, because nobody but the
            caller knows how to build another one.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def send(self, batch: Sequence[ReadableSpan]) -> Outcome:
        """Export a batch; the exporter answers for retries."""
        result = self._exporter.export(batch)
        return Outcome.REFUSED if result is SpanExportResult.FAILURE else Outcome.DELIVERED

    def close(self) -> None:
        """Shut the exporter down."""
        self._exporter.shutdown()
