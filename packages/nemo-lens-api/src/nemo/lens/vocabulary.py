# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The base vocabulary of training jobs, and classes that extend it.

`SpanGroup` holds the eight group names that every training library shares. A library may subclass
it and hand the class to `NemoLensConfig.from_env(span_group_cls=...)`, or register its names with
`SpanRegistry` directly. Nothing is registered by importing this module.
"""

from __future__ import annotations

from nemo.lens.registered_groups import Namespace, elements_of, items_of
from nemo.lens.span_group_registry import store
from nemo.lens.span_group_spec import ALL, is_text, listed, normalised, parts_of, select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

BASE_NAMESPACE = "nemo.lens"
"""The namespace in which the base vocabulary is registered."""

BASE_DEFAULT_GROUPS = frozenset(("job", "checkpoint", "evaluate"))
"""The preset `default` of the base vocabulary; adding to it needs a written reason."""


class SpanGroup:
    """Names of the span groups that training libraries share, and the presets over them.

    A subclass adds constants and overrides `ALL_GROUPS` and `_PRESETS` as a whole:

        class RolloutGroup(SpanGroup):
            ROLLOUT = "rollout"
            ALL_GROUPS = SpanGroup.ALL_GROUPS | {ROLLOUT}
            _PRESETS = {**SpanGroup._PRESETS, "default": frozenset({ROLLOUT})}
    """

    JOB = "job"
    CHECKPOINT = "checkpoint"
    EVALUATE = "evaluate"
    MODEL_INIT = "model_init"
    LOAD_CHECKPOINT = "load_checkpoint"
    STEP = "step"
    FORWARD_BACKWARD = "forward_backward"
    OPTIMIZER = "optimizer"

    ALL_GROUPS: ClassVar[frozenset[str]] = frozenset(
        (
            JOB,
            CHECKPOINT,
            EVALUATE,
            MODEL_INIT,
            LOAD_CHECKPOINT,
            STEP,
            FORWARD_BACKWARD,
            OPTIMIZER,
        )
    )

    _PRESETS: ClassVar[dict[str, frozenset[str]]] = {
        "default": BASE_DEFAULT_GROUPS,
        "per_step": ALL_GROUPS,
        ALL: ALL_GROUPS,
    }

    @classmethod
    def resolve(cls, spec: str) -> frozenset[str]:
        """Resolve a spec against the names of this class alone, strictly.

        Called on `SpanGroup` itself, it registers the base vocabulary with `SpanRegistry` too.

        Args:
            spec: Comma-separated names of groups and presets, in any case and with blanks;
                `-name` excludes. Empty text selects nothing.

        Returns:
            The selected groups, in lower case.

        Raises:
            ValueError: The spec names a group or preset that this class does not have.
        """
        if cls is SpanGroup:
            register_base_vocabulary()
        names = _namespace_of(cls)
        presets = {**names.presets, ALL: names.groups}
        enabled, unknown = select(parts_of(spec), presets, names.groups)
        if unknown:
            raise ValueError(
                f"Unknown span group or preset: {listed(unknown)}. "
                f"{cls.__name__} has the presets {listed(presets)} "
                f"and the groups {listed(names.groups)}"
            )
        return enabled


def register_base_vocabulary() -> None:
    """Register the eight base groups and their presets; repeatable and silent."""
    register_vocabulary(SpanGroup)


def register_vocabulary(cls: type) -> None:
    """Register a `SpanGroup` class as one namespace with `SpanRegistry`; never raises.

    `SpanGroup` itself becomes the namespace `nemo.lens`, any other class the namespace
    `<module>.<qualified name>`; the class of a module that is imported again replaces the earlier
    one. Names inherited from a base class are shared without a warning. What cannot be a name of
    a group is left out.

    Args:
        cls: `SpanGroup`, a subclass, or a class of the same shape (`ALL_GROUPS`, `_PRESETS`).
    """
    store(_namespace_name(cls), _namespace_of(cls))


def _namespace_name(cls: type) -> str:
    if cls is SpanGroup:
        return BASE_NAMESPACE
    return f"{_declared(cls, '__module__')}.{_declared(cls, '__qualname__')}"


def _namespace_of(cls: type) -> Namespace:
    """Return every group that a class names anywhere, and its presets without `all`."""
    inherited = SpanGroup.ALL_GROUPS.union(*map(_groups, _elements(_declared(cls, "__mro__"))[1:]))
    presets = _presets(cls)
    presets.pop(ALL, None)
    return Namespace(_groups(cls), presets, shared=inherited)


def _groups(cls: object) -> frozenset[str]:
    return _names(_declared(cls, "ALL_GROUPS")).union(*_presets(cls).values())


def _presets(cls: object) -> dict[str, frozenset[str]]:
    try:
        items = items_of(_declared(cls, "_PRESETS"))
    except Exception:  # a class of any shape may be registered
        return {}
    return {normalised(name): _names(members) for name, members in items if is_text(name)}


def _names(values: object) -> frozenset[str]:
    """Return the normalised texts among `values`, without empty ones and without `all`."""
    names = {normalised(name) for name in _elements(values) if is_text(name)}
    return frozenset(names - {"", ALL})


def _elements(values: object) -> tuple[object, ...]:
    try:
        return elements_of(values)
    except Exception:  # a class of any shape may be registered
        return ()


def _declared(cls: object, name: str) -> object:
    try:
        return getattr(cls, name, None)
    except Exception:  # a metaclass may do anything
        return None
