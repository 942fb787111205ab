# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens vendor-fallbacks`: the no-op helpers as a file for a library to keep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nemo.lens.cli import exits

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.screen import Screen

NAME = "vendor-fallbacks"
SUMMARY = "print the no-op helpers as a module to copy into a library"
DESCRIPTION = (
    "Print a Python module with no-op versions of the instrumentation helpers, for a library that "
    "cannot depend on nemo-lens-api. It imports the standard library alone. With --check, compare "
    "a copy with what would be printed: comments, doc strings and formatting may differ."
)
EPILOG = """\
examples:
  nemo-lens vendor-fallbacks > my_library/telemetry/_fallbacks.py
  nemo-lens vendor-fallbacks --check my_library/telemetry/_fallbacks.py

in the library:
  try:
      from nemo.lens.helpers import managed_span, trace_fn
  except ImportError:
      from my_library.telemetry._fallbacks import managed_span, trace_fn

exit status:
  0 printed, or the copy is current, 1 the copy differs or cannot be read,
  2 wrong usage
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--check", metavar="FILE", default=None, help="print nothing new; fail when FILE differs"
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Print the module, or compare a copy with it."""
    from nemo.lens.cli.vendored_fallbacks import differences, source

    if arguments.check is None:
        text = source()
        if arguments.json:
            screen.json({"schema": 1, "run": None, "source": text})
        else:
            screen.write(text.rstrip("\n"))
        return exits.DONE
    found = differences(_read(arguments.check))
    verdict = _verdict(arguments.check, found)
    if arguments.json:
        answer = {"schema": 1, "run": None, "verdict": verdict, "file": arguments.check}
        screen.json({**answer, "current": not found, "differences": found})
    else:
        screen.write("\n".join([verdict, *(f"- {each}" for each in found)]))
    return exits.PROBLEM if found else exits.DONE


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise exits.ProblemError(f"cannot read {path!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise exits.ProblemError(f"cannot read {path!r}: it is not UTF-8 text") from error


def _verdict(path: str, found: list[str]) -> str:
    if not found:
        return f"{path} is current."
    return (
        f"{path} differs from the fallbacks of this version; "
        f"renew it: nemo-lens vendor-fallbacks > {path}"
    )
