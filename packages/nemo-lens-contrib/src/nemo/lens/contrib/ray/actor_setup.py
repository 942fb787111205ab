# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Telemetry inside of Ray's worker processes: configuration, identity and orderly ends."""

from __future__ import annotations

import threading
import warnings
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nemo.lens.config import NemoLensConfig, ensure_run_id
from nemo.lens.configuration.settings import DEFAULT_PREFIX
from nemo.lens.contrib.own_telemetry import check_config
from nemo.lens.semconv import NV_DL_ROLE, SERVICE_INSTANCE_ID

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemo.lens.handle import TelemetryHandle

KILL_LOSS_MS = 500
"""How much of its spans, in milliseconds, an actor may lose when Ray kills it."""

_lock = threading.Lock()
_handle: TelemetryHandle | None = None


def actor_runtime_env(
    config: NemoLensConfig,
    runtime_env: Mapping[str, Any] | None = None,
    *,
    prefix: str = DEFAULT_PREFIX,
) -> dict[str, Any]:
    """Return a Ray `runtime_env` that hands `config` to actors and tasks.

    It holds environment variables only: nothing is uploaded or installed. It is the same for every
    actor of a run, so that Ray can reuse its worker processes; who an actor is goes into
    `setup_actor_telemetry`.

    Args:
        config: The configuration of the driver. Its `run_id` is filled here when it is empty, so
            that driver and actors belong to one run.
        runtime_env: A `runtime_env` to start from; not changed. Its own variables win.
        prefix: The prefix that the actor's configuration is read with.

    Raises:
        ValueError: A value of `config` is bad.
        TypeError: `config` is none.
    """
    check_config("actor_runtime_env", config)
    ensure_run_id(config)
    # Workers may run in other folders than the driver.
    handed_on = replace(config, directory=str(Path(config.directory).absolute()))
    given = dict(runtime_env or {})
    own_variables: dict[str, str] = given.get("env_vars") or {}
    variables = {
        "OTEL_BSP_SCHEDULE_DELAY": str(KILL_LOSS_MS),
        "OTEL_BLRP_SCHEDULE_DELAY": str(KILL_LOSS_MS),
        **handed_on.to_env(prefix),
        **own_variables,
    }
    return {**given, "env_vars": variables}


def setup_actor_telemetry(
    role: str,
    config: NemoLensConfig | None = None,
    *,
    rank: int | None = None,
    world_size: int | None = None,
    resource_attributes: Mapping[str, Any] | None = None,
    prefix: str = DEFAULT_PREFIX,
) -> TelemetryHandle:
    """Set telemetry up in the process of a Ray actor or task; call it first in `__init__`.

    A second call in the process returns the same handle, so a task may call it each time.

    Spans that have ended are exported when the actor goes out of scope, calls
    `ray.actor.exit_actor()`, or gets SIGTERM. `ray.kill`, lost nodes, and the end of the driver,
    for tasks and for actors that are still there, end the process at once: then at most the last
    `KILL_LOSS_MS` milliseconds are lost, provided that it was started with `actor_runtime_env`.

    Args:
        role: What the actors of this kind do, for example `"generator"`; `nv.dl.role` of the
            resource.
        config: What to do; None to read it from `<prefix>_*`, as `actor_runtime_env` wrote it.
        rank: The rank of this actor among its kind, where it has one. It decides, together with
            the export strategy, whether the actor exports; without one it does.
        world_size: Number of ranks.
        resource_attributes: Further attributes of the resource; they win.
        prefix: The prefix of the variables.

    Returns:
        The handle of this process. A disabled configuration gives one that does nothing.

    Raises:
        RuntimeError: The process has set telemetry up by other means.
        ValueError: A value of the configuration or an argument is bad.
        ImportError: The process exports and `nemo-lens-sdk` is not installed.
    """
    global _handle
    with _lock:
        if _handle is None:
            chosen = NemoLensConfig.from_env(prefix) if config is None else config
            attributes = {NV_DL_ROLE: role, **(resource_attributes or {})}
            _handle = _set_up(chosen, rank, world_size, attributes)
        return _handle


def _set_up(
    config: NemoLensConfig, rank: int | None, world_size: int | None, attributes: dict[str, Any]
) -> TelemetryHandle:
    from nemo.lens.handle import setup_telemetry

    if rank is None:
        return setup_telemetry(config, resource_attributes=attributes)
    if config.enabled and _is_restarted_actor():
        from nemo.lens.resources.instance import instance_id

        # Ray does not tell the actor how often it was restarted; the process id tells them apart.
        ensure_run_id(config)
        name = instance_id(config.run_id, rank, role=str(attributes[NV_DL_ROLE]), child=True)
        attributes = {SERVICE_INSTANCE_ID: name, **attributes}
    size: dict[str, Any] = {} if world_size is None else {"world_size": world_size}
    return setup_telemetry(config, rank, resource_attributes=attributes, **size)


def _is_restarted_actor() -> bool:
    """Say whether Ray started this actor anew after it had died."""
    ray: Any = import_module("ray")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ray warns of what it calls itself there
            return bool(ray.get_runtime_context().was_current_actor_reconstructed)
    except Exception:  # a task, or a process outside of Ray, is no actor
        return False


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction] -- nemo.lens.testing
    global _handle
    _handle = None
