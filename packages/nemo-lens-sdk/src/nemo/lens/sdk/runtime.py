# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One set-up, alive: its providers are installed, its pipeline runs, its process hooks are set."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import weakref
from typing import TYPE_CHECKING, Any

import opentelemetry.metrics
import opentelemetry.trace
from opentelemetry.sdk.resources import PROCESS_PID, Resource

from nemo.lens import semconv, state
from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.global_providers import SCOPE_NAME
from nemo.lens.package_info import __version__
from nemo.lens.resources.instance import child_instance_id, started_by_multiprocessing
from nemo.lens.sdk import _otel_private, generations, ids
from nemo.lens.sdk.building import Build, build
from nemo.lens.sdk.installed_providers import InstalledProviders
from nemo.lens.sdk.losses import report_losses_as_metric
from nemo.lens.sdk.signals import SignalFlush
from nemo.lens.semconv import SCHEMA_URL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import Meter
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

    from nemo.lens.config import NemoLensConfig
    from nemo.lens.sdk.pipeline import Pipeline
    from nemo.lens.sdk.supervisor import Supervisor

EXIT_TIMEOUT_MS = 5000.0
_logger = logging.getLogger("nemo.lens.sdk")
_alive: weakref.WeakSet[Runtime] = weakref.WeakSet()


class Runtime:
    """A set-up: what was built is installed in the process, and runs until it is shut down.

    Args:
        config: The configuration.
    """

    pipeline: Pipeline
    _resource: Resource
    _signals: SignalFlush
    _supervisor: Supervisor

    def __init__(self, config: NemoLensConfig) -> None:
        self._config = config
        self.providers = InstalledProviders()
        self._reported = False
        self._known_to_multiprocessing = False

    def install(self, built: Build) -> None:
        """Make the process use what was built, and start the threads."""
        self.pipeline = built.pipeline
        self._resource = built.resource
        self._signals = SignalFlush(built.pipeline)
        self._supervisor = self._signals.supervisor
        generations.retire_others(Runtime, EXIT_TIMEOUT_MS)
        # First of all, and by this thread: what comes next may start threads that start it too,
        # and the signal handlers need its pipe.
        self._supervisor.start()
        self.providers.install(built)
        report_losses_as_metric(self.meter, self.pipeline)
        self.pipeline.start()
        self._signals.install(
            sigterm=self._config.sigterm_flush, warning_signals=self._config.flush_signals
        )
        _alive.add(self)
        generations.running().add(self)
        atexit.register(self._at_exit)
        self.finish_with_multiprocessing()

    @property
    def exports(self) -> bool:
        """True when any signal is exported."""
        return self.providers.exports

    @property
    def tracer(self) -> Tracer:
        """The tracer of the scope `nemo.lens`."""
        provider = self.providers.tracer_provider or opentelemetry.trace.NoOpTracerProvider()
        return provider.get_tracer(SCOPE_NAME, __version__, schema_url=SCHEMA_URL)

    @property
    def meter(self) -> Meter:
        """The meter of the scope `nemo.lens`."""
        provider = self.providers.meter_provider or opentelemetry.metrics.NoOpMeterProvider()
        return provider.get_meter(SCOPE_NAME, __version__, schema_url=SCHEMA_URL)

    def flush(self, timeout_ms: float) -> bool:
        """Export what is finished; True when it was delivered within `timeout_ms`."""
        return self.pipeline.flush(timeout_ms)

    def shutdown(self, timeout_ms: float = EXIT_TIMEOUT_MS, end: str = "shutdown") -> bool:
        """Close the gate, export, and end; True when everything was delivered in time."""
        state.set_enabled_span_groups(frozenset())
        delivered = self._supervisor.shut_down(timeout_ms, end)
        self._report_losses()
        self._retire()
        return delivered

    def enter_thread(self) -> None:
        """Keep the exports of a worker thread out of traces, and see that the supervisor runs.

        In a forked child the first recorded span starts it so, before a signal needs it.
        """
        _otel_private.suppress_instrumentation()
        self._supervisor.start()

    def stats(self) -> dict[str, Any]:
        """Delivered, waiting and lost items."""
        return self.pipeline.stats()

    def finish_with_multiprocessing(self) -> None:
        """Have `multiprocessing` end this runtime in its children, which run no `atexit`."""
        if started_by_multiprocessing():
            from multiprocessing.util import Finalize

            Finalize(None, self._at_exit, exitpriority=100)

    def after_fork(self) -> None:
        """Start over in a forked child."""
        ids.reseed_all()
        self._resource = resource = _child_resource(self._resource)
        self.providers.after_fork(resource)
        self.pipeline.after_fork(resource)
        self._signals.after_fork()
        self._supervisor.reset()
        self._finish_in_multiprocessing_child()

    def _finish_in_multiprocessing_child(self) -> None:
        """Register with `multiprocessing` inside the child: it clears finalisers after the fork.

        Callbacks for after that are kept weakly there, one for each runtime, however often it
        forks.
        """
        util = sys.modules.get("multiprocessing.util")
        if util is not None and not self._known_to_multiprocessing:
            self._known_to_multiprocessing = True
            util.register_after_fork(self, Runtime.finish_with_multiprocessing)

    def _at_exit(self) -> None:
        if self.pipeline.is_shut_down:
            return
        try:
            self.shutdown(end="exit")
        except KeyboardInterrupt:
            # A person who presses Ctrl-C again has waited long enough.
            self.pipeline.give_up()
            self._report_losses()

    def _report_losses(self) -> None:
        line = self.pipeline.losses_line()
        if line and not self._reported:
            self._reported = True
            _logger.warning(line)

    def _retire(self) -> None:
        atexit.unregister(self._at_exit)
        self.providers.undo()
        self._signals.restore()
        _alive.discard(self)
        generations.running().discard(self)


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
    runtime = Runtime(config)
    built = build(
        config,
        rank=rank,
        world_size=world_size,
        resource_attributes=resource_attributes,
        span_exporter=span_exporter,
        metric_reader=metric_reader,
        owner=runtime,
    )
    runtime.install(built)
    return runtime


def _child_resource(resource: Resource) -> Resource:
    """The resource of a forked child: its own process id, and an instance id of its own."""
    attributes = dict(resource.attributes)
    attributes[PROCESS_PID] = os.getpid()
    instance = attributes.get(semconv.SERVICE_INSTANCE_ID)
    if instance is not None:
        attributes[semconv.SERVICE_INSTANCE_ID] = child_instance_id(str(instance))
    return Resource(attributes, resource.schema_url)


@run_in_forked_child
def _after_fork() -> None:
    for runtime in list(_alive):
        runtime.after_fork()


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction] -- nemo.lens.testing
    for runtime in list(_alive):
        runtime.shutdown()
