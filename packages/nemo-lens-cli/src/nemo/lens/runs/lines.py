# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Lines of recorded files: plain, `.gz`, `.zst`; torn, truncated and still growing ones."""

from __future__ import annotations

import gzip
import importlib
import io
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import orjson

from nemo.lens.runs.quantities import plural

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nemo.lens.runs.problems import Problems

# One request holds some hundred spans; a line beyond this is no request of ours and would only
# fill the memory of the reader.
MAX_LINE_BYTES: Final = 256 * 1024 * 1024
COMPRESSIONS: Final = (".gz", ".zst")


def uncompressed_name(path: Path) -> str:
    """The file name without a compression suffix."""
    return path.name[: -len(path.suffix)] if path.suffix in COMPRESSIONS else path.name


def _open_zst(path: Path) -> BinaryIO:
    # zstd is in the standard library from Python 3.14 and in `zstandard` before.
    try:
        standard: Any = importlib.import_module("compression.zstd")
    except ImportError:
        package: Any = importlib.import_module("zstandard")
        decompressor = package.ZstdDecompressor()
        # Collectors append frames; the package's own reader knows no lines.
        raw = decompressor.stream_reader(path.open("rb"), read_across_frames=True, closefd=True)
        return io.BufferedReader(raw)
    return cast("BinaryIO", standard.open(path, "rb"))


def open_lines(path: Path) -> BinaryIO:
    """A file as it was before it was compressed, if it is."""
    if path.suffix == ".gz":
        return cast("BinaryIO", gzip.open(path, "rb"))
    if path.suffix == ".zst":
        return _open_zst(path)
    try:
        return path.open("rb")
    except FileNotFoundError:
        # Listed while it grew, and compressed by its writer since.
        return cast("BinaryIO", gzip.open(f"{path}.gz", "rb"))


def raw_lines(
    path: Path, label: str, problems: Problems, *, limit: int = MAX_LINE_BYTES
) -> Iterator[bytes]:
    """The lines of a file, cut at `limit` bytes; ends with a problem where reading fails."""
    try:
        with open_lines(path) as stream:
            while line := stream.readline(limit):
                yield line
    except ImportError:
        problems.add(f"{label}: not read, .zst needs the package zstandard: pip install zstandard")
    except EOFError:
        problems.add(f"{label}: the compressed file is cut off; what came before was read")
    except (OSError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        problems.add(f"{label}: could not be read further: {reason}")
    except Exception as error:
        # The error classes of a zstd module are known only where it is installed.
        if path.suffix != ".zst":
            raise
        problems.add(f"{label}: could not be read further: {error or type(error).__name__}")


def json_lines(
    path: Path, label: str, problems: Problems, *, marker: bytes = b""
) -> Iterator[dict[str, Any]]:
    """Each line of a file that is a JSON object, in order.

    Args:
        path: The file; `.gz` and `.zst` are unpacked on the way.
        label: How the file is called in problems.
        problems: Gets at most one line about damaged lines, one about a torn end and one about an
            unreadable file.
        marker: Lines without these bytes are passed over unparsed.

    Yields:
        The objects. Nothing is raised for what a file holds.
    """
    damaged, first_damaged = 0, 0
    for number, line in enumerate(raw_lines(path, label, problems), start=1):
        if marker and marker not in line:
            if not line.endswith(b"\n") and not line.isspace() and _parse(line) is None:
                _report_torn(label, line, problems)
            continue
        request = _parse(line)
        if request is not None:
            yield request
        elif not line.endswith(b"\n") and len(line) < MAX_LINE_BYTES:
            _report_torn(label, line, problems)
        elif not line.isspace():
            damaged += 1
            first_damaged = first_damaged or number
    if damaged:
        lines = plural(damaged, "line is", "lines are")
        problems.add(
            f"{label}: {lines} not a JSON object and skipped, the first is {first_damaged}"
        )


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        value = orjson.loads(line)
    except ValueError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _report_torn(label: str, line: bytes, problems: Problems) -> None:
    problems.add(
        f"{label}: the last line is torn ({len(line)} bytes not read): "
        "the writer was cut off or is still writing"
    )
