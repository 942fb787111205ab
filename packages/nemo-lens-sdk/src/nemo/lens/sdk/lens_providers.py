# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The SDK's providers, recognisable as ours, whichever copy of our modules made them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider

from nemo.lens.sdk import generations

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer


@generations.mark
class LensTracerProvider(TracerProvider):
    """The SDK's provider, recognisable as ours; a forked child gets its resource from us.

    Attributes:
        tracers: Those that were handed out and are still in use; only newer SDKs know themselves.
    """

    def __init__(self, **options: Any) -> None:
        self.tracers: weakref.WeakSet[Any] = weakref.WeakSet()
        super().__init__(**options)

    def get_tracer(self, *arguments: Any, **options: Any) -> Tracer:
        """Return a tracer, and remember it: a later set-up leads it into its own pipeline."""
        tracer = super().get_tracer(*arguments, **options)
        self.tracers.add(tracer)
        return tracer

    def _handle_fork(self) -> None:
        """Leave it to the runtime, which renews locks and resource of all providers together."""


@generations.mark
class LensMeterProvider(MeterProvider):
    """The SDK's provider, recognisable as ours; a forked child gets its resource from us."""

    def _handle_fork(self) -> None:
        """Leave it to the runtime, which renews locks and resource of all providers together."""
