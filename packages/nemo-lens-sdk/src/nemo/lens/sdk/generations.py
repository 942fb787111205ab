# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Set-ups of modules that were dropped from `sys.modules` and imported anew.

The new modules know nothing of the old ones, but OpenTelemetry still holds the providers that
those installed. What must outlive our modules is kept beside these providers.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, TypeVar

import opentelemetry.trace

if TYPE_CHECKING:
    from collections.abc import MutableSet

ProviderClass = TypeVar("ProviderClass", bound=type)

_RUNNING = "_nemo_lens_running"
_OURS = "_made_by_nemo_lens"


def running() -> MutableSet[Any]:
    """Every running set-up of the process, whichever copy of our modules it belongs to."""
    kept: dict[str, Any] = opentelemetry.trace.__dict__
    alive: MutableSet[Any] = kept.setdefault(_RUNNING, weakref.WeakSet())
    return alive


def retire_others(own_type: type, timeout_ms: float) -> None:
    """Shut down what runs for another copy of our modules; it delivers what it has."""
    for runtime in [each for each in running() if not isinstance(each, own_type)]:
        runtime.shutdown(timeout_ms)


def mark(provider_class: ProviderClass) -> ProviderClass:
    """Make the providers of a class recognisable for every later copy of our modules."""
    setattr(provider_class, _OURS, True)
    return provider_class


def is_ours(provider: object) -> bool:
    """True for providers of a marked class, whichever copy of our modules made it."""
    return getattr(type(provider), _OURS, False) is True
