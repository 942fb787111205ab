# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The folder of one process in a run, and its manifest.

`<directory>/<run id>/<rank // 256, or "x">/<role>-<rank, or "x">-<host>-<pid>/`: no two processes
share a folder, and no directory gets hot with ten thousand ranks.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import socket
import sys
import threading
import time
from dataclasses import dataclass, field
from importlib import metadata
from typing import TYPE_CHECKING, Any, cast

from nemo.lens.spans.redaction import REDACTED, is_redacted, masked
from nemo.lens.spans.url_credentials import without_url_credentials

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SCHEMA = 1
_RANKS_PER_FOLDER = 256
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_PART = 80
_DIGEST_DIGITS = 8
_RANK_IN_ROLE = re.compile(r"-(?=(?:[0-9]+|x)(?:-|$))")
_SECRET = re.compile(r"(?i)(pass(word|wd)?|secret|token|credential|authorization|cookie|key)\b")
_OPTION = re.compile(r"--?([A-Za-z][\w.-]*)(?:=(.*))?", re.DOTALL)
_SECRET_OPTIONS = frozenset(
    {"auth", "credential", "credentials", "pass", "passphrase", "passwd", "pwd", "token", "key"}
)
"""Last words of options with a secret value, beside those that `is_redacted` knows."""
_VERSIONED = ("nemo-lens-api", "nemo-lens-sdk", "opentelemetry-api", "opentelemetry-sdk")


@dataclass(frozen=True)
class ProcessIdentity:
    """Who a recording process is.

    Attributes:
        run_id: The run that it belongs to.
        role: Its part in the job.
        rank: Its rank, or None.
        world_size: Number of ranks, or None.
        local_rank: Its rank on its node, or None.
        restart: How often the job was restarted before.
    """

    run_id: str
    role: str = "trainer"
    rank: int | None = None
    world_size: int | None = None
    local_rank: int | None = None
    restart: int = 0


@dataclass
class RunFolder:
    """Creates the folder of this process when it is first needed, and again when it vanished.

    Args:
        directory: Where runs are recorded.
        identity: Who this process is.
        config: The configuration, for the manifest; secrets are removed.
        resource: The resource attributes, for the manifest.
    """

    directory: Path
    identity: ProcessIdentity
    config: Mapping[str, Any]
    resource: Mapping[str, Any]
    _path: Path | None = None
    _is_complete: bool = False
    _started_unix_nano: int = field(default_factory=time.time_ns)
    _beside: dict[str, bytes] = field(default_factory=dict[str, bytes])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> Path:
        """Return the folder with its manifest, creating what is missing.

        Raises:
            OSError: The folder cannot be created.
        """
        with self._lock:  # in a forked child the first of several threads creates it
            return self._open()

    def put(self, name: str, content: bytes) -> None:
        """Write a small file beside the manifest, and again whenever the folder is made again.

        Raises:
            OSError: It cannot be written; the next `open` tries again.
        """
        self._beside[name] = content
        folder = self.open()
        try:
            replace_file(folder / name, content)
        except OSError:
            self._is_complete = False
            raise

    def take_away(self, name: str) -> None:
        """Delete a file that `put` has written."""
        self._beside.pop(name, None)
        if self._path is not None:
            (self._path / name).unlink(missing_ok=True)

    def finish(self, end: str, lost: Mapping[str, int]) -> None:
        """Replace the manifest by one that says how the recording ended.

        Args:
            end: "shutdown", "exit" or "signal:<name>".
            lost: Number of lost items by reason.
        """
        if self._path is not None and self._path.is_dir():
            self._write_manifest(self._path, end=end, lost=lost)

    def _open(self) -> Path:
        if self._path is None:
            self._path = self._create_unique()
        elif not self._path.is_dir():
            _make_private(self._path)
        elif self._is_complete:
            return self._path
        self._is_complete = False
        self._write_manifest(self._path, end=None, lost={})
        for name, content in list(self._beside.items()):
            replace_file(self._path / name, content)
        self._is_complete = True
        return self._path

    def _create_unique(self) -> Path:
        identity = self.identity
        rank = "x" if identity.rank is None else str(identity.rank)
        shard = "x" if identity.rank is None else str(identity.rank // _RANKS_PER_FOLDER)
        name = f"{_role(identity.role)}-{rank}-{_safe(socket.gethostname())}-{os.getpid()}"
        parent = self.directory / run_folder_name(identity.run_id) / shard
        _make_private(parent)
        attempt = 1
        while True:
            # A container's restart, or a second set-up, may have the same host and process id.
            path = parent / (name if attempt == 1 else f"{name}.{attempt}")
            try:
                path.mkdir(mode=0o700)
            except FileExistsError:
                attempt += 1
            else:
                return path

    def _write_manifest(self, path: Path, *, end: str | None, lost: Mapping[str, int]) -> None:
        identity = self.identity
        manifest = {
            "schema": SCHEMA,
            "run": identity.run_id,
            "role": identity.role,
            "rank": identity.rank,
            "world_size": identity.world_size,
            "local_rank": identity.local_rank,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "restart": identity.restart,
            "started_unix_nano": self._started_unix_nano,
            "ended_unix_nano": None if end is None else time.time_ns(),
            "end": end,
            "command": _command(),
            "versions": _versions(),
            "config": {key: _public(key, value) for key, value in self.config.items()},
            "resource": {key: _public(key, value) for key, value in self.resource.items()},
            "lost": dict(lost),
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1)
        replace_file(path / "manifest.json", text.encode("utf-8", "replace"))


def replace_file(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all, for this user alone.

    Raises:
        OSError: It was not written, and nothing of it was left behind.
    """
    partial = path.with_name(path.name + ".part")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _make_private(path: Path) -> None:
    """Create a directory and its missing parents for this user alone."""
    missing = [path, *path.parents]
    while missing and missing[-1].is_dir():
        missing.pop()
    for directory in reversed(missing):
        directory.mkdir(mode=0o700, exist_ok=True)


def run_folder_name(run_id: str) -> str:
    """The name of the folder of a run: its id, or what can be a name and differs for every id."""
    name = _safe(run_id or "run")
    if name == run_id or not run_id:
        return name
    digest = hashlib.sha256(run_id.encode("utf-8", "replace")).hexdigest()
    return f"{name}-{digest[:_DIGEST_DIGITS]}"


def _safe(text: str) -> str:
    return _UNSAFE.sub("_", text).strip(".")[:_LONGEST_PART] or "x"


def _role(role: str) -> str:
    """A role in which nothing looks like a rank: readers take the first such part for one."""
    return _RANK_IN_ROLE.sub("_", _safe(role))


def _public(key: str, value: Any) -> Any:
    if isinstance(value, str) and (is_redacted(key) or _SECRET.search(key.replace("_", " "))):
        return REDACTED
    if isinstance(value, str):
        return _without_secrets(value)
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):  # noqa: PLR0124
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_without_secrets(str(item)) for item in cast("Iterable[Any]", value)]
    return _without_secrets(str(value))


def _without_secrets(text: str) -> str:
    return without_url_credentials(masked(text))


def _command() -> list[str]:
    """The command line, without the values of options that are called like secrets."""
    public: list[str] = []
    hide_next = False
    for argument in sys.orig_argv:
        option = _OPTION.fullmatch(argument)
        is_secret = option is not None and _names_a_secret(option[1])
        value = None if option is None else option[2]
        if hide_next and not argument.startswith("-"):
            public.append(REDACTED)
        elif is_secret and value:
            public.append(f"{argument.removesuffix(value)}{REDACTED}")
        else:
            public.append(_without_secrets(argument))
        hide_next = is_secret and value is None
    return public


def _names_a_secret(option: str) -> bool:
    """Whether an option is for a secret: `--wandb_api_key` is, `--tokenizer-type` is not."""
    last_word = re.split(r"[-_.]", option.lower())[-1]
    return last_word in _SECRET_OPTIONS or is_redacted(option)


@functools.cache  # finding them out takes longer than all the rest
def _versions() -> dict[str, str]:
    versions = {"python": sys.version.split()[0]}
    for name in _VERSIONED:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
