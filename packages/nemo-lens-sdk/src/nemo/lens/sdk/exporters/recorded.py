# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Requests that were recorded before, sent by the official exporters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.sdk.exporters.otlp import OtlpSink

if TYPE_CHECKING:
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
        super().__init__(signal, repair=_as_it_is, encode=_as_it_is, one_by_one=True)


def _as_it_is(message: Any) -> Any:
    return message
