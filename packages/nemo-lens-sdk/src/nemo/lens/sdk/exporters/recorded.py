# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Requests that were recorded before, sent by the official exporters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.sdk.exporters.otlp import OtlpSink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nemo.lens.sdk.export_queue import Outcome
    from nemo.lens.sdk.exporters.otlp_variables import Signal


class RecordedRequests(OtlpSink):
    """Sends official request messages as they are, one in each batch.

    Endpoint, protocol, headers, certificates, compression and timeout come from OpenTelemetry's
    variables, as for what a process records itself.

    Args:
        signal: What the messages carry.

    Raises:
        ImportError: The package of the chosen protocol is not installed.
    """

    def __init__(self, signal: Signal) -> None:
        super().__init__(signal, repair=_as_it_is, encode=_message_of, one_by_one=True)

    def send(self, batch: Sequence[Any]) -> Outcome:
        """Send the one message in `batch`."""
        return super().send([_Recorded(batch[0])])


class _Recorded:
    """A message in the shape of what exporters get: they count what is in it before they encode."""

    resource_metrics = ()

    def __init__(self, message: Any) -> None:
        self.message = message

    def __len__(self) -> int:
        return 1


def _message_of(recorded: _Recorded) -> Any:
    return recorded.message


def _as_it_is(recorded: _Recorded) -> _Recorded:
    return recorded
