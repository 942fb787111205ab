# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A span for the forward pass of each module of a model, without touching the model's code.

torch's forward hooks are not called when a pass ends with `KeyboardInterrupt` or `SystemExit`, and
would leave the span open and current. So a traced module gets a subclass of its class, as torch's
`fully_shard` and `parametrize` do it, whose `__call__` has the span around it. Copies and pickles
have the class that the module had before.

Inside regions that `torch.compile` traces the spans are not there: they leave no graph break and no
guard, and the same compiled code serves with spans on and off.
"""

from __future__ import annotations

import itertools
import types
from abc import ABCMeta
from typing import TYPE_CHECKING, Any

from nemo.lens.helpers import managed_span
from nemo.lens.spans import compiling
from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import is_mapping, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

# Attributes: of a traced module, the number of the `ModuleSpans`, group and name of each of its
# spans, outermost first; of its class, the class that it had before.
_SPANS = "_nemo_lens_spans"
_PLAIN = "_nemo_lens_plain"

_Span = tuple[int, str, str]

# Others do things of their own with the methods of a class, as that of TorchScript does.
_ORDINARY_METACLASSES = (type, ABCMeta)

_numbers = itertools.count()


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

    Call it before `torch.compile`. Modules keep their parameters, hooks and state dictionaries, and
    the name of their class; `type(module)` becomes a subclass of it. Copies and pickles of a traced
    module are not traced, and need no NeMo Lens.

    Args:
        model: The `torch.nn.Module`.
        group: The span group. While it is off, a pass of a selected module costs a few
            calls of Python functions.
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
    for path, module in list(model.named_modules()):
        if chosen(path, module):
            spans.add(module, group, f"{prefix}.{path}" if path else prefix)
    return spans


def _is_at_the_top(path: str, _module: Any) -> bool:
    return "." not in path


class ModuleSpans:
    """The traced modules of one `trace_modules`."""

    def __init__(self) -> None:
        self._number = next(_numbers)
        self._modules: list[Any] = []

    def add(self, module: Any, group: str, name: str) -> None:
        """Open a span of `group` and `name` around each forward pass of `module`."""
        kind: Any = module.__class__
        if not hasattr(kind, _PLAIN) and not _becomes_traced(module):
            return
        module.__dict__[_SPANS] = ((self._number, group, name), *_spans_of(module))
        self._modules.append(module)

    def remove(self) -> None:
        """Take the spans off; a second call does nothing."""
        while self._modules:
            module = self._modules.pop()
            kind: Any = module.__class__
            left = tuple(span for span in _spans_of(module) if span[0] != self._number)
            module.__dict__[_SPANS] = left
            plain = kind.__dict__.get(_PLAIN)
            if not left and plain is not None:  # otherwise another subclass was laid over ours
                del module.__dict__[_SPANS]
                module.__class__ = plain


def _becomes_traced(module: Any) -> bool:
    """Give the module its traced class, if it is one that can be subclassed without harm."""
    kind: Any = module.__class__
    is_ordinary = type(kind) in _ORDINARY_METACLASSES
    try:
        if is_ordinary:
            module.__class__ = _traced(kind)
            module.__dict__[_SPANS] = ()
    except Exception:  # a class that refuses subclasses
        is_ordinary = False
    if not is_ordinary:
        discard("traced module", "Modules of type %s get no spans.", type_name(kind))
    return is_ordinary


def _traced(plain: Any) -> Any:
    """Return the subclass of `plain` that opens spans; all modules of a class share it."""
    for known in plain.__subclasses__():
        if known.__dict__.get(_PLAIN) is plain:
            return known
    return _new_traced(plain)


def _new_traced(plain: Any) -> Any:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        # The compiler evaluates this to a constant; were the gate asked before, the graph would
        # depend on the enabled groups.
        if compiling.is_compiling():
            return plain.__call__(self, *args, **kwargs)
        return _covered(_spans_of(self), plain.__call__, self, args, kwargs)

    def reduce(self: Any, _protocol: object) -> Any:
        # By the first protocol, because later ones insist on the class that the object has now.
        make, arguments, *rest = plain.__reduce_ex__(self, 1)
        untraced = tuple(plain if argument is traced else argument for argument in arguments)
        if rest and is_mapping(rest[0]):
            rest[0] = {**rest[0]}
            rest[0].pop(_SPANS, None)
        return (make, untraced, *rest)

    names = {name: getattr(plain, name) for name in ("__module__", "__qualname__", "__doc__")}
    body = {**names, _PLAIN: plain, "__call__": call, "__reduce_ex__": reduce}
    traced = types.new_class(
        plain.__name__, (plain,), exec_body=lambda namespace: namespace.update(body)
    )
    return traced


def _spans_of(module: Any) -> tuple[_Span, ...]:
    spans: tuple[_Span, ...] = module.__dict__.get(_SPANS, ())
    return spans


def _covered(
    spans: tuple[_Span, ...],
    call: Callable[..., Any],
    module: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Call the module inside of all its spans."""
    if not spans:
        return call(module, *args, **kwargs)
    _, group, name = spans[0]
    with managed_span(group, name):
        return _covered(spans[1:], call, module, args, kwargs)
