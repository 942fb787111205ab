# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Resource attributes in `OTEL_RESOURCE_ATTRIBUTES`, the channel that child processes inherit.

The text is a list of `key=value` with commas between, values percent-encoded, as the OpenTelemetry
specification says. A launcher writes the identity of each worker there; whatever the worker runs,
in whatever language, reports it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import quote, unquote

from nemo.lens.semconv.encoding import compose_attributes
from nemo.lens.spans.text import real_type

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, MutableMapping

__all__ = [
    "OTEL_RESOURCE_ATTRIBUTES",
    "ResourceAttributeCheck",
    "ResourceAttributeValue",
    "ResourceAttributes",
    "check_resource_attributes",
    "duplicate_otel_resource_attribute_keys",
    "extend_otel_resource_attributes",
    "format_otel_resource_attributes",
    "get_otel_resource_attributes",
    "parse_otel_resource_attributes",
    "publish_otel_resource_attributes",
    "set_otel_resource_attributes",
]

ResourceAttributeValue: TypeAlias = str | bool | int | float
"""What a resource attribute may hold."""

ResourceAttributes: TypeAlias = Mapping[str, ResourceAttributeValue]
"""Resource attributes by name."""

OTEL_RESOURCE_ATTRIBUTES = "OTEL_RESOURCE_ATTRIBUTES"
"""The variable that all helpers of this module read and write."""

_log = logging.getLogger("nemo.lens.resources.attributes")


def parse_otel_resource_attributes(text: str | None) -> dict[str, str]:
    """Parse the text of the variable.

    Args:
        text: The text; None counts as empty.

    Returns:
        Decoded values by name. Items without `=` or without a name are left out; of two items
        with one name, the later one wins.
    """
    return {key: unquote(value.strip()) for key, value in _items(text)}


def format_otel_resource_attributes(attributes: Mapping[Any, Any]) -> str:
    """Format attributes as the text of the variable.

    Args:
        attributes: Scalars by name. None means "not given" and is left out.

    Returns:
        The text, every value percent-encoded. Names that are not strings, are blank or hold `,`,
        `=` or a NUL, and values that are no scalars or not valid UTF-8 are left out with a WARNING
        each.
    """
    carried: dict[str, str] = {}
    for key, value in attributes.items():
        name = None if value is None else _name(key)
        encoded = None if name is None else _encoded(name, value)
        if name is not None and encoded is not None:
            carried[name] = encoded
    return ",".join(f"{key}={value}" for key, value in carried.items())


def get_otel_resource_attributes(*, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Parse the variable of this process.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        Decoded values by name, all of them text.
    """
    environment = os.environ if environ is None else environ
    return parse_otel_resource_attributes(environment.get(OTEL_RESOURCE_ATTRIBUTES))


def set_otel_resource_attributes(
    attributes: Mapping[Any, Any], *, environ: MutableMapping[str, str] | None = None
) -> str:
    """Write the variable; what it held before is replaced.

    Args:
        attributes: Scalars by name, see `format_otel_resource_attributes`.
        environ: The environment to write to; that of this process by default.

    Returns:
        The text that was written.
    """
    environment = os.environ if environ is None else environ
    text = format_otel_resource_attributes(attributes)
    environment[OTEL_RESOURCE_ATTRIBUTES] = text
    return text


def extend_otel_resource_attributes(
    text: str | None,
    *,
    defaults: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> str:
    """Add attributes to a text of the variable; nothing is written.

    Args:
        text: The text that is there; None counts as empty.
        defaults: Attributes that count only where the text says nothing.
        overrides: Attributes that count whatever the text says.

    Returns:
        The new text.
    """
    current = parse_otel_resource_attributes(text)
    return format_otel_resource_attributes(
        compose_attributes(current, defaults=defaults, overrides=overrides)
    )


@contextmanager
def publish_otel_resource_attributes(
    attributes: Mapping[Any, Any], *, environ: MutableMapping[str, str] | None = None
) -> Generator[str, None, None]:
    """Hold exactly these attributes in the variable while child processes are started.

    The previous state comes back on leaving, absence included. Blocks may be nested; threads that
    publish at the same time must take turns, as there is one environment for all of them.

    Args:
        attributes: Scalars by name, see `format_otel_resource_attributes`. They replace what the
            variable held; `extend_otel_resource_attributes` is for adding.
        environ: The environment to write to; that of this process by default.

    Yields:
        The text that the variable holds inside the block.
    """
    environment = os.environ if environ is None else environ
    before = environment.get(OTEL_RESOURCE_ATTRIBUTES)
    text = set_otel_resource_attributes(attributes, environ=environment)
    try:
        yield text
    finally:
        if before is None:
            environment.pop(OTEL_RESOURCE_ATTRIBUTES, None)
        else:
            environment[OTEL_RESOURCE_ATTRIBUTES] = before


@dataclass(frozen=True)
class ResourceAttributeCheck:
    """What `check_resource_attributes` found; names in the order in which they were asked for."""

    missing: tuple[str, ...] = ()
    """Required names that are not there."""
    empty: tuple[str, ...] = ()
    """Required names whose value is None or empty."""
    forbidden: tuple[str, ...] = ()
    """Forbidden names that are there."""
    duplicates: tuple[str, ...] = ()
    """Names that the text of the variable has more than once."""

    @property
    def ok(self) -> bool:
        """True when nothing was found."""
        return not (self.missing or self.empty or self.forbidden or self.duplicates)


def check_resource_attributes(
    attributes: Mapping[str, Any],
    *,
    required: Iterable[str] = (),
    forbidden: Iterable[str] = (),
    env_value: str | None = None,
) -> ResourceAttributeCheck:
    """Check attributes before a job is started with them.

    Args:
        attributes: The attributes.
        required: Names that must be there and must not be empty.
        forbidden: Names that must not be there.
        env_value: The text of `OTEL_RESOURCE_ATTRIBUTES`, to look for duplicates in.

    Returns:
        What was found; its `ok` is True when that is nothing.
    """
    wanted = tuple(required)
    return ResourceAttributeCheck(
        missing=tuple(name for name in wanted if name not in attributes),
        empty=tuple(name for name in wanted if attributes.get(name, 0) in (None, "")),
        forbidden=tuple(name for name in forbidden if name in attributes),
        duplicates=duplicate_otel_resource_attribute_keys(env_value),
    )


def duplicate_otel_resource_attribute_keys(text: str | None) -> tuple[str, ...]:
    """List the names that a text of the variable has more than once, in their first order."""
    seen: dict[str, int] = {}
    for key, _ in _items(text):
        seen[key] = seen.get(key, 0) + 1
    return tuple(key for key, times in seen.items() if times > 1)


def _items(text: str | None) -> Iterator[tuple[str, str]]:
    for item in (text or "").split(","):
        key, separator, value = item.partition("=")
        if separator and key.strip():
            yield key.strip(), value


def _name(key: object) -> str | None:
    if not issubclass(type(key), str):
        _log.warning(
            "A resource attribute name of %s is not a string: it is left out. Use a string.",
            type.__repr__(type(key)),
        )
        return None
    name = str.strip(cast("str", key))
    if not name or any(character in name for character in ",=\0"):
        _log.warning(
            "Resource attribute %r cannot be carried in %s: a name is not blank and holds no "
            "comma, equals sign or NUL. It is left out.",
            name,
            OTEL_RESOURCE_ATTRIBUTES,
        )
        return None
    return name


def _encoded(name: str, value: Any) -> str | None:
    try:
        text = _text(value)
        if text is not None:
            name.encode()
            return quote(text, safe="")
    except ValueError:  # lone surrogates, and integers of thousands of digits
        _log.warning(
            "Resource attribute %r is not valid UTF-8 or too long a number: it is left out.", name
        )
        return None
    _log.warning(
        "Resource attribute %r cannot be carried in %s: its value is of %s, and text, a boolean "
        "or a number is expected. It is left out.",
        name,
        OTEL_RESOURCE_ATTRIBUTES,
        type.__repr__(real_type(value)),
    )
    return None


def _text(value: object) -> str | None:
    """Spell a scalar as what it holds, whatever its class says of it: enums, numpy's numbers."""
    kind = real_type(value)
    for scalar, spell in _SPELLINGS.items():
        if issubclass(kind, scalar):
            return spell(value)
    return None


# A boolean is an integer too, so it comes first.
_SPELLINGS: dict[type, Callable[[Any], str]] = {
    str: str.__str__,
    bool: bool.__repr__,
    int: int.__repr__,
    float: float.__repr__,
}
