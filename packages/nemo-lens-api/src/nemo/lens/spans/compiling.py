# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Staying out of regions that `torch.compile` traces, without ever importing torch.

A span inside a compiled region is skipped with no graph break, whether its group is on or off.
Two things do that:

* The compiler inlines another function in the place of a helper when the helper names one
  (`in_graph`). Shared objects with static methods, which the disabled path lives on, cannot be
  entered inside a graph; and so the graph does not depend on the enabled groups, and toggling
  them compiles nothing again.
* Helpers whose group is on ask `is_compiling`. The compiler evaluates torch's own function to a
  constant while it traces. Until torch is loaded nothing can be compiling; `is_compiling` is then a
  stand-in that hands over to torch's function as soon as torch is there.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Helper = TypeVar("Helper", bound=Callable[..., Any])

_INLINE_ATTRIBUTE = "_torchdynamo_inline"  # torch's own name; tests/integration has the canary


def _ask_torch_if_loaded() -> bool:
    """Answer while no span was made since torch was loaded, if it was loaded at all."""
    if "torch" not in sys.modules:
        return False
    compiler = getattr(sys.modules["torch"], "compiler", None)
    asked = getattr(compiler, "is_compiling", None)
    if asked is None:  # torch is half-way through its own import
        return False
    if asked():
        return True
    _bind(asked)
    return False


def _bind(torch_function: Callable[[], bool]) -> None:
    global is_compiling
    is_compiling = torch_function


def bind_to_torch() -> None:
    """Ask torch's own function from now on, if torch is loaded; otherwise change nothing.

    Set-up may call this; a process that loads torch later is bound by its first span.
    """
    _ask_torch_if_loaded()


is_compiling: Callable[[], bool] = _ask_torch_if_loaded


class SkippedSpan:
    """The context manager of a span inside a compiled region; made there, as the compiler asks."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_exception: object) -> None:
        return None


def skip_span(*_args: Any, **_keywords: Any) -> SkippedSpan:
    """Stand in for a helper that returns a context manager."""
    return SkippedSpan()


def skip_call(*_args: Any, **_keywords: Any) -> None:
    """Stand in for a helper that returns nothing."""


def in_graph(replacement: Callable[..., Any]) -> Callable[[Helper], Helper]:
    """Let `torch.compile` inline `replacement` wherever it meets the decorated helper.

    Not for wrappers around user functions: whoever wraps those again with `functools.wraps` copies
    the mark, and the compiler would bypass the outer wrapper.
    """

    def mark(helper: Helper) -> Helper:
        setattr(helper, _INLINE_ATTRIBUTE, replacement)
        return helper

    return mark
