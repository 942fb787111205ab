# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The callbacks of observable metrics: what OpenTelemetry calls, and what a group declares now.

OpenTelemetry cannot take an instrument's callback back. So it is given one of ours, which asks
the registry at each collection; a group that is declared anew reports anew.
"""

from __future__ import annotations

import inspect
import math
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.points import NotANumber, number, point_attributes
from nemo.lens.instruments.problems import warn_once
from nemo.lens.instruments.registry import specs_of
from nemo.lens.spans.text import as_text, real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from opentelemetry.metrics import CallbackOptions, Observation

    from nemo.lens.instruments.metric_spec import MetricSpec

_SDK = "opentelemetry.sdk.metrics"


def is_collecting() -> bool:
    """Say whether this thread is in the callback of an observable metric, anybody's.

    A reader collects then, and holds a lock that making an observable instrument would wait for.
    Nobody tells, so the callers are asked; it is only needed where instruments are made.
    """
    frame = inspect.currentframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith(_SDK):
            return True
        frame = frame.f_back
    return False


class Reporter:
    """The callback of one observable metric.

    It never fails: what its declaration raises is told once, and observations that are no finite
    numbers are left out.

    Args:
        group: The metric group.
        spec: The metric as it was declared first. It goes on reporting when the group is
            unregistered, and ends when the group is declared anew without it.
    """

    __slots__ = ("_group", "_spec")

    def __init__(self, group: str, spec: MetricSpec) -> None:
        self._group = group
        self._spec = spec

    def __call__(self, options: CallbackOptions) -> Iterable[Observation]:
        """Report what the present declaration of the metric reports."""
        return self._observations(options) if self._is_declared() else ()

    def follow(self, group: str, spec: MetricSpec) -> None:
        """Report what `group` declares from now on; it is another group perhaps."""
        self._group = group
        self._spec = spec

    def _is_declared(self) -> bool:
        declared = specs_of(self._group)
        if declared is None:
            return True
        for spec in declared:
            if spec.instrument == self._spec.instrument:
                self._spec = spec
                return True
        return False

    def _observations(self, options: CallbackOptions) -> Iterator[Observation]:
        try:
            for reported in _answer(self._spec.callback, options):
                yield from self._plain(reported)
        except (Exception, SystemExit) as reason:  # the latter would end the exporting thread
            self._tell("failed", f"{type_name(type(reason))}: {as_text(reason)}")

    def _plain(self, reported: Any) -> Iterator[Observation]:
        from opentelemetry.metrics import Observation

        if not isinstance(reported, Observation):
            self._tell_dropped(
                f"an object of type {type_name(real_type(reported))}, no Observation"
            )
            return
        try:
            value = number(reported.value)
        except NotANumber as reason:
            self._tell_dropped(str(reason))
            return
        if math.isfinite(value):
            attributes = point_attributes(reported.attributes, self._group)
            yield Observation(value, attributes, reported.context)
        else:
            self._tell_dropped(str(value))

    def _tell_dropped(self, details: str) -> None:
        self._tell("reported what is dropped", details)

    def _tell(self, what: str, details: str) -> None:
        warn_once(
            (what, self._group, self._spec.key),
            "The callback of metric %r of group %r %s: %s.",
            self._spec.key,
            self._group,
            what,
            details,
        )


def _answer(callback: Any, options: CallbackOptions) -> Iterable[Any]:
    """Ask a callback, or a generator, which OpenTelemetry takes too: it gets options, and yields."""
    asked: Any = callback
    if real_type(callback) is not GeneratorType:
        answer: Iterable[Any] = asked(options)
        return answer
    if inspect.getgeneratorstate(asked) == inspect.GEN_CREATED:
        next(asked)
    try:
        reported: Iterable[Any] = asked.send(options)
    except StopIteration:
        return ()
    return reported
