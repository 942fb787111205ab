# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Isolation of a test from the process-wide state of NeMo Lens and OpenTelemetry.

Nothing is imported to be reset: a module that was not loaded has no state. A loaded module of any
NeMo Lens distribution that keeps process-wide state defines `_reset_for_tests()`. Registries are
put back instead of being emptied, because libraries register once, when they are imported.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any

ISOLATED_VARIABLES = ("OTEL_RESOURCE_ATTRIBUTES", "NEMO_LENS_RUN_ID")
"""Variables that set-up publishes to child processes, and that would leak into the next test."""

# Where OpenTelemetry keeps its global providers. The names are private to it: a test of this
# module fails when one of them moves.
_PROVIDER_VARIABLES = {
    "opentelemetry.trace": "_TRACER_PROVIDER",
    "opentelemetry.metrics._internal": "_METER_PROVIDER",
    "opentelemetry._logs._internal": "_LOGGER_PROVIDER",
}


@contextmanager
def isolated() -> Generator[None]:
    """Give the body a process in which telemetry was never set up, and undo what it does.

    Inside, the gate is closed, there is no carrier, no step and no global provider, set-up may be
    called, and `ISOLATED_VARIABLES` are unset. Span groups, export strategies and metric groups
    that were registered before stay registered. Afterwards all of that is as it was, the
    registrations included, except that the gate is closed and set-up may be called again.
    """
    with ExitStack() as stack:
        stack.enter_context(_environment())
        stack.enter_context(_opentelemetry_globals())
        stack.enter_context(_span_registry())
        stack.enter_context(_put_back(_strategies, _put_strategy, _remove_strategy))
        stack.enter_context(_put_back(_metric_groups, _put_metric_group, _remove_metric_group))
        reset_lens()
        stack.callback(reset_lens)
        yield


def reset_lens() -> None:
    """Reset every loaded lens module that keeps state, and let set-up be called again."""
    for name in sorted(sys.modules):
        if name.startswith("nemo.lens."):
            # A test may have put None in the place of a module, to make its import fail.
            names: dict[str, object] = getattr(sys.modules.get(name), "__dict__", {})
            reset = names.get("_reset_for_tests")
            if callable(reset):
                reset()
    handle = sys.modules.get("nemo.lens.handle")
    if handle is not None:
        vars(handle)["_INITIALIZED"] = False


@contextmanager
def _environment() -> Generator[None]:
    before = {name: os.environ.pop(name, None) for name in ISOLATED_VARIABLES}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _opentelemetry_globals() -> Generator[None]:
    before = {module: _exchange_provider(module, None) for module in _PROVIDER_VARIABLES}
    try:
        yield
    finally:
        for module, provider in before.items():
            _exchange_provider(module, provider)


def _exchange_provider(module_name: str, provider: object) -> object:
    """Put `provider` in the place of a global provider and return the one that was there.

    The other one is not shut down: whoever installed it does that.
    """
    module = sys.modules.get(module_name)
    if module is None:
        return None
    variable = _PROVIDER_VARIABLES[module_name]
    names = vars(module)
    before = names[variable]
    names[variable] = provider
    set_once = type(names[f"{variable}_SET_ONCE"])()
    names[f"{variable}_SET_ONCE"] = set_once
    if provider is not None:
        set_once.do_once(lambda: None)
    elif variable == "_METER_PROVIDER":
        # The proxy remembers the provider that replaced it; the next test needs one that does not.
        names[f"_PROXY{variable}"] = type(names[f"_PROXY{variable}"])()
    return before


@contextmanager
def _span_registry() -> Generator[None]:
    registry = sys.modules.get("nemo.lens.span_group_registry")
    before = None if registry is None else registry.snapshot()
    try:
        yield
    finally:
        groups = sys.modules.get("nemo.lens.groups")
        if groups is not None and before is None:
            groups.SpanRegistry.clear()
        elif registry is not None:
            registry.restore(before)


@contextmanager
def _put_back(
    entries: Callable[[], dict[str, object]],
    put: Callable[[str, object], None],
    remove: Callable[[str], None],
) -> Generator[None]:
    before = entries()
    try:
        yield
    finally:
        now = entries()
        for name in now.keys() - before.keys():
            remove(name)
        for name, entry in before.items():
            if now.get(name) is not entry:
                put(name, entry)


def _strategies() -> dict[str, object]:
    sdk = _loaded("nemo.lens.sdk.strategies")
    return {name: sdk.resolve_strategy(name) for name in sdk.registered_strategies()} if sdk else {}


def _put_strategy(name: str, strategy: object) -> None:
    if sdk := _loaded("nemo.lens.sdk.strategies"):
        sdk.register_export_strategy(name, strategy, allow_override=True)


def _remove_strategy(name: str) -> None:
    # A built-in strategy is new when the body was the first to load the sdk; it is refused.
    with suppress(ValueError):
        _loaded("nemo.lens.sdk.strategies").unregister_export_strategy(name)


def _metric_groups() -> dict[str, object]:
    instruments = _loaded("nemo.lens.instruments.registry")
    return instruments.registered_metric_groups() if instruments else {}


def _put_metric_group(name: str, specs: object) -> None:
    if instruments := _loaded("nemo.lens.instruments.registry"):
        instruments.register_metric_group(name, specs, allow_override=True)


def _remove_metric_group(name: str) -> None:
    # Lens's own groups come with the import of their module, which happens only once.
    if not name.startswith("nemo.lens."):
        _loaded("nemo.lens.instruments.registry").unregister_metric_group(name)


def _loaded(module_name: str) -> Any:
    return sys.modules.get(module_name)
