# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The caller's side of a remote call: the trace context travels as one keyword argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.context import Context

CARRIER_KEYWORD: Final = "_otel_carrier"
"""The keyword argument that holds the carrier; `traced_remote_call` takes it off again."""


def inject_ray_context() -> dict[str, str]:
    """Return a carrier with the current trace context; empty when there is none. Never raises."""
    from nemo.lens.propagation import inject_context

    carrier: dict[str, str] = {}
    inject_context(carrier)
    return carrier


def extract_ray_context(carrier: Mapping[str, Any] | None = None) -> Context:
    """Return the trace context that `carrier` holds; the current one if it holds none.

    None and malformed carriers hold none. Never raises.
    """
    from nemo.lens.propagation import extract_context

    return extract_context(carrier)


def ray_dispatch_with_context(
    remote_fn: Any, *args: Any, _carrier: Mapping[str, Any] | None = None, **kwargs: Any
) -> Any:
    """Call `remote_fn.remote(*args, **kwargs)` inside the caller's trace.

    Args:
        remote_fn: A remote function, the method of an actor handle, or what their `options(...)`
            returns. The function behind it is decorated with `traced_remote_call`, or takes the
            keyword argument `_otel_carrier` itself; otherwise Ray raises TypeError.
        *args: Positional arguments of the call.
        _carrier: A carrier from elsewhere; None for the current trace context.
        **kwargs: Keyword arguments of the call.

    Returns:
        What `remote` returns: an `ObjectRef`, or an `ObjectRefGenerator` for generators.
    """
    carrier = inject_ray_context() if _carrier is None else _carrier
    return remote_fn.remote(*args, **{CARRIER_KEYWORD: carrier}, **kwargs)
