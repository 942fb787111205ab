# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Attributes for every span of a stretch of work, set once around it."""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nemo.lens.spans.attributes import cleaned
from nemo.lens.spans.text import is_mapping, real_type, type_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextvars import Token

_NOTHING: Mapping[str, Any] = MappingProxyType({})

_scope: ContextVar[Mapping[str, Any]] = ContextVar("nemo_lens_span_attributes", default=_NOTHING)

scope_values = _scope.get
"""The values in force, cleaned, for internal readers that do not change them."""


put_scope = _scope.set
"""Put cleaned values in force, whatever was before; for work that is suspended and resumed."""


def current_span_attributes() -> Mapping[str, Any]:
    """Return a read-only view of the attributes that `span_attributes` has put in force here."""
    return MappingProxyType(dict(_scope.get()))


class SpanAttributesScope:
    """The context manager behind `span_attributes`; may be entered any number of times."""

    __slots__ = ("_attributes", "_tokens")

    def __init__(self, attributes: Mapping[str, Any]) -> None:
        if not is_mapping(attributes):
            raise TypeError(
                f"span_attributes() takes a mapping of attribute names to values, "
                f"not {type_name(real_type(attributes))}"
            )
        self._attributes = cleaned(attributes)
        self._tokens: list[Token[Mapping[str, Any]]] = []

    def __enter__(self) -> None:
        self._tokens.append(_scope.set({**_scope.get(), **self._attributes}))

    def __exit__(self, *_exception: object) -> None:
        # Closed from another context (an abandoned async generator), nothing is set there.
        with suppress(ValueError):
            _scope.reset(self._tokens.pop())
