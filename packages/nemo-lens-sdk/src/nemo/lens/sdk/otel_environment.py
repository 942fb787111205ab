# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Garbage in a standard `OTEL_*` variable never stops a job: one warning, and the default."""

from __future__ import annotations

import contextlib
import os
import threading
from importlib import import_module
from typing import TYPE_CHECKING

from nemo.lens.configuration.entry_points import EntryPoints
from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES
from nemo.lens.configuration.foreign_variables import bad_foreign_variables, warn_once
from nemo.lens.configuration.otlp_value_types import Endpoint
from nemo.lens.configuration.value_types import Words
from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.propagation import global_propagator

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

_PARSED_BY_OTEL = tuple(row for row in FOREIGN_VARIABLES if row.parsed_by_otel)
_RESPELLED = (Words, EntryPoints, Endpoint)
_LOOKED_AT_AGAIN = frozenset(
    {
        "OTEL_PYTHON_TRACER_PROVIDER",
        "OTEL_PYTHON_METER_PROVIDER",
        "OTEL_PYTHON_LOGGER_PROVIDER",
        "OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED",
    }
)
_hiding = threading.RLock()


@contextlib.contextmanager
def without_garbage() -> Generator[None, None, None]:
    """Hide unusable `OTEL_*` values while OpenTelemetry reads its variables.

    OpenTelemetry's own parsers raise on some of them, half-way through building a provider. The
    variables are put back afterwards: child processes inherit what the user set. Only those that
    OpenTelemetry looks at again are unset for good when they are bad: it would raise, or warn,
    whenever some code asks for a tracer.
    """
    with _hiding, with_variables(_usable_values()):
        # OpenTelemetry reads OTEL_PROPAGATORS once, when the module of the propagator is loaded.
        global_propagator()
        yield


def load_sdk() -> None:
    """Load what reads variables of the OpenTelemetry SDK while it is imported, and raises on garbage.

    Called before anything of ours that imports it.
    """
    with without_garbage():
        import_module("opentelemetry.sdk.trace")


def _usable_values() -> dict[str, str | None]:
    """Take bad and blank values away, and spell the others as OpenTelemetry does."""
    problems = bad_foreign_variables()
    changes: dict[str, str | None] = {}
    for row in _PARSED_BY_OTEL:
        text = os.environ.get(row.name)
        if text is None:
            continue
        if row.name in problems:
            text = row.type.remains(text)
            warn_once(row.name, problems[row.name], text)
        if not text.strip():
            if row.name in _LOOKED_AT_AGAIN:
                del os.environ[row.name]
            changes[row.name] = None
        elif row.name in problems or isinstance(row.type, _RESPELLED):
            changes[row.name] = row.type.parse(text)
    return changes


@contextlib.contextmanager
def with_variables(changes: Mapping[str, str | None]) -> Generator[None, None, None]:
    """Change environment variables for a while; None unsets one.

    One thread at a time does this: the workers of a forked child build their exporters at the same
    moment.

    Args:
        changes: The variables and the values that they have meanwhile.
    """
    with _hiding:
        before = {name: os.environ.get(name) for name in changes}
        _set(changes)
        try:
            yield
        finally:
            _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@run_in_forked_child
def _renew_lock() -> None:
    global _hiding
    _hiding = threading.RLock()
