# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Outgoing requests of the library requests: a client span each, with the context in the headers."""

from __future__ import annotations

from nemo.lens.contrib.instrumentation import instrument_process, uninstrument_process


def instrument_requests() -> None:
    """Instrument every session of the library requests in the process.

    A second call does nothing. Works before and after set-up. Bodies, query strings and
    credentials in URLs are not recorded. `OTEL_PYTHON_EXCLUDED_URLS` and
    `OTEL_PYTHON_REQUESTS_EXCLUDED_URLS` name, as comma-separated regular expressions, URLs that
    get no span.

    Raises:
        ImportError: The instrumentation is not installed; the text names the extra.
    """
    instrument_process("requests", extra="requests")


def uninstrument_requests() -> None:
    """Undo `instrument_requests`; does nothing when it was not called."""
    uninstrument_process("requests", extra="requests")
