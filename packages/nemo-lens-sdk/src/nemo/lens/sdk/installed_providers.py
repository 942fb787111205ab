# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The providers of a set-up in the process: its own, or those of the application."""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, Any, cast

import opentelemetry.metrics
import opentelemetry.trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider

from nemo.lens.sdk import _otel_private, generations

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.sdk.resources import Resource

    from nemo.lens.sdk.building import Build, LensTracerProvider

_logger = logging.getLogger("nemo.lens.sdk")


class InstalledProviders:
    """What the process records with while a set-up runs.

    OpenTelemetry accepts one global provider for each signal. Where there is none, ours is
    installed; one of an earlier set-up is made to work like the fresh one; one of the application
    is used as it is, if it takes what we add to it.

    Attributes:
        tracer_provider: Where spans come from; None when no spans are exported.
        meter_provider: Where metrics come from; None when they are switched off.
        exports: True when any signal is exported.
    """

    def __init__(self) -> None:
        self.tracer_provider: Any = None
        self.meter_provider: Any = None
        self.exports = False
        self._own_tracer_provider: LensTracerProvider | None = None
        self._own_meter_provider: MeterProvider | None = None
        self._own_logger_provider: Any = None
        self._undo: list[Callable[[], object]] = []

    def install(self, built: Build) -> None:
        """Make the process use what was built."""
        if built.tracer_provider is not None:
            self._install_traces(built, built.tracer_provider)
        if built.meter_provider is not None:
            self._install_metrics(built, built.meter_provider)
        if built.logger_provider is not None:
            self._install_logs(built, built.logger_provider)

    def undo(self) -> None:
        """Take out what was added to anything that is not ours."""
        while self._undo:
            self._undo.pop()()

    def after_fork(self, resource: Resource) -> None:
        """Give our own providers the resource of a forked child, and locks that nobody holds."""
        _otel_private.renew_after_fork(
            self._own_tracer_provider,
            self._own_meter_provider,
            self._own_logger_provider,
            resource,
        )

    def _install_traces(self, built: Build, fresh: LensTracerProvider) -> None:
        installed = opentelemetry.trace.get_tracer_provider()
        if isinstance(installed, TracerProvider) and generations.is_ours(installed):
            # Perhaps of an earlier copy of our modules, but of the same shape.
            own = cast("LensTracerProvider", installed)
            _otel_private.renew_tracer_provider(own, fresh)
            self._own_tracer_provider = own
        elif _otel_private.no_tracer_provider_installed():
            opentelemetry.trace.set_tracer_provider(fresh)
            self._own_tracer_provider = installed = fresh
        elif isinstance(installed, TracerProvider) and built.span_processor is not None:
            _tell_of_use("tracer", "resource and sampler")
            installed.add_span_processor(built.span_processor)
            self._undo.append(
                functools.partial(
                    _otel_private.remove_span_processor, installed, built.span_processor
                )
            )
        else:
            _tell_of_no_use("tracer", installed, "span processors", "spans")
            return
        self.tracer_provider = installed
        self.exports = True

    def _install_metrics(self, built: Build, fresh: MeterProvider) -> None:
        installed = opentelemetry.metrics.get_meter_provider()
        if isinstance(installed, MeterProvider) and generations.is_ours(installed):
            _otel_private.renew_meter_provider(installed, fresh)
            self._own_meter_provider = installed
        elif _otel_private.no_meter_provider_installed():
            opentelemetry.metrics.set_meter_provider(fresh)
            self._own_meter_provider = installed = fresh
        elif isinstance(installed, MeterProvider) and all(
            _otel_private.add_metric_reader(installed, reader) for reader in built.metric_readers
        ):
            _tell_of_use("meter", "resource")
            self._undo += [
                functools.partial(_otel_private.remove_metric_reader, installed, reader)
                for reader in built.metric_readers
            ]
        else:
            _tell_of_no_use("meter", installed, "further readers", "metrics")
            self.meter_provider = installed
            return
        self.meter_provider = installed
        self.exports = True

    def _install_logs(self, built: Build, fresh: Any) -> None:
        from nemo.lens.sdk.logging_bridge import attach_handler, detach_handlers

        installed = _otel_private.get_logger_provider()
        if _otel_private.is_lens_logger_provider(installed):
            _otel_private.renew_logger_provider(installed, fresh)
            self._own_logger_provider = installed
        elif _otel_private.no_logger_provider_installed():
            _otel_private.set_logger_provider(fresh)
            self._own_logger_provider = installed = fresh
        elif _otel_private.is_sdk_logger_provider(installed):
            _tell_of_use("logger", "resource")
            installed.add_log_record_processor(built.log_processor)
            self._undo.append(
                functools.partial(
                    _otel_private.remove_log_processor, installed, built.log_processor
                )
            )
        else:
            _tell_of_no_use("logger", installed, "log record processors", "logs")
            return
        self.exports = True
        attach_handler("", logging.INFO)
        self._undo.append(detach_handlers)


def _tell_of_use(kind: str, keeps: str) -> None:
    _logger.warning(
        "the application has installed a %s provider: NeMo Lens exports through it, with its %s, "
        "and does not shut it down",
        kind,
        keeps,
    )


def _tell_of_no_use(kind: str, installed: object, wanted: str, signal: str) -> None:
    _logger.warning(
        "the application has installed a %s provider that takes no %s (%s): no %s are exported",
        kind,
        wanted,
        type(installed).__name__,
        signal,
    )
