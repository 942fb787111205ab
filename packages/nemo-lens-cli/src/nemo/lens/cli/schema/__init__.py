# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Attributes, span groups and metrics as data: what dashboards and documentation are made from.

`attributes.json` is written by `scripts/generate_semconv.py` from the model of the api.
"""

from __future__ import annotations

from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

import orjson

from nemo.lens.groups import SpanGroup, SpanRegistry
from nemo.lens.vocabulary import register_base_vocabulary, register_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def attributes() -> dict[str, Any]:
    """The semantic conventions: their versions, and `attributes`, one row each."""
    text = resources.files(__name__).joinpath("attributes.json").read_bytes()
    conventions: dict[str, Any] = orjson.loads(text)
    return conventions


def span_groups() -> list[dict[str, Any]]:
    """Every registered span group with the presets that hold it."""
    register_base_vocabulary()
    presets = SpanRegistry.presets()
    return [
        {"name": group, "presets": sorted(name for name in presets if group in presets[name])}
        for group in sorted(SpanRegistry.groups())
    ]


def metrics() -> list[dict[str, Any]]:
    """Every declared metric; see `nemo.lens.instruments.schema`."""
    from nemo.lens.instruments import schema

    return schema()


def load_libraries(modules: Iterable[str]) -> None:
    """Import libraries, so that what they declare is part of the schema.

    A subclass of `SpanGroup` counts as declared, although set-up is what registers it.

    Raises:
        ImportError: A module cannot be imported, for whatever reason; the text names it.
    """
    for module in modules:
        _load(module)
    for vocabulary in _subclasses(SpanGroup):
        register_vocabulary(vocabulary)


def _load(module: str) -> None:
    try:
        import_module(module)
    except Exception as error:  # a foreign module may do anything
        raise ImportError(
            f"cannot import {module!r} ({type(error).__name__}: {error}); "
            "name a module that python can import here"
        ) from error


def _subclasses(cls: type[SpanGroup]) -> Iterator[type[SpanGroup]]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)
