# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Outgoing aiohttp requests: a client span each, with the trace context in the headers."""

from __future__ import annotations

from nemo.lens.contrib.instrumentation import instrument_process, uninstrument_process


def instrument_aiohttp_client() -> None:
    """Instrument every aiohttp client session that the process opens from now on.

    A second call does nothing. Works before and after set-up. Bodies, query strings and
    credentials in URLs are not recorded. `OTEL_PYTHON_EXCLUDED_URLS` and
    `OTEL_PYTHON_AIOHTTP_CLIENT_EXCLUDED_URLS` name, as comma-separated regular expressions, URLs
    that get no span.

    Raises:
        ImportError: The instrumentation is not installed; the text names the extra.
    """
    instrument_process("aiohttp_client", extra="aiohttp")


def uninstrument_aiohttp_client() -> None:
    """Undo `instrument_aiohttp_client`; does nothing when it was not called."""
    uninstrument_process("aiohttp_client", extra="aiohttp")
