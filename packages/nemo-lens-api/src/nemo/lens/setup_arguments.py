# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The arguments of `setup_telemetry` beside the configuration, checked before anything is done."""

from __future__ import annotations

import inspect
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    ExportStrategy = str | Callable[[Any, int, int], bool]


class _NotGiven:
    """The default of `rank` and `world_size`, which tells "not given" from every value."""

    def __repr__(self) -> str:
        return "<not given>"


NOT_GIVEN: Any = _NotGiven()


@dataclass(frozen=True)
class SetupArguments:
    """Usable arguments; see `setup_telemetry` for what they mean, None for what was not given."""

    rank: int | None
    world_size: int | None
    resource_attributes: Mapping[str, Any] | None
    span_exporter: Any
    metric_reader: Any
    export_strategy: ExportStrategy | None

    @classmethod
    def checked(
        cls,
        *,
        rank: Any,
        world_size: Any,
        resource_attributes: Mapping[str, Any] | None,
        span_exporter: Any,
        metric_reader: Any,
        export_strategy: ExportStrategy | None,
    ) -> SetupArguments:
        """Refuse what set-up could not work with.

        Raises:
            ValueError: A number of ranks, or the number of one, is no such number.
            TypeError: Something is of the wrong type, or lacks methods that it needs.
        """
        from nemo.lens.resources.composition import refuse_other_than_mapping

        refuse_other_than_mapping(resource_attributes)
        refuse_unusable_parts(span_exporter, metric_reader)
        _refuse_unusable_strategy(export_strategy)
        return cls(
            rank=checked_count("rank", rank, least=0),
            world_size=checked_count("world_size", world_size, least=1),
            resource_attributes=resource_attributes,
            span_exporter=span_exporter,
            metric_reader=metric_reader,
            export_strategy=export_strategy,
        )

    def differing_from(self, other: SetupArguments | None) -> list[str]:
        """Name the arguments that were given and are not what another set-up was given."""
        return [
            name
            for name, value in vars(self).items()
            if value is not None and not _same(value, getattr(other, name, None))
        ]


def refuse_unusable_parts(span_exporter: object, metric_reader: object) -> None:
    """Check the caller's own exporter and reader; None counts as not given.

    What they can do is looked at, not what they are called: a process that does not export knows
    no class of the OpenTelemetry SDK.

    Raises:
        TypeError: A method is missing, or a class was given in the place of its instance.
    """
    _refuse_unable("span_exporter", span_exporter, "SpanExporter", ("export", "shutdown"))
    _refuse_unable(
        "metric_reader", metric_reader, "MetricReader", ("collect", "force_flush", "shutdown")
    )


def checked_count(name: str, value: Any, *, least: int) -> int | None:
    """Read a rank or a number of ranks; digits as text count too.

    Args:
        name: Name of the argument of `setup_telemetry`.
        value: What was given; None counts as not given.
        least: The smallest usable number.

    Returns:
        The number, or None when none was given.

    Raises:
        ValueError: The value is no whole number of at least `least`.
    """
    if value is NOT_GIVEN or value is None:
        return None
    from nemo.lens.semconv.resources import convert_integer

    try:
        as_given = isinstance(value, (str, bool))
        number = convert_integer(value if as_given else operator.index(value))
    except Exception:  # a foreign object may do anything when it is asked for its number
        number = least - 1
    if number < least:
        raise ValueError(
            f"setup_telemetry: {name}={described(value)} is not usable; expected a whole number "
            f"of at least {least}, or leave {name} out"
        )
    return number


def described(value: object) -> str:
    """Show a value in a message, whatever its `repr` does."""
    try:
        return repr(value)
    except Exception:  # the message must not raise
        return f"an object of type {type(value).__name__}"


def _refuse_unable(name: str, value: object, kind: str, methods: tuple[str, ...]) -> None:
    if value is None:
        return
    missing = [method for method in methods if not _has_method(value, method)]
    if isinstance(value, type) or missing:
        lacks = f" (it has no {', '.join(missing)})" if missing else ", a class"
        raise TypeError(
            f"setup_telemetry: {name}={described(value)}{lacks} is not usable; expected an "
            f"OpenTelemetry {kind} object, or leave {name} out to export as the configuration says"
        )


def _has_method(value: object, name: str) -> bool:
    try:
        return callable(getattr(value, name, None))
    except Exception:  # a foreign object may do anything when it is asked
        return False


def _refuse_unusable_strategy(strategy: object) -> None:
    if strategy is None or isinstance(strategy, str):
        return
    if not callable(strategy) or not _takes_three(strategy):
        raise TypeError(
            f"setup_telemetry: export_strategy={described(strategy)} is not usable; expected the "
            "name of a strategy, or a callable (config, rank, world_size) that returns a bool"
        )


def _takes_three(function: Callable[..., object]) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True  # builtins may have none; a call will tell
    try:
        signature.bind(None, 0, 1)
    except TypeError:
        return False
    return True


def _same(value: object, other: object) -> bool:
    try:
        return value is other or bool(value == other)
    except Exception:  # an array, or a foreign object
        return False
