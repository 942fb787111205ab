# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Check that uv.lock names only what uv writes for its public default index.

uv takes over whatever index its user has configured, and `uv lock --check` accepts the result. The
lock would then send every contributor to that host.
"""

from __future__ import annotations

import hashlib
import re
import sys

import workspace

# Digests, because the lock is the one file of this repository that names a registry host.
DEFAULT_INDEX = "5a06749b2297be54ac5699f6f2761716adc5001a2d5f8b915ab2172922dd5706"
DEFAULT_FILES = "ecd9636e60d6eda7f33c9d42f265acc9af5f2bb64c1621695d8dda72527bedc8"
WORKSPACE_SOURCES = {"editable", "virtual"}

_SOURCE = re.compile(r"source = \{ (?P<kind>[\w-]+) = \"(?P<value>[^\"]*)\"")
_FILE = re.compile(r"(?P<kind>\burl|\bpath) = \"(?P<value>[^\"]*)\"")


def problems_in(lock: str) -> list[str]:
    """One line for each source or file that uv would not write for its default index."""
    problems: list[str] = []
    for number, line in enumerate(lock.splitlines(), start=1):
        source = _SOURCE.search(line)
        if source and not _source_is_ours(source["kind"], source["value"]):
            problems.append(f"uv.lock:{number}: source {source['kind']} = {source['value']!r}")
        if line.startswith("source") or source:
            continue
        file = _FILE.search(line)
        if file and not _file_is_default(file["kind"], file["value"]):
            problems.append(f"uv.lock:{number}: {file['kind']} = {file['value']!r}")
    return problems


def _source_is_ours(kind: str, value: str) -> bool:
    if kind in WORKSPACE_SOURCES:
        return value == "." or value.startswith("packages/")
    return kind == "registry" and _digest(value) == DEFAULT_INDEX


def _file_is_default(kind: str, value: str) -> bool:
    scheme_and_host = "/".join(value.split("/", 3)[:3])
    return kind == "url" and _digest(scheme_and_host) == DEFAULT_FILES


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> int:
    """Check the lock of this checkout; returns the exit status."""
    found = problems_in((workspace.ROOT / "uv.lock").read_text(encoding="utf-8"))
    if found:
        found.append(
            "uv.lock must come from uv's public default index: remove the index settings of your "
            "machine (UV_INDEX*, UV_DEFAULT_INDEX, UV_FIND_LINKS, uv.toml) and run `uv lock`."
        )
    return workspace.report(found, "lock: every source is uv's public default index")


if __name__ == "__main__":
    sys.exit(main())
