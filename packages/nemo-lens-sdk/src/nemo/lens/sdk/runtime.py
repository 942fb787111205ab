# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One set-up, alive: its providers are installed, its pipeline runs, its process hooks are set."""

from __future__ import annotations

import atexit
import functools
import logging
import os
import re
import sys
import weakref
from typing import TYPE_CHECKING, Any

import opentelemetry.metrics
import opentelemetry.trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.resources import PROCESS_PID, Resource
from opentelemetry.sdk.trace import TracerProvider

from nemo.lens import semconv, state
from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.package_info import __version__
from nemo.lens.sdk import _otel_private, ids
from nemo.lens.sdk.building import Build, Callbacks, LensMeterProvider, LensTracerProvider, build
from nemo.lens.sdk.fast_spans import factory as fast_spans
from nemo.lens.sdk.losses import report_losses_as_metric
from nemo.lens.sdk.signals import SignalFlush
from nemo.lens.semconv import SCHEMA_URL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.metrics import Meter
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

    from nemo.lens.config import NemoLensConfig

SCOPE = "nemo.lens"
EXIT_TIMEOUT_MS = 5000.0
_logger = logging.getLogger("nemo.lens.sdk")
_alive: weakref.WeakSet[Runtime] = weakref.WeakSet()


class Runtime:
    """A running set-up. Built by `start`; nothing is installed when that raises.

    Args:
        built: What was built.
    """

    def __init__(self, built: Build) -> None:
        self.config = built.config
        self.pipeline = built.pipeline
        self._resource = built.resource
        self._signals = SignalFlush(built.pipeline)
        self._supervisor = self._signals.supervisor
        self._reported = False
        self._undo: list[Callable[[], object]] = []
        self.exports = False
        self.tracer_provider: Any = None
        self.meter_provider: Any = None
        self.logger_provider: Any = None
        self._owned: tuple[TracerProvider | None, MeterProvider | None, Any] = (None, None, None)

    def install(self, built: Build) -> None:
        """Make the process use what was built, and start the threads."""
        # First of all, and by this thread: what comes next may start threads that start it too,
        # and the signal handlers need its pipe.
        self._supervisor.start()
        own_tracer = self._install_traces(built)
        own_meter = self._install_metrics(built)
        own_logger = self._install_logs(built)
        self._owned = (own_tracer, own_meter, own_logger)
        if self.tracer_provider is not None and fast_spans.install(self.tracer_provider):
            self._undo.append(fast_spans.uninstall)
        report_losses_as_metric(self.meter, self.pipeline)
        self.pipeline.start()
        self._signals.install(
            sigterm=self.config.sigterm_flush, warning_signals=self.config.flush_signals
        )
        _alive.add(self)
        atexit.register(self._at_exit)
        self.finish_with_multiprocessing()

    @property
    def tracer(self) -> Tracer:
        """The tracer of the scope `nemo.lens`."""
        provider = self.tracer_provider or opentelemetry.trace.NoOpTracerProvider()
        return provider.get_tracer(SCOPE, __version__, schema_url=SCHEMA_URL)

    @property
    def meter(self) -> Meter:
        """The meter of the scope `nemo.lens`."""
        provider = self.meter_provider or opentelemetry.metrics.NoOpMeterProvider()
        return provider.get_meter(SCOPE, __version__, schema_url=SCHEMA_URL)

    def flush(self, timeout_ms: float) -> bool:
        """Export what is finished; True when it was delivered within `timeout_ms`."""
        return self.pipeline.flush(timeout_ms)

    def shutdown(self, timeout_ms: float, end: str = "shutdown") -> bool:
        """Close the gate, export, and end; True when everything was delivered in time."""
        state.set_enabled_span_groups(frozenset())
        delivered = self._supervisor.shut_down(timeout_ms, end)
        self._report_losses()
        self._retire()
        return delivered

    def supervise(self) -> None:
        """Start the supervisor unless it runs."""
        self._supervisor.start()

    def stats(self) -> dict[str, Any]:
        """Delivered, waiting and lost items."""
        return self.pipeline.stats()

    def finish_with_multiprocessing(self) -> None:
        """Have `multiprocessing` end this runtime in its children, which run no `atexit`."""
        process = sys.modules.get("multiprocessing.process")
        if process is None or process.parent_process() is None:
            return
        from multiprocessing.util import Finalize

        Finalize(None, self._at_exit, exitpriority=100)

    def after_fork(self) -> None:
        """Start over in a forked child."""
        ids.reseed_all()
        _otel_private.reseed_isolated_streams()
        self._resource = resource = _child_resource(self._resource)
        _otel_private.renew_after_fork(*self._owned, resource)
        self.pipeline.after_fork(resource)
        self._signals.after_fork()
        self._supervisor.reset()
        _finish_in_multiprocessing_child(self)

    def _at_exit(self) -> None:
        if not self.pipeline.is_shut_down:
            self.shutdown(EXIT_TIMEOUT_MS, "exit")

    def _report_losses(self) -> None:
        line = self.pipeline.losses_line()
        if line and not self._reported:
            self._reported = True
            _logger.warning(line)

    def _retire(self) -> None:
        atexit.unregister(self._at_exit)
        while self._undo:
            self._undo.pop()()
        if self.logger_provider is not None:
            from nemo.lens.sdk.logging_bridge import detach_handlers

            detach_handlers()
        self._signals.restore()
        _alive.discard(self)

    def _install_traces(self, built: Build) -> TracerProvider | None:
        fresh, processor = built.tracer_provider, built.span_processor
        if fresh is None or processor is None:
            return None
        installed = opentelemetry.trace.get_tracer_provider()
        if isinstance(installed, LensTracerProvider):
            _otel_private.renew_tracer_provider(installed, fresh)
        elif isinstance(installed, TracerProvider):
            _logger.warning(
                "the application has installed a tracer provider: NeMo Lens exports through it, "
                "with its resource and sampler, and does not shut it down"
            )
            installed.add_span_processor(processor)
            self._undo.append(
                functools.partial(_otel_private.remove_span_processor, installed, processor)
            )
            self.tracer_provider = installed
            self.exports = True
            return None
        elif not _otel_private.no_tracer_provider_installed():
            _logger.warning(
                "the application has installed a tracer provider that takes no span processors "
                "(%s): no spans are exported",
                type(installed).__name__,
            )
            return None
        else:
            opentelemetry.trace.set_tracer_provider(fresh)
            installed = fresh
        self.tracer_provider = installed
        self.exports = True
        return installed

    def _install_metrics(self, built: Build) -> MeterProvider | None:
        fresh = built.meter_provider
        if fresh is None:
            return None
        installed = opentelemetry.metrics.get_meter_provider()
        if isinstance(installed, LensMeterProvider):
            _otel_private.renew_meter_provider(installed, fresh)
        elif _otel_private.no_meter_provider_installed():
            opentelemetry.metrics.set_meter_provider(fresh)
            installed = fresh
        else:
            self._use_installed_meter_provider(installed, built)
            return None
        self.meter_provider = installed
        self.exports = True
        return installed

    def _use_installed_meter_provider(self, installed: Any, built: Build) -> None:
        self.meter_provider = installed
        if isinstance(installed, MeterProvider) and all(
            _otel_private.add_metric_reader(installed, reader) for reader in built.metric_readers
        ):
            self.exports = True
            _logger.warning(
                "the application has installed a meter provider: NeMo Lens exports through it, "
                "with its resource, and does not shut it down"
            )
        else:
            _logger.warning(
                "the application has installed a meter provider that takes no further readers "
                "(%s): no metrics are exported",
                type(installed).__name__,
            )

    def _install_logs(self, built: Build) -> Any:
        fresh = built.logger_provider
        if fresh is None:
            return None
        from nemo.lens.sdk.logging_bridge import attach_handler

        installed = _otel_private.get_logger_provider()
        if _otel_private.is_lens_logger_provider(installed):
            _otel_private.renew_logger_provider(installed, fresh)
        elif _otel_private.is_sdk_logger_provider(installed):
            installed.add_log_record_processor(built.log_processor)
            self.logger_provider = installed
            self.exports = True
            attach_handler("", logging.INFO)
            return None
        else:
            _otel_private.set_logger_provider(fresh)
            installed = fresh
        self.logger_provider = installed
        self.exports = True
        attach_handler("", logging.INFO)
        return installed


def start(
    config: NemoLensConfig,
    *,
    rank: int | None = None,
    world_size: int | None = None,
    resource_attributes: Mapping[str, Any] | None = None,
    span_exporter: SpanExporter | None = None,
    metric_reader: MetricReader | None = None,
) -> Runtime:
    """Build everything, then install it; an error leaves the process as it was.

    Raises:
        ValueError: A value of the configuration is bad.
        ImportError: The package of a chosen exporter is missing.
    """
    running: list[Runtime] = []
    callbacks = Callbacks(
        flush=lambda timeout_ms: running[0].flush(timeout_ms) if running else True,
        shutdown=lambda: running[0].shutdown(EXIT_TIMEOUT_MS) if running else True,
        enter_thread=lambda: _enter_worker_thread(running[0] if running else None),
    )
    built = build(
        config,
        rank=rank,
        world_size=world_size,
        resource_attributes=resource_attributes,
        span_exporter=span_exporter,
        metric_reader=metric_reader,
        callbacks=callbacks,
    )
    runtime = Runtime(built)
    running.append(runtime)
    runtime.install(built)
    return runtime


def _enter_worker_thread(runtime: Runtime | None) -> None:
    """In a forked child the first recorded span starts the supervisor, before a signal needs it."""
    _otel_private.suppress_instrumentation()
    if runtime is not None:
        runtime.supervise()


def _child_resource(resource: Resource) -> Resource:
    """The resource of a forked child: its own process id, and an instance id of its own."""
    attributes = dict(resource.attributes)
    attributes[PROCESS_PID] = os.getpid()
    instance = attributes.get(semconv.SERVICE_INSTANCE_ID)
    if instance is not None:
        inherited = re.sub(r"-p\d+$", "", str(instance))
        attributes[semconv.SERVICE_INSTANCE_ID] = f"{inherited}-p{os.getpid()}"
    return Resource(attributes, resource.schema_url)


def _finish_in_multiprocessing_child(runtime: Runtime) -> None:
    """Register with `multiprocessing` inside the child: its finalisers are cleared after the fork.

    Callbacks for after that are kept weakly there, one for each runtime, however often it forks.
    """
    util = sys.modules.get("multiprocessing.util")
    if util is not None and not runtime.__dict__.setdefault("_known_to_multiprocessing", False):
        runtime.__dict__["_known_to_multiprocessing"] = True
        util.register_after_fork(runtime, Runtime.finish_with_multiprocessing)


@run_in_forked_child
def _after_fork() -> None:
    for runtime in list(_alive):
        runtime.after_fork()


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction] -- nemo.lens.testing
    for runtime in list(_alive):
        runtime.shutdown(EXIT_TIMEOUT_MS)
