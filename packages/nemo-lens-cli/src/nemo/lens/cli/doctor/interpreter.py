# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a script that is started in this folder would import, asked of a fresh interpreter.

This process may have been started in another way than the job: `nemo-lens` does not look for
modules in the current folder, `python train.py` does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any, Final

_LONGEST_S: Final = 60.0
_PROBE: Final = """
import json, os, sys
from importlib import metadata
answer = {"error": "", "nemo": "", "lens": ""}
try:
    import nemo
    answer["nemo"] = getattr(nemo, "__file__", None) or ""
    import nemo.lens
    answer["lens"] = nemo.lens.__file__ or ""
except BaseException as error:
    answer["error"] = f"{type(error).__name__}: {error}"
fronts = [os.path.join(os.path.realpath(each or "."), "nemo", "lens", "__init__.py")
          for each in sys.path]
answer["fronts"] = [front for front in dict.fromkeys(fronts) if os.path.isfile(front)]
answer["distributions"] = [
    {"name": each.metadata["Name"] or "", "version": each.version or "",
     "requires": each.requires or [], "folder": str(each.locate_file(""))}
    for each in metadata.distributions()
]
print("\\n" + json.dumps(answer))
"""


@dataclass(frozen=True)
class Distribution:
    """An installed distribution.

    Attributes:
        name: Its name, in lower case with dashes.
        version: Its version.
        requires: What it needs, as its metadata says.
        folder: Where it is installed.
    """

    name: str
    version: str
    requires: tuple[str, ...] = ()
    folder: str = ""


@dataclass(frozen=True)
class Interpreter:
    """What a fresh interpreter found.

    Attributes:
        failure: Why it could not be asked, "" when it was.
        import_error: Why `nemo.lens` cannot be imported, "" when it can.
        nemo_file: File of the package `nemo`, "" for a namespace, as it should be.
        lens_file: File that `import nemo.lens` reads.
        fronts: Every `nemo/lens/__init__.py` that it could read, the first counts.
        distributions: What is installed, in the order in which it is found.
    """

    failure: str = ""
    import_error: str = ""
    nemo_file: str = ""
    lens_file: str = ""
    fronts: tuple[str, ...] = ()
    distributions: tuple[Distribution, ...] = field(default=())

    def installed(self, name: str) -> Distribution | None:
        """The distribution of that name which counts: the first one."""
        return next((each for each in self.distributions if each.name == name), None)


def ask_interpreter() -> Interpreter:
    """Start an interpreter in the current folder with the environment of this process."""
    try:
        done = subprocess.run(  # noqa: S603 - this very interpreter, with a text of ours
            [sys.executable, "-c", _PROBE],
            check=False,
            capture_output=True,
            timeout=_LONGEST_S,
            text=True,
            errors="replace",
        )
        return _read(json.loads(_last_line(done.stdout)))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return Interpreter(failure=f"{type(error).__name__}: {error}")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def _read(answer: dict[str, Any]) -> Interpreter:
    return Interpreter(
        import_error=answer["error"],
        nemo_file=answer["nemo"],
        lens_file=answer["lens"],
        fronts=tuple(answer["fronts"]),
        distributions=tuple(
            Distribution(
                each["name"].lower().replace("_", "-"),
                each["version"],
                tuple(each["requires"]),
                each["folder"],
            )
            for each in answer["distributions"]
        ),
    )
