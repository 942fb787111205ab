# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# pyright: reportConstantRedefinition=false
"""Set telemetry up once per process, and shut it down through the handle that this gives.

This is the one place of the api that names the sdk, and it does so only when the process exports.
"""

from __future__ import annotations

import logging
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nemo.lens import state
from nemo.lens.config import ensure_run_id
from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.configuration.settings import DEFAULT_PREFIX
from nemo.lens.export_decision import decides_to_export
from nemo.lens.fork_safety import forks_wait, run_in_forked_child
from nemo.lens.missing_sdk import needing_sdk
from nemo.lens.setup_arguments import NOT_GIVEN, SetupArguments, described
from nemo.lens.telemetry_handle import TelemetryHandle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nemo.lens.config import NemoLensConfig

    ExportStrategy = str | Callable[[Any, int, int], bool]

__all__ = ["TelemetryHandle", "setup_telemetry"]

_log = logging.getLogger(__name__)

_EXPORTING = "setup_telemetry of an exporting process"
_INITIALIZED = False
_lock = threading.RLock()
_primary: TelemetryHandle | None = None


def setup_telemetry(  # noqa: PLR0917 - the signature is the compatibility contract
    config: NemoLensConfig,
    rank: Any = NOT_GIVEN,
    world_size: Any = NOT_GIVEN,
    resource_attributes: Mapping[str, Any] | None = None,
    span_exporter: Any = None,
    metric_reader: Any = None,
    export_strategy: ExportStrategy | None = None,
    _allow_reinit: bool = False,
) -> TelemetryHandle:
    """Set telemetry up for this process.

    Everything is validated and built first and installed last, all of it or nothing: an error leaves
    the process, and a set-up that runs, as they were. Where the process itself cannot run telemetry,
    such as when it may start no further thread, one ERROR says so and the handle exports nothing:
    telemetry does not end a job. A disabled process, and a rank that does not export, load no OpenTelemetry SDK, start no
    thread and touch no global provider.

    Args:
        config: What to do; its `run_id` is filled here when it is empty.
        rank: The rank of this process. When given, the export strategy decides whether this
            process exports; otherwise it exports, unless a strategy was chosen explicitly and a
            rank is known from `resource_attributes` or `OTEL_RESOURCE_ATTRIBUTES`.
        world_size: Number of ranks.
        resource_attributes: Attributes of the resource; they win over everything else.
        span_exporter: An OpenTelemetry `SpanExporter` that exports spans in place of the exporters
            that `config` names.
        metric_reader: An OpenTelemetry `MetricReader` that reads metrics in place of the exporters
            that `config` names.
        export_strategy: Name of a strategy, or a callable `(config, rank, world_size) -> bool`,
            in place of `config.export_strategy`.
        _allow_reinit: Shut a running set-up down, once the new one is built, instead of raising.

    Returns:
        The handle of this process. A second library, told apart by the prefix of its configuration,
        gets one of the telemetry that runs already: its span groups are added where that exports,
        and one WARNING names those of its other arguments that had no effect.

    Raises:
        RuntimeError: Telemetry is set up already by the same library.
        ValueError: A value of the configuration or an argument is bad.
        TypeError: An argument is of the wrong type, or an exporter or reader lacks methods.
        ImportError: The process exports and `nemo-lens-sdk` is not installed.
        Exception: Whatever an `export_strategy` of the caller's raises.
    """
    with _lock:
        if not _enabled(config):
            return _disabled(config)
        arguments = SetupArguments.checked(
            rank=rank,
            world_size=world_size,
            resource_attributes=resource_attributes,
            span_exporter=span_exporter,
            metric_reader=metric_reader,
            export_strategy=export_strategy,
        )
        config.validate()
        running = _running()
        if running is not None and not _allow_reinit:
            return _second_handle(running, config, arguments)
        return _set_up(config, arguments)


def _set_up(config: NemoLensConfig, arguments: SetupArguments) -> TelemetryHandle:
    global _INITIALIZED, _primary

    ensure_run_id(config)
    exports = decides_to_export(
        config,
        arguments.rank,
        arguments.world_size,
        arguments.resource_attributes,
        arguments.export_strategy,
        load_strategies=_load_strategies,
    )
    runtime = None
    if exports and read_foreign_variable("OTEL_SDK_DISABLED") != "true":
        runtime = _built(config, arguments)
    # Only now: what was built is usable, so the set-up that runs may go.
    _retire_running()
    # The child of a fork in the middle of it could not mend half a set-up. Building is left out:
    # OpenTelemetry does some of it in a thread pool, which a waiting fork may have locked.
    with forks_wait():
        _primary = handle = _installed(runtime, config, arguments)
        _INITIALIZED = True
    return handle


def _built(config: NemoLensConfig, arguments: SetupArguments) -> Any:
    _prepare_gate(config, rank_given=arguments.rank is not None)
    return _load_sdk()(
        config,
        rank=arguments.rank,
        world_size=arguments.world_size,
        resource_attributes=arguments.resource_attributes,
        span_exporter=arguments.span_exporter,
        metric_reader=arguments.metric_reader,
    )


def _installed(runtime: Any, config: NemoLensConfig, arguments: SetupArguments) -> TelemetryHandle:
    """Make what was built real and open the gate; without it, give a handle that exports nothing."""
    library = _library_of(config)
    if runtime is None or not runtime.install():
        state.set_enabled_span_groups(frozenset())
        return TelemetryHandle(_library=library, _arguments=arguments, _release=_release)
    handle = TelemetryHandle(
        runtime.tracer,
        runtime.meter,
        runtime.exports,
        _runtime=runtime,
        _library=library,
        _arguments=arguments,
        _release=_release,
    )
    try:
        _open_gate(config)
    except Exception:
        handle.shutdown()
        raise
    return handle


def _enabled(config: NemoLensConfig) -> bool:
    try:
        return bool(config.enabled)
    except Exception:  # any object may have been given
        raise TypeError(
            f"setup_telemetry: config={described(config)} is not usable; expected a "
            "NemoLensConfig, such as NemoLensConfig.from_env() gives"
        ) from None


def _disabled(config: NemoLensConfig) -> TelemetryHandle:
    """Give the handle of a disabled set-up; one that runs already goes on."""
    try:
        ensure_run_id(config)
        if _running() is None:
            state.set_enabled_span_groups(frozenset())
    except Exception:
        _log.warning("telemetry is disabled; its configuration was not read", exc_info=True)
    return TelemetryHandle()


def _second_handle(
    running: TelemetryHandle, config: NemoLensConfig, arguments: SetupArguments
) -> TelemetryHandle:
    """Give another library of the process a handle of the telemetry that runs already."""
    library = _library_of(config)
    if library == running.library:
        raise RuntimeError(
            "Telemetry has already been initialised in this process: setup_telemetry() was called "
            f"before with the configuration of {library!r}. Keep the first handle, or call its "
            "shutdown() before setup_telemetry()."
        )
    unused = arguments.differing_from(running.arguments)
    if unused:
        _log.warning(
            "%s set telemetry up in this process before %s: of the second set-up %s had no effect. "
            "Give them to the first one",
            running.library,
            library,
            ", ".join(unused),
        )
    if running.runtime is not None:
        _register_groups(config, rank_given=False)
        state.add_span_group_spec(config.span_groups)
    return TelemetryHandle(
        running.tracer,
        running.meter,
        running.is_exporting,
        _runtime=running.runtime,
        _library=library,
        _owner=running,
    )


def _prepare_gate(config: NemoLensConfig, *, rank_given: bool) -> None:
    # Loaded now, not by the first span: a fork in the middle of an import in another thread would
    # leave the child with an import lock that nobody releases.
    for module in ("nemo.lens.spans.recording", "nemo.lens.spans.outcome"):
        import_module(module)
    _register_groups(config, rank_given=rank_given)


def _open_gate(config: NemoLensConfig) -> None:
    from nemo.lens.metric_durations import set_metric_durations
    from nemo.lens.spans.redaction import set_added_redact_keys

    set_added_redact_keys(config.redact_keys)
    set_metric_durations(config.metric_durations)
    state.set_step_sampling(config.step_sampling)
    state.set_span_group_spec(config.span_groups)


def _register_groups(config: NemoLensConfig, *, rank_given: bool) -> None:
    from nemo.lens.groups import SpanRegistry
    from nemo.lens.vocabulary import register_base_vocabulary, register_vocabulary

    vocabulary = getattr(config, "_span_group_cls", None)
    if vocabulary is not None:
        register_vocabulary(vocabulary)
    elif rank_given or not SpanRegistry.namespaces():
        register_base_vocabulary()


def _library_of(config: NemoLensConfig) -> str:
    """The prefix that a library gave to `from_env` tells the libraries of a process apart."""
    return str(getattr(config, "_prefix", "")) or DEFAULT_PREFIX


def _running() -> TelemetryHandle | None:
    """The primary handle, unless it was shut down or a test has reset `_INITIALIZED`."""
    return _primary if _INITIALIZED else None


def _release(handle: TelemetryHandle) -> None:
    """Let set-up be called again after the primary handle was shut down."""
    global _INITIALIZED, _primary
    if handle is _primary:
        _primary = None
        _INITIALIZED = False
        state.set_enabled_span_groups(frozenset())


def _retire_running() -> None:
    """Shut down what an earlier set-up left running, before a new one takes over."""
    if _primary is not None:
        _primary.shutdown()


def _load_strategies() -> Any:
    with needing_sdk(_EXPORTING):
        from nemo.lens.sdk import strategies
    return strategies


def _load_sdk() -> Callable[..., Any]:
    with needing_sdk(_EXPORTING):
        from nemo.lens.sdk.otel_environment import load_sdk

        load_sdk()
        from nemo.lens.sdk.runtime import prepared
    return prepared


@run_in_forked_child
def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction] -- nemo.lens.testing
    _retire_running()
