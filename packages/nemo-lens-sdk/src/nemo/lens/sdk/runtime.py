# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One set-up, alive: its providers are installed, its pipeline runs, its process hooks are set."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import sys
import weakref
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.resources import PROCESS_PID, Resource

from nemo.lens import semconv, state
from nemo.lens.fork_safety import forks_wait, run_in_forked_child
from nemo.lens.resources.instance import child_instance_id, started_by_multiprocessing
from nemo.lens.sdk import _otel_private, generations, ids, otel_environment
from nemo.lens.sdk.building import Build, build
from nemo.lens.sdk.found_providers import without_unloadable_providers
from nemo.lens.sdk.installed_providers import InstalledProviders
from nemo.lens.sdk.losses import report_losses_as_metric
from nemo.lens.sdk.signals import SignalFlush

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from opentelemetry.metrics import Meter
    from opentelemetry.sdk.metrics.export import MetricReader
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

    from nemo.lens.config import NemoLensConfig
    from nemo.lens.sdk.pipeline import Pipeline
    from nemo.lens.sdk.supervisor import Supervisor

EXIT_TIMEOUT_MS = 5000.0
_GIVING_UP_MS = 1000.0
_logger = logging.getLogger("nemo.lens.sdk")
_alive: weakref.WeakSet[Runtime] = weakref.WeakSet()


class Runtime:
    """A set-up: what was built is installed in the process, and runs until it is shut down.

    Args:
        config: The configuration.
    """

    pipeline: Pipeline
    _built: Build
    _resource: Resource
    _signals: SignalFlush
    _supervisor: Supervisor

    def __init__(self, config: NemoLensConfig) -> None:
        self._config = config
        self.providers = InstalledProviders()
        self._reported = False
        self._known_to_multiprocessing = False

    def prepare(self, built: Build) -> None:
        """Take what was built; nothing of it is visible to the process yet."""
        self._built = built
        self.pipeline = built.pipeline
        self._resource = built.resource
        self._signals = SignalFlush(built.pipeline)
        self._supervisor = self._signals.supervisor

    def install(self) -> bool:
        """Start the threads and make the process use what was built: all of it, or nothing.

        Returns:
            False when the process cannot run telemetry, such as when it may start no further
            thread. One ERROR says why; the application goes on without.
        """
        generations.retire_others(Runtime, EXIT_TIMEOUT_MS)
        try:
            with forks_wait(), usable_environment():
                self._install(self._built)
        except BaseException as error:
            self._give_up()
            if not isinstance(error, Exception):
                raise
            tell_of_failure(error)
            return False
        return True

    def _install(self, built: Build) -> None:
        # First of all, and by this thread: what comes next may start threads that start it too,
        # and the signal handlers need its pipe.
        self._supervisor.start()
        self.pipeline.start()
        self._signals.install(
            sigterm=self._config.sigterm_flush, warning_signals=self._config.flush_signals
        )
        self.providers.install(built)
        _alive.add(self)
        generations.running().add(self)
        atexit.register(self._at_exit)
        self.finish_with_multiprocessing()
        self._report_losses_as_metric()

    def _give_up(self) -> None:
        """Take back what was installed and end the threads."""
        self._retire()
        try:
            self._supervisor.shut_down(_GIVING_UP_MS, "failed set-up")
            self._supervisor.close_pipe()
        except Exception:
            _logger.debug("a set-up that failed left something behind", exc_info=True)

    @property
    def exports(self) -> bool:
        """True when any signal is exported."""
        return self.providers.exports

    @property
    def tracer(self) -> Tracer:
        """The tracer of the scope `nemo.lens`."""
        return self.providers.tracer()

    @property
    def meter(self) -> Meter:
        """The meter of the scope `nemo.lens`."""
        return self.providers.meter()

    def flush(self, timeout_ms: float) -> bool:
        """Export what is finished; True when it was delivered within `timeout_ms`."""
        return self.pipeline.flush(timeout_ms)

    def _report_losses_as_metric(self) -> None:
        try:
            report_losses_as_metric(self.meter, self.pipeline)
        except Exception:
            # A meter provider of the application may do anything; the other metrics are its own.
            _logger.debug("no metric %s", "of lost items", exc_info=True)

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
        with contextlib.suppress(RuntimeError, OSError):
            # Without it exports work all the same; a shutdown tries again.
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


def prepared(
    config: NemoLensConfig,
    *,
    rank: int | None = None,
    world_size: int | None = None,
    resource_attributes: Mapping[str, Any] | None = None,
    span_exporter: SpanExporter | None = None,
    metric_reader: MetricReader | None = None,
) -> Runtime | None:
    """Build everything, for `Runtime.install` to make it real; the process stays as it is.

    Returns:
        What was built; None when that failed for a reason that is no mistake of the caller. One
        ERROR says why; the application goes on without telemetry.

    Raises:
        ValueError: A value of the configuration or an argument is bad.
        TypeError: An argument is of the wrong type.
        ImportError: The package of a chosen exporter is missing.
    """
    runtime = Runtime(config)
    try:
        with usable_environment():
            built = build(
                config,
                rank=rank,
                world_size=world_size,
                resource_attributes=resource_attributes,
                span_exporter=span_exporter,
                metric_reader=metric_reader,
                owner=runtime,
            )
    except (ValueError, TypeError, ImportError):
        raise
    except Exception as error:
        tell_of_failure(error)
        return None
    runtime.prepare(built)
    return runtime


def start(config: NemoLensConfig, resource_attributes: Mapping[str, Any]) -> Runtime | None:
    """Build and install a set-up for a command of our own, whatever rank it may have.

    Returns:
        The running set-up; None where the process cannot run telemetry, which one ERROR explains.

    Raises:
        ValueError: A value of the configuration or an argument is bad.
        TypeError: An argument is of the wrong type.
        ImportError: The package of a chosen exporter is missing.
    """
    runtime = prepared(config, resource_attributes=resource_attributes)
    return runtime if runtime is not None and runtime.install() else None


@contextlib.contextmanager
def usable_environment() -> Generator[None, None, None]:
    """Hide what is unusable in variables that OpenTelemetry reads itself, in building and later."""
    with otel_environment.without_garbage(), without_unloadable_providers():
        yield


def tell_of_failure(error: Exception) -> None:
    """Say in one ERROR that this process has no telemetry, and why."""
    _logger.error(
        "telemetry could not be set up (%s: %s): nothing is exported from this process, and the "
        "application goes on without. The logger nemo.lens.sdk has the traceback at level DEBUG",
        type(error).__name__,
        error,
    )
    _logger.debug("set-up failed", exc_info=error)


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
