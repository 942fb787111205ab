# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One attribute value at a time: from what training code has at hand to what exporters take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from nemo.lens.spans.discards import discard
from nemo.lens.spans.text import as_text, encodable, is_enum_type, real_type

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_INT, MAX_INT = -(2**63), 2**63 - 1
"""The integers that exporters encode; others are kept as text."""

_TENSOR_TYPE_NAMES = frozenset({"Tensor", "Parameter"})
_DURATION_AND_NUMBER_TYPES = frozenset(
    {("datetime", "timedelta"), ("decimal", "Decimal"), ("fractions", "Fraction")}
)
_TEXT_TYPES = frozenset(
    {("datetime", "datetime"), ("datetime", "date"), ("datetime", "time"), ("uuid", "UUID")}
)


class Unrecordable(Exception):  # noqa: N818  # it is an answer, not an error anybody sees
    """No exporter could take this value; `kind` says why, in the words of `discarded()`."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


MAX_ITEMS = 4096
"""Longer sequences are cut: a span tells about work, it does not carry its data."""


def converted(value: Any) -> Any:
    """Return `value` as `str`, `bool`, `int`, `float` or a list of at most `MAX_ITEMS` of them.

    Only the real type of the value is consulted: `__class__` and `__eq__` may lie.

    Raises:
        Unrecordable: Nothing sensible can be recorded. Other exceptions come from the value itself.
    """
    kind = real_type(value)
    if issubclass(kind, (list, tuple, range)):
        return _sequence(_first_items(value, real_type(value)))
    return _scalar(value, kind)


def _first_items(value: Any, kind: type[Any]) -> list[Any]:
    """Copy the items of a sequence, past what a subclass says about itself, and not too many."""
    base: Any = list if issubclass(kind, list) else tuple if issubclass(kind, tuple) else range
    items: Any = base.__getitem__(value, slice(MAX_ITEMS + 1))
    if len(items) > MAX_ITEMS:
        discard(
            "long sequence",
            "A sequence of more than %d items was cut to these. Further ones are only counted.",
            MAX_ITEMS,
        )
    return list(items[:MAX_ITEMS])


def _scalar(value: Any, kind: type[Any]) -> str | bool | int | float:
    if kind is bool or kind is float:
        return cast("float", value)
    if issubclass(kind, int):
        return _bounded(int.__int__(value))
    if issubclass(kind, float):
        return float.__float__(value)
    if issubclass(kind, str) or is_enum_type(kind):
        return as_text(value)
    if hasattr(kind, "item"):
        return _scalar_of_array(value, kind)
    return _scalar_of_library(value, kind)


def _scalar_of_library(value: Any, kind: type[Any]) -> str | float:
    if issubclass(kind, (bytes, bytearray)):
        return encodable(bytes(value).decode("utf-8"))
    if hasattr(kind, "__fspath__"):
        return as_text(kind.__fspath__(value))
    origins = [(ancestor.__module__, ancestor.__qualname__) for ancestor in kind.__mro__]
    if not _TEXT_TYPES.isdisjoint(origins):
        return value.isoformat() if hasattr(kind, "isoformat") else as_text(value)
    if not _DURATION_AND_NUMBER_TYPES.isdisjoint(origins):
        return float(value.total_seconds() if hasattr(kind, "total_seconds") else value)
    raise Unrecordable("mapping" if issubclass(kind, Mapping) else "unsupported type")


def _scalar_of_array(value: Any, kind: type[Any]) -> str | bool | int | float:
    """Read a 0-d array; never one on an accelerator, which would wait for the device."""
    if getattr(value, "ndim", None) != 0:
        raise Unrecordable("array")
    device = getattr(value, "device", None)
    place = getattr(device, "type", device)
    if place is not None and str(place) != "cpu":
        raise Unrecordable("device tensor")
    if hasattr(kind, "requires_grad") and kind.__name__ not in _TENSOR_TYPE_NAMES:
        raise Unrecordable("device tensor")  # a distributed tensor's item() communicates
    if getattr(value, "mask", False):  # numpy.ma.masked says that there is no value, in item() 0.0
        raise Unrecordable("masked value")
    item = value.item()
    if type(item) is kind:
        if value.dtype.kind == "f":  # numpy.longdouble, which no Python number is as wide as
            return float(value)
        raise Unrecordable("unsupported type")
    return _scalar(item, real_type(item))


def _bounded(number: int) -> int | str:
    return number if MIN_INT <= number <= MAX_INT else str(number)


def _sequence(items: Sequence[Any]) -> list[Any]:
    """Unify the items: mixed numbers become floats, any other mixture becomes text."""
    kinds: set[type[Any]] = set(map(type, items))
    if kinds == {str}:
        return [encodable(item) for item in items]
    if kinds <= {bool} or kinds == {float}:
        return list(items)
    scalars = [None if item is None else _item(item) for item in items]
    kinds = set(map(type, scalars))
    if len(kinds) == 1 and type(None) not in kinds:
        return scalars
    if kinds == {int, float}:
        return [float(scalar) for scalar in scalars]  # type: ignore[arg-type]  # numbers only
    return [str(scalar) for scalar in scalars]


def _item(item: Any) -> str | bool | int | float:
    kind = real_type(item)
    if issubclass(kind, (list, tuple, range)):
        raise Unrecordable("nested sequence")
    return _scalar(item, kind)
