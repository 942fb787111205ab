# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reading environment variables that other programs wrote, whatever they hold.

What is read here goes onto the wire, so it is always valid UTF-8 and never long: one odd byte or
one huge value must not cost an export batch.
"""

from __future__ import annotations

import functools
import logging
import os
import re
from typing import TYPE_CHECKING

from nemo.lens.spans.text import encodable

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_VALUE_BYTES = 1024

_LARGEST_INTEGER = 2**63 - 1
_DIGITS = re.compile(r"\+?[0-9]{1,64}")
_NULL = "(null)"

_log = logging.getLogger("nemo.lens.resources.identity")


def environment_of(environ: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return `environ`, or the environment of this process for None."""
    return os.environ if environ is None else environ


def read_text(environ: Mapping[str, str], *variables: str) -> str | None:
    """Read the first of several variables that says something.

    Blank values and the `(null)` that SLURM writes for what it does not know say nothing.

    Args:
        environ: The environment.
        *variables: Spellings of one variable, the preferred one first.

    Returns:
        The value without surrounding blanks, made fit for export by `clean_text`, or None.
    """
    for variable in variables:
        value = environ.get(variable, "").strip()
        if value and value != _NULL:
            return clean_text(value)
    return None


def read_count(environ: Mapping[str, str], *variables: str) -> int | None:
    """Read the first of several variables that says something, as a count.

    Returns:
        The count, or None where no variable says anything or the one that does holds no count.
    """
    text = read_text(environ, *variables)
    return None if text is None else parse_count(text)


def read_identity(environ: Mapping[str, str], *variables: str) -> int | None:
    """Read a variable that tells who this process is: a rank, a size, a number of restarts.

    A variable that holds something else counts as absent; one WARNING per variable and value
    says so.

    Returns:
        The number from the first variable that holds one, or None.
    """
    for variable in variables:
        text = read_text(environ, variable)
        if text is None:
            continue
        count = parse_count(text)
        if count is not None:
            return count
        warn_unusable(variable, text)
    return None


def parse_count(text: str) -> int | None:
    """Parse ASCII digits as a count that fits into 64 bits; None for anything else."""
    text = text.strip()
    if not _DIGITS.fullmatch(text):
        return None
    count = int(text)
    return count if count <= _LARGEST_INTEGER else None


@functools.lru_cache(maxsize=256)
def warn_unusable(variable: str, value: str) -> None:
    """Log one WARNING for a variable whose value is no number of 0 or more."""
    _log.warning(
        "%s=%r is ignored: a whole number of 0 or more is expected. "
        "Unset it, or let the launcher set it.",
        variable,
        value,
    )


def clean_text(text: str, limit_bytes: int = LONGEST_VALUE_BYTES) -> str:
    r"""Make text fit for export.

    Args:
        text: Any text, also with the surrogates that stand for undecodable bytes.
        limit_bytes: The most bytes that the result may take in UTF-8.

    Returns:
        The text with surrogates written out as `\udc80`; text over the limit is cut and ends
        in three dots.
    """
    text = encodable(text)
    encoded = text.encode("utf-8")
    if len(encoded) > limit_bytes:
        return encoded[: limit_bytes - 3].decode("utf-8", "ignore") + "..."
    return text


def read_file(path: str, limit_bytes: int = 65_536) -> str:
    """Read the start of a small file; the empty string where it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs an import at start-up
            return file.read(limit_bytes).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
