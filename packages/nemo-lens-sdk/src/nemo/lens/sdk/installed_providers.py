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

from nemo.lens.global_providers import SCOPE_NAME
from nemo.lens.package_info import __version__
from nemo.lens.sdk import _otel_private, generations
from nemo.lens.sdk.fast_spans import factory as fast_spans
from nemo.lens.sdk.found_providers import (
    found_logger_provider,
    found_meter_provider,
    found_tracer_provider,
)
from nemo.lens.sdk.noise import warn_once_a_minute
from nemo.lens.semconv import SCHEMA_URL

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.metrics import Meter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.trace import Tracer

    from nemo.lens.sdk.building import Build
    from nemo.lens.sdk.lens_providers import LensTracerProvider

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
        self._refusal = ""
        self._undo: list[Callable[[], object]] = []
        self._globals: list[Callable[[], None]] = []

    def install(self, built: Build) -> None:
        """Make the process use what was built.

        What can be undone comes first, so that an error leaves no provider of ours behind: the
        globals of OpenTelemetry are set once for the life of the process.
        """
        if built.tracer_provider is not None:
            self._install_traces(built, built.tracer_provider)
        if built.meter_provider is not None:
            self._install_metrics(built, built.meter_provider)
        if built.logger_provider is not None:
            self._install_logs(built, built.logger_provider)
        for make_global in self._globals:
            make_global()
        self._globals.clear()
        if self.tracer_provider is not None:
            self._install_fast_spans()

    def tracer(self) -> Tracer:
        """A tracer of the scope `nemo.lens`; one that records nothing where there is none."""
        tracer: Tracer = _part_of(
            self.tracer_provider, "get_tracer", opentelemetry.trace.NoOpTracerProvider()
        )
        return tracer

    def meter(self) -> Meter:
        """A meter of the scope `nemo.lens`; one that records nothing where there is none."""
        meter: Meter = _part_of(
            self.meter_provider, "get_meter", opentelemetry.metrics.NoOpMeterProvider()
        )
        return meter

    def undo(self) -> None:
        """Take out what was added to anything that is not ours."""
        self._undo_down_to(0)

    def _undo_down_to(self, kept: int) -> None:
        while len(self._undo) > kept:
            _try(self._undo.pop())

    def after_fork(self, resource: Resource) -> None:
        """Give our own providers the resource of a forked child, and locks that nobody holds."""
        _otel_private.renew_after_fork(
            self._own_tracer_provider,
            self._own_meter_provider,
            self._own_logger_provider,
            resource,
        )

    def _install_traces(self, built: Build, fresh: LensTracerProvider) -> None:
        found = found_tracer_provider()
        if found is None:
            self._globals.append(lambda: opentelemetry.trace.set_tracer_provider(fresh))
            self.tracer_provider = self._own_tracer_provider = fresh
        elif generations.is_ours(found):
            # Perhaps of an earlier copy of our modules, but of the same shape.
            own = cast("LensTracerProvider", found)
            self._globals.append(lambda: _otel_private.renew_tracer_provider(own, fresh))
            self.tracer_provider = self._own_tracer_provider = own
        elif isinstance(found, TracerProvider) and self._takes(
            (
                lambda: found.add_span_processor(cast("Any", built.span_processor)),
                functools.partial(_otel_private.remove_span_processor, found, built.span_processor),
            )
        ):
            _tell_of_use("tracer", "resource and sampler")
            self.tracer_provider = found
        else:
            self._tell_of_no_use("tracer", found, "span processors", "spans")
            return
        self.exports = True

    def _install_metrics(self, built: Build, fresh: MeterProvider) -> None:
        found = found_meter_provider()
        if found is None:
            self._globals.append(lambda: opentelemetry.metrics.set_meter_provider(fresh))
            self._own_meter_provider = found = fresh
        elif isinstance(found, MeterProvider) and generations.is_ours(found):
            self._globals.append(
                functools.partial(_otel_private.renew_meter_provider, found, fresh)
            )
            self._own_meter_provider = found
        elif isinstance(found, MeterProvider) and self._takes(
            *(
                (
                    functools.partial(_otel_private.add_metric_reader, found, reader),
                    functools.partial(_otel_private.remove_metric_reader, found, reader),
                )
                for reader in built.metric_readers
            )
        ):
            _tell_of_use("meter", "resource")
        else:
            self._tell_of_no_use("meter", found, "further readers", "metrics")
            self.meter_provider = found
            return
        self.meter_provider = found
        self.exports = True

    def _install_logs(self, built: Build, fresh: Any) -> None:
        found = found_logger_provider()
        if found is None:
            self._globals.append(lambda: _otel_private.set_logger_provider(fresh))
            self._own_logger_provider = found = fresh
        elif _otel_private.is_lens_logger_provider(found):
            self._globals.append(
                functools.partial(_otel_private.renew_logger_provider, found, fresh)
            )
            self._own_logger_provider = found
        elif _otel_private.is_sdk_logger_provider(found) and self._takes(
            (
                functools.partial(found.add_log_record_processor, built.log_processor),
                functools.partial(_otel_private.remove_log_processor, found, built.log_processor),
            )
        ):
            _tell_of_use("logger", "resource")
        else:
            self._tell_of_no_use("logger", found, "log record processors", "logs")
            return
        self.exports = True
        self._attach_log_handler(found)

    def _attach_log_handler(self, provider: Any) -> None:
        from nemo.lens.sdk.logging_bridge import attach_to_root, detach_handlers

        self._undo.append(detach_handlers)
        attach_to_root(provider)

    def _install_fast_spans(self) -> None:
        try:
            if fast_spans.install(self.tracer_provider):
                self._undo.append(fast_spans.uninstall)
        except Exception:
            # The plain factory makes the same spans.
            _logger.debug("spans are built by the OpenTelemetry SDK itself", exc_info=True)

    def _takes(self, *parts: tuple[Callable[[], object], Callable[[], object]]) -> bool:
        """Add parts of ours to a provider of the application: all of them, or none.

        Args:
            parts: For each, how to add it, which may answer False, and how to take it out.
        """
        before = len(self._undo)
        for add, remove in parts:
            self._undo.append(remove)
            try:
                taken = add() is not False
            except Exception as error:
                self._refusal = f"; it raised {type(error).__name__}: {error}"
                taken = False
            if not taken:
                self._undo_down_to(before)
                return False
        return True

    def _tell_of_no_use(self, kind: str, installed: object, wanted: str, signal: str) -> None:
        _logger.warning(
            "the application has installed a %s provider that takes no %s (%s%s): no %s are "
            "exported",
            kind,
            wanted,
            type(installed).__name__,
            self._refusal,
            signal,
        )
        self._refusal = ""


def _part_of(provider: Any, get: str, otherwise: Any) -> Any:
    scope: Any = {"schema_url": SCHEMA_URL}
    try:
        if provider is not None:
            return getattr(provider, get)(SCOPE_NAME, __version__, **scope)
    except Exception as error:
        # It belongs to the application, and may do anything.
        warn_once_a_minute(
            f"{get} raised",
            "%s of the application's %s raised %s: %s; the handle's records nothing",
            get,
            type(provider).__name__,
            type(error).__name__,
            error,
        )
    return getattr(otherwise, get)(SCOPE_NAME, __version__, **scope)


def _try(undo: Callable[[], object]) -> None:
    try:
        undo()
    except Exception:
        # An object of the application, which may have changed; the others are taken out still.
        _logger.debug("something could not be taken out again", exc_info=True)


def _tell_of_use(kind: str, keeps: str) -> None:
    _logger.warning(
        "the application has installed a %s provider: NeMo Lens exports through it, with its %s, "
        "and does not shut it down",
        kind,
        keeps,
    )
