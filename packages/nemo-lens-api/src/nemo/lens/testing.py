# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests of instrumented code; a pytest plugin that is loaded by itself.

Nothing happens to a test that does not ask for a fixture, and no OpenTelemetry is imported before
one does.

    def test_the_step_is_traced(nemo_lens_recorder, nemo_lens_groups):
        nemo_lens_groups("step")
        train_one_step()
        assert nemo_lens_recorder.names() == ["mylib.step"]

To isolate every test of a project from telemetry, put `usefixtures = nemo_lens_isolated` in the
pytest configuration.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nemo.lens.testing_recorder import (
        RecordedEvent,
        RecordedScope,
        RecordedSpan,
        RecordingTracer,
        RecordingTracerProvider,
    )

__all__ = [
    "RecordedEvent",
    "RecordedScope",
    "RecordedSpan",
    "RecordingTracer",
    "RecordingTracerProvider",
    "nemo_lens_groups",
    "nemo_lens_isolated",
    "nemo_lens_recorder",
]


@pytest.fixture
def nemo_lens_isolated() -> Iterator[None]:
    """Run the test as if telemetry had never been set up, and undo what it does.

    The gate is closed, no carrier and no step are known, no provider is installed, and
    `OTEL_RESOURCE_ATTRIBUTES` is unset. Span groups, export strategies and metric groups that the
    test registers are gone afterwards; those registered at import stay.
    """
    from nemo.lens.testing_isolation import isolated

    with isolated():
        yield


@pytest.fixture
def nemo_lens_groups(nemo_lens_isolated: None) -> Callable[..., None]:  # noqa: ARG001
    """Return a function that enables exactly the span groups it is given."""
    from nemo.lens.state import set_enabled_span_groups

    def enable(*groups: str) -> None:
        set_enabled_span_groups(frozenset(groups))

    return enable


@pytest.fixture
def nemo_lens_recorder(nemo_lens_isolated: None) -> RecordingTracerProvider:  # noqa: ARG001
    """Install a tracer provider that records spans in memory, without the OpenTelemetry SDK."""
    from opentelemetry import trace

    from nemo.lens.testing_recorder import RecordingTracerProvider

    recorder = RecordingTracerProvider()
    trace.set_tracer_provider(recorder)
    return recorder


def __getattr__(name: str) -> object:
    if not name.startswith("Record"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nemo.lens import testing_recorder

    return getattr(testing_recorder, name)
