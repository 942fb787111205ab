# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Outgoing httpx requests: a client span each, with the trace context in the headers."""

from __future__ import annotations

from nemo.lens.contrib.instrumentation import instrument_process, uninstrument_process


def instrument_httpx() -> None:
    """Instrument every httpx client of the process, synchronous or asynchronous.

    A second call does nothing. Works before and after set-up. Bodies, query strings and
    credentials in URLs are not recorded. `OTEL_PYTHON_EXCLUDED_URLS` and
    `OTEL_PYTHON_HTTPX_EXCLUDED_URLS` name, as comma-separated regular expressions, URLs that get
    no span.

    Raises:
        ImportError: The instrumentation is not installed; the text names the extra.
    """
    instrument_process("httpx", extra="httpx")


def uninstrument_httpx() -> None:
    """Undo `instrument_httpx`; does nothing when it was not called."""
    uninstrument_process("httpx", extra="httpx")
