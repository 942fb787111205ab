# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a span helper returns when its group is off: one shared object that does nothing."""

from __future__ import annotations

from typing import NoReturn


def refuse_decoration(*_args: object, **_kwargs: object) -> NoReturn:
    """Tell the author of `@managed_span(...)` what to write instead.

    Raises:
        TypeError: Always. A shared object cannot know the group at each later call.
    """
    raise TypeError(
        "managed_span(...) is a context manager and cannot decorate a function; "
        "write @trace_fn(group, name), which checks the group at every call"
    )


class NoSpan:
    """A context manager that yields `None` and holds no state.

    The methods are static because binding them costs a third of the whole disabled call. A `with`
    statement passes nothing to them; `contextlib.ExitStack` passes the object first.
    """

    __slots__ = ()

    @staticmethod
    def __enter__(_manager: object = None, /) -> None:
        return None

    @staticmethod
    def __exit__(_a: object, _b: object, _c: object, _d: object = None, /) -> None:
        return None

    __call__ = staticmethod(refuse_decoration)


NO_SPAN = NoSpan()
