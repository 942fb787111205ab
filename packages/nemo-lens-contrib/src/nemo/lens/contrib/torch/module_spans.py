# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A span for the forward pass of each module of a model, without touching the model's code.

The spans come from forward hooks. Inside regions that `torch.compile` traces the hooks are not
there: they leave no graph break and no guard, and the same compiled code serves with spans on and
off.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from nemo.lens import state
from nemo.lens.helpers import managed_span
from nemo.lens.spans import compiling

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


def trace_modules(
    model: Any,
    group: str = "layer",
    *,
    prefix: str = "model",
    select: Callable[[str, Any], bool] | None = None,
) -> ModuleSpans:
    """Open a span of `group` around each forward pass of the selected modules of `model`.

    The times are those of the host. On a device the work is only launched there; see
    `nemo.lens.contrib.torch.device_clock`.

    Call it before `torch.compile`. Modules keep their parameters, state dictionaries and pickles:
    hooks are no part of them.

    Args:
        model: The `torch.nn.Module`.
        group: The span group. While it is off, a pass of a selected module costs two calls of
            Python functions.
        prefix: The name of the span of `model` itself; the one of a module within it is
            `<prefix>.<path>`, for example `model.decoder.layers.0`.
        select: Called with path and module for each module, the path of `model` being empty; says
            which get a span. None for `model` and its direct children.

    Returns:
        The handle whose `remove()` takes the spans off again.
    """
    compiling.bind_to_torch()
    chosen = _is_at_the_top if select is None else select
    spans = ModuleSpans()
    for path, module in model.named_modules():
        if chosen(path, module):
            spans.add(module, group, f"{prefix}.{path}" if path else prefix)
    return spans


def _is_at_the_top(path: str, _module: Any) -> bool:
    return "." not in path


class ModuleSpans:
    """The hooks of `trace_modules`."""

    def __init__(self) -> None:
        self._hooks: list[Any] = []

    def add(self, module: Any, group: str, name: str) -> None:
        """Open a span of `group` and `name` around each forward pass of `module`."""
        begin, end = _hooks_for(group, name)
        self._hooks.append(module.register_forward_pre_hook(begin))
        # Called after exceptions too, so that no span stays open.
        self._hooks.append(module.register_forward_hook(end, always_call=True))

    def remove(self) -> None:
        """Take the hooks off; a second call does nothing."""
        while self._hooks:
            self._hooks.pop().remove()


class _OpenSpans(threading.local):
    """The spans of the passes that this thread is in, each with the hooks it belongs to."""

    def __init__(self) -> None:
        self.stack: list[tuple[object, AbstractContextManager[Any]]] = []


_open_spans = _OpenSpans()


def _hooks_for(group: str, name: str) -> tuple[Callable[..., None], Callable[..., None]]:
    owner = object()

    # The compiler inlines hooks and evaluates the first condition to a constant; were the gate
    # asked before, the graph would depend on the enabled groups.
    def begin(_module: Any, _inputs: Any) -> None:
        if compiling.is_compiling() or not state.is_span_group_enabled(group):
            return
        span = managed_span(group, name)
        span.__enter__()
        _open_spans.stack.append((owner, span))

    def end(_module: Any, _inputs: Any, _output: Any) -> None:
        if compiling.is_compiling():
            return
        # The group may have been switched during the pass: then there is no span of this owner.
        stack = _open_spans.stack
        if stack and stack[-1][0] is owner:
            stack.pop()[1].__exit__(None, None, None)

    return begin, end
