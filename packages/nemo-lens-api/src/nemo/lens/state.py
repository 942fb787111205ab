# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The gate: which span groups are on in this process, right now.

Instrumented code asks `is_span_group_enabled`; helpers read `_enabled` directly. Everything else
here decides what that set is: a pinned set, or specs that follow what libraries register, thinned
out on steps that are not sampled. The last writer wins.
"""

from __future__ import annotations

import operator
from threading import RLock

import nemo.lens.lazy_front  # noqa: F401  # here, so that no thread loads it first during a fork
from nemo.lens.enabled_groups import NOTHING, EnabledGroups
from nemo.lens.fork_safety import run_in_forked_child
from nemo.lens.span_group_registry import on_change, snapshot
from nemo.lens.span_group_spec import is_text, shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_enabled: frozenset[str] = frozenset()

# Order of locks: this one, then the registry's. Re-entrant, because a signal handler may change
# the groups in the middle of a change. Nothing is logged while it is held.
_lock = RLock()
_chosen: EnabledGroups = NOTHING
_step: int | None = None
_sampling_interval = 1
_odd_step_seen = False
_pp_trace_carrier: dict[str, str] | None = None


def is_span_group_enabled(group: str) -> bool:
    """Say whether spans of `group` are recorded now.

    One membership test in a frozenset, nothing else: no lock, no normalisation. Group names are
    lower case; a name in mixed case is never on.
    """
    return group in _enabled


def set_enabled_span_groups(groups: Iterable[str]) -> None:
    """Pin the enabled set, exactly as given; what libraries register later changes nothing.

    Args:
        groups: Names of groups, copied unless they are a frozenset already. Empty closes the gate.

    Raises:
        TypeError: `groups` is a single text or cannot be made a set.
    """
    if is_text(groups):
        raise TypeError(
            f"set_enabled_span_groups: `groups` must be a collection of names, got the text "
            f"{shown(groups)}; use set_span_group_spec() for a spec"
        )
    try:
        pinned = frozenset(groups)
    except Exception as error:  # a caller's iterable may fail in any way
        raise TypeError(
            f"set_enabled_span_groups: `groups` must be a collection of names, got {shown(groups)}"
        ) from error
    with _lock:
        _choose(EnabledGroups(snapshot(), pinned=pinned))


def set_span_group_spec(spec: str) -> None:
    """Enable what `spec` selects, and keep following it as libraries register and unregister.

    Never raises. Names that nobody has registered are kept as pending, and a WARNING of the
    logger `nemo.lens.state` says so; so does a spec that selects nothing. Blank text is silent.

    Args:
        spec: Comma-separated names of presets and groups, in any case; `-name` excludes. `all`
            is everything registered.
    """
    text = text_of(spec)
    with _lock:
        chosen = _choose(EnabledGroups(snapshot(), specs=(text,)))
    chosen.warn()


def add_span_group_spec(spec: str) -> None:
    """Enable what `spec` selects besides what is enabled already, and keep following it.

    For a second library in the process that brings its own spec. Exclusions in `spec` hold for
    this spec only. Otherwise like `set_span_group_spec`.
    """
    text = text_of(spec)
    with _lock:
        specs = (*_chosen.specs, text)
        chosen = _choose(EnabledGroups(snapshot(), pinned=_chosen.pinned, specs=specs))
    chosen.warn()


def refresh_enabled_span_groups() -> None:
    """Resolve the stored specs again, after libraries have registered or unregistered.

    A pinned set stays as it is. Warns only when what there is to warn about has changed.
    """
    with _lock:
        before = _chosen
        after = _choose(before.resolved_against(snapshot()))
    if after.warning_key != before.warning_key:
        after.warn()


def enabled_span_groups() -> frozenset[str]:
    """Return the groups that were chosen, whether or not the present step is sampled."""
    return _chosen.enabled


def pending_span_groups() -> frozenset[str]:
    """Return the parts of the stored specs that name nothing registered (yet)."""
    return _chosen.pending


def set_step(step: int | None) -> None:
    """Say which training step begins; call it between steps, on every step.

    Costs one short lock. With step sampling on, it opens or thins out the gate for the step.

    Args:
        step: The number of the step, or `None` between runs. Anything with `__index__` will do,
            but pass an `int`: a tensor on a device would be synchronised. What is no whole number
            is ignored; the first one gives a WARNING.
    """
    global _step
    try:
        number = None if step is None else operator.index(step)
    except Exception:  # telemetry must not stop a step because of its number
        _warn_of_odd_step(step)
        return
    with _lock:
        _step = number
        _publish()


def current_step() -> int | None:
    """Return the number last given to `set_step`, or `None`."""
    return _step


def set_step_sampling(every: int) -> None:
    """Record everything that is enabled only on steps with `step % every == 0`.

    On the other steps only those enabled groups stay on that belong to the preset `default`. It
    takes effect with `set_step`; while no step is known everything enabled is recorded. The cost
    per span does not change: the gate's set is exchanged between steps.

    Args:
        every: The interval in steps, at least 1; 1 records every step.

    Raises:
        ValueError: `every` is not a whole number of at least 1.
    """
    global _sampling_interval
    if type(every) is not int or every < 1:
        raise ValueError(
            f"set_step_sampling: `every` must be a whole number of at least 1, got {shown(every)}"
        )
    with _lock:
        _sampling_interval = every
        _publish()


def set_pp_trace_carrier(carrier: dict[str, Any] | None) -> None:
    """Keep one trace carrier for the whole process, for pipeline stages to pick up.

    Args:
        carrier: What `inject_context` or `broadcast_trace_context` filled, or `None`. Not copied.
    """
    global _pp_trace_carrier
    _pp_trace_carrier = carrier


def get_pp_trace_carrier() -> dict[str, Any] | None:
    """Return the carrier last given to `set_pp_trace_carrier`, or `None`."""
    return _pp_trace_carrier


def _choose(chosen: EnabledGroups) -> EnabledGroups:
    global _chosen
    _chosen = chosen
    _publish()
    return chosen


def _publish() -> None:
    global _enabled
    sampled = _step is None or _step % _sampling_interval == 0
    _enabled = _chosen.enabled if sampled else _chosen.between_sampled_steps


def _warn_of_odd_step(step: object) -> None:
    global _odd_step_seen
    if _odd_step_seen:
        return
    _odd_step_seen = True
    import logging

    logging.getLogger(__name__).warning(
        "set_step() needs a whole number, got %s; it is ignored, and so is every further one",
        shown(step),
    )


on_change(refresh_enabled_span_groups)


@run_in_forked_child
def _repair_after_fork() -> None:
    global _lock
    _lock = RLock()
    _publish()


def _reset_for_tests() -> None:  # pyright: ignore[reportUnusedFunction] -- nemo.lens.testing
    global _odd_step_seen
    set_enabled_span_groups(frozenset())
    set_pp_trace_carrier(None)
    set_step_sampling(1)
    set_step(None)
    _odd_step_seen = False
