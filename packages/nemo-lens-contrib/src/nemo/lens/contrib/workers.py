# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Trace context, group state and identity handed to threads and worker processes.

    with managed_span("step", "trainer.prepare"):
        pool.map(carry_context(tokenize), documents)            # thread or process pools

    handover = Handover.capture(config, role="loader")
    DataLoader(dataset, num_workers=4, worker_init_fn=handover)  # data loaders
    ProcessPoolExecutor(initializer=handover)                    # process pools

A forked worker has its parent's telemetry already; one that was spawned has it set up here.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from nemo.lens import handle, state
from nemo.lens.configuration.problems import shown
from nemo.lens.contrib.own_telemetry import check_config, exports, is_set_up, own_identity
from nemo.lens.helpers import attached_context, span_attributes
from nemo.lens.propagation import inject_context
from nemo.lens.resources.identity import detect_identity
from nemo.lens.resources.instance import instance_id
from nemo.lens.semconv import NV_DL_RANK, NV_DL_ROLE, SERVICE_INSTANCE_ID
from nemo.lens.spans.scope import current_span_attributes

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from nemo.lens.config import NemoLensConfig

Result = TypeVar("Result")


@dataclass(frozen=True)
class Handover:
    """What a worker needs to go on where its parent is; can be pickled.

    Pass the object itself as `worker_init_fn=` of a data loader or as `initializer=` of a process
    pool: called in a worker, it sets telemetry up there and makes the parent's context the one
    that everything in this worker starts from. It may be called again.

    Attributes:
        carrier: The trace context.
        attributes: What `span_attributes` has in force.
        groups: The enabled span groups, where they are not what `config` selects; None otherwise.
        step: The step given to `set_step`.
        config: How to set telemetry up in a worker that has none; None not to.
        role: `nv.dl.role` of such a worker.
        rank: The rank that its set-up is given; None for what the environment says.
        world_size: The world size that its set-up is given.
        exports: Whether the parent exports, and so its workers; None where the parent has no
            telemetry itself, and set-up decides in each worker.
        identity: Whose worker it is: rank and size, as the resource of the parent has them.
    """

    carrier: dict[str, str]
    attributes: dict[str, Any]
    groups: frozenset[str] | None
    step: int | None
    config: NemoLensConfig | None = None
    role: str | None = None
    rank: int | None = None
    world_size: int | None = None
    exports: bool | None = None
    identity: dict[str, Any] = field(default_factory=dict[str, "Any"])

    @classmethod
    def capture(
        cls,
        config: NemoLensConfig | None = None,
        *,
        role: str | None = None,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> Handover:
        """Take what is in force here and now.

        Args:
            config: The configuration of this process, for workers that are not forked. Its
                `run_id` has been filled by set-up, so that they belong to the same run. They
                export if this process does, under its rank.
            role: What the workers do, for example `"loader"`. Forked workers keep their parent's.
            rank: The rank by which set-up decides in the workers, where this process has not set
                telemetry up.
            world_size: Number of ranks.

        Raises:
            TypeError: `config` is no configuration.
        """
        if config is not None:
            check_config("Handover.capture", config)
        carrier: dict[str, str] = {}
        inject_context(carrier)
        groups = state.enabled_span_groups()
        is_what_config_selects = config is not None and groups == config.resolved_span_groups
        return cls(
            carrier=carrier,
            attributes=dict(current_span_attributes()),
            groups=None if is_what_config_selects else groups,
            step=state.current_step(),
            config=config,
            role=role,
            rank=rank,
            world_size=world_size,
            exports=exports(),
            identity=own_identity() if is_set_up() else {},
        )

    def __call__(self, _worker: int | None = None) -> None:
        """Go on in this worker, until it ends.

        Raises:
            ValueError: A value of the configuration is bad.
            ImportError: The worker exports and `nemo-lens-sdk` is not installed.
        """
        self.resumed().__enter__()  # never left: the worker ends inside of it

    def resumed(self) -> AbstractContextManager[None]:
        """Return a context manager that goes on in this process for the length of a block.

        Entering it raises what calling the object raises.
        """
        return _Resumed(self)

    def set_up(self) -> None:
        """Set telemetry up, unless this process has it, and hand the state of the gate over."""
        if is_set_up():  # forked, or a later call in the same worker
            return
        if self.config is not None and self.exports is not False:
            self._set_up_telemetry(self.config)
        if self.groups is not None:
            state.set_enabled_span_groups(self.groups)
        if self.step is not None:
            state.set_step(self.step)

    def _set_up_telemetry(self, config: NemoLensConfig) -> None:
        attributes = {} if self.role is None else {NV_DL_ROLE: self.role}
        if self.identity:
            rank = self.identity[NV_DL_RANK]
            attempt = detect_identity().attempt
            name = instance_id(config.run_id, rank, role=self.role, attempt=attempt, child=True)
            attributes |= self.identity | {SERVICE_INSTANCE_ID: name}
            handle.setup_telemetry(
                config, resource_attributes=attributes, export_strategy=_as_the_parent
            )
            return
        given: dict[str, Any] = {"rank": self.rank, "world_size": self.world_size}
        handle.setup_telemetry(
            config,
            resource_attributes=attributes,
            **{name: value for name, value in given.items() if value is not None},
        )


def _as_the_parent(_config: object, _rank: int, _world_size: int) -> bool:
    """Decide, as a strategy, to export: the parent has done so by whatever strategy it has."""
    return True


class _Resumed(AbstractContextManager[None]):
    __slots__ = ("_handover", "_stack")

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        self._stack = ExitStack()

    def __enter__(self) -> None:
        self._handover.set_up()
        if self._handover.carrier:
            self._stack.enter_context(attached_context(self._handover.carrier))
        if self._handover.attributes:
            self._stack.enter_context(span_attributes(self._handover.attributes))

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.__exit__(exc_type, error, traceback)


def carry_context(
    function: Callable[..., Result],
    config: NemoLensConfig | None = None,
    *,
    role: str | None = None,
) -> CarriedCall[Result]:
    """Return `function`, to be called in another thread or process inside the context of now.

    In a thread of this process each call runs in a copy of the present `contextvars` context, as
    `asyncio.to_thread` does it. In another process, to which the result is pickled, it runs inside
    a `Handover`.

    Args:
        function: What to call; picklable where it goes to another process.
        config: The configuration of this process, for processes that are not forked.
        role: What those processes do; `nv.dl.role` of their resource.

    Raises:
        TypeError: `function` is none, or is a coroutine or generator function, whose body runs only
            after the call; or `config` is no configuration.
    """
    _check_function(function)
    return CarriedCall(function, Handover.capture(config, role=role), contextvars.copy_context())


def _check_function(function: Any) -> None:
    if not callable(function):
        raise TypeError(f"carry_context: `function` must be callable, got {shown(function)}")
    is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    if is_async or inspect.isgeneratorfunction(function):
        raise TypeError(
            f"carry_context: the body of {shown(function)} runs after the call, outside of the "
            "context; carry what runs it, such as carry_context(asyncio.run)"
        )


class CarriedCall(Generic[Result]):
    """What `carry_context` returns."""

    def __init__(
        self,
        function: Callable[..., Result],
        handover: Handover,
        context: contextvars.Context | None = None,
    ) -> None:
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._handover = handover
        self._context = context

    def __call__(self, *args: Any, **kwargs: Any) -> Result:
        """Call the function where its context goes on."""
        if self._context is not None:
            return self._context.copy().run(self._function, *args, **kwargs)
        with self._handover.resumed():
            return self._function(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return CarriedCall, (self._function, self._handover)
