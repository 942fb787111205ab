# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which process wrote a record: from its manifest, its folder name or its resource."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from nemo.lens.runs.black_box import read_black_box
from nemo.lens.runs.layout import MANIFEST, MANIFEST_SCHEMA, PROCESS_FOLDER
from nemo.lens.runs.otlp_json import attributes, is_list
from nemo.lens.runs.problems import Problems
from nemo.lens.semconv import (
    DL_LOCAL_RANK,
    DL_RANK,
    DL_WORLD_SIZE,
    HOST_NAME,
    NEMO_RUN_ID,
    NV_DL_LOCAL_RANK,
    NV_DL_RANK,
    NV_DL_ROLE,
    NV_DL_RUN_UUID,
    NV_DL_WORLD_SIZE,
    PROCESS_PID,
    SERVICE_NAME,
    SLURM_RESTART_COUNT,
    SLURM_TORCHELASTIC_RESTART_COUNT,
)

if TYPE_CHECKING:
    from pathlib import Path

    from nemo.lens.runs.black_box import BlackBox

_RUN_KEYS: Final = (NEMO_RUN_ID, NV_DL_RUN_UUID)
_RANK_KEYS: Final = (NV_DL_RANK, DL_RANK, "rank")
_WORLD_KEYS: Final = (NV_DL_WORLD_SIZE, DL_WORLD_SIZE, "world_size")
_LOCAL_KEYS: Final = (NV_DL_LOCAL_RANK, DL_LOCAL_RANK)
_RESTART_KEYS: Final = (SLURM_TORCHELASTIC_RESTART_COUNT, SLURM_RESTART_COUNT)
_MAX_INT: Final = 2**63 - 1


@dataclass(frozen=True, eq=False)
class Process:
    """One process of a run; compared by identity.

    Attributes:
        run: Run id, "" when the record does not say.
        role: Role, "" when unknown.
        rank: Rank, None for an unranked process.
        world_size: Number of ranks it expects, None when unknown.
        local_rank: Rank on its host, None when unknown.
        host: Host name, "" when unknown.
        pid: Process id, None when unknown.
        restart: Attempt, 0 for the first.
        started_unix_nano: Start, None when unknown.
        ended_unix_nano: Orderly end, None when none is recorded.
        end: How it ended: "shutdown", "exit", "signal:SIGTERM", ... or None when none is recorded.
        command: Command line.
        versions: Versions of the writer, by distribution.
        config: Configuration with secrets removed.
        resource: Resource attributes.
        lost: Telemetry counted as lost, by reason.
        folder: Its folder relative to the run, "" when it has none.
        manifest: Whether a manifest was read.
    """

    run: str = ""
    role: str = ""
    rank: int | None = None
    world_size: int | None = None
    local_rank: int | None = None
    host: str = ""
    pid: int | None = None
    restart: int = 0
    started_unix_nano: int | None = None
    ended_unix_nano: int | None = None
    end: str | None = None
    command: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict[str, str])
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    resource: dict[str, Any] = field(default_factory=dict[str, Any])
    lost: dict[str, int] = field(default_factory=dict[str, int])
    folder: str = ""
    manifest: bool = False
    _path: Path | None = field(default=None, repr=False)
    _problems: Problems | None = field(default=None, repr=False)

    @cached_property
    def black_box(self) -> BlackBox | None:
        """What it was doing when it ended; read when first asked for, None where there is none."""
        if self._path is None:
            return None
        return read_black_box(self._path, self.label, self._problems or Problems())

    @property
    def label(self) -> str:
        """How the process is called in problems."""
        if self.folder:
            return self.folder
        if self.rank is not None:
            return f"rank {self.rank}"
        return f"process {self.pid}" if self.pid is not None else "one process"


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:  # noqa: PLR2004 - digits of 2**63
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_INT:
        return None
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _first_number(resource: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    found = (_number(resource.get(key)) for key in keys)
    return next((number for number in found if number is not None), None)


def from_folder(folder: Path, label: str, problems: Problems) -> Process:
    """The process that wrote a folder, by its manifest, else by the folder's name.

    Args:
        folder: The process folder.
        label: The folder relative to the run.
        problems: Gets one line when the manifest is missing, damaged or of another version.
    """
    named = _from_name(folder.name, label)
    manifest = _read_manifest(folder / MANIFEST, label, problems)
    known = named if manifest is None else _from_manifest(manifest, named)
    return replace(known, _path=folder, _problems=problems)


def _from_name(name: str, label: str) -> Process:
    match = PROCESS_FOLDER.fullmatch(name)
    if match is None:
        return Process(folder=label)
    rank, pid = _number(match["rank"]), _number(match["pid"])
    return Process(role=match["role"], rank=rank, host=match["host"], pid=pid, folder=label)


def _read_manifest(path: Path, label: str, problems: Problems) -> dict[str, Any] | None:
    where = f"{label}/{MANIFEST}" if label else MANIFEST
    try:
        manifest = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        problems.add(f"{where}: missing; identity taken from the folder name and the resource")
        return None
    except OSError as error:
        problems.add(f"{where}: could not be read: {error.strerror}; folder name used instead")
        return None
    except ValueError:
        problems.add(f"{where}: not valid JSON; identity taken from the folder name instead")
        return None
    if not isinstance(manifest, dict):
        problems.add(f"{where}: not a JSON object; identity taken from the folder name instead")
        return None
    fields = cast("dict[str, Any]", manifest)
    if fields.get("schema") != MANIFEST_SCHEMA:
        problems.add(
            f"{where}: schema {str(fields.get('schema'))[:40]!r} is not the schema "
            f"{MANIFEST_SCHEMA} that this version reads; what is known was read, a newer "
            "nemo-lens may read more"
        )
    return fields


def _from_manifest(fields: dict[str, Any], named: Process) -> Process:
    rank = _number(fields.get("rank"))
    pid = _number(fields.get("pid"))
    command = fields.get("command")
    words: list[Any] = command if is_list(command) else []
    lost = {key: _number(count) for key, count in _mapping(fields.get("lost")).items()}
    versions = _mapping(fields.get("versions"))
    return replace(
        named,
        run=_text(fields.get("run")),
        role=_text(fields.get("role")) or named.role,
        rank=named.rank if rank is None else rank,
        world_size=_number(fields.get("world_size")),
        local_rank=_number(fields.get("local_rank")),
        host=_text(fields.get("host")) or named.host,
        pid=named.pid if pid is None else pid,
        restart=_number(fields.get("restart")) or 0,
        started_unix_nano=_number(fields.get("started_unix_nano")),
        ended_unix_nano=_number(fields.get("ended_unix_nano")),
        end=_text(fields.get("end")) or None,
        command=tuple(str(word) for word in words),
        versions={key: str(version) for key, version in versions.items()},
        config=_mapping(fields.get("config")),
        resource=_mapping(fields.get("resource")),
        lost={key: count for key, count in lost.items() if count},
        manifest=True,
    )


def from_resource(entry: dict[str, Any], known: Process | None = None) -> Process:
    """The process that an OTLP resource describes.

    Args:
        entry: A `resourceSpans`, `resourceMetrics` or `resourceLogs` entry.
        known: What the folder told already; it wins, the resource only fills in.
    """
    base = known or Process()
    resource = attributes(_mapping(entry.get("resource")).get("attributes"))
    runs = (_text(resource.get(key)) for key in _RUN_KEYS)
    role = _text(resource.get(NV_DL_ROLE)) or _text(resource.get(SERVICE_NAME))
    pid = _number(resource.get(PROCESS_PID))
    return replace(
        base,
        run=base.run or next((run for run in runs if run), ""),
        role=base.role or role,
        rank=_first_number(resource, _RANK_KEYS) if base.rank is None else base.rank,
        world_size=base.world_size or _first_number(resource, _WORLD_KEYS),
        local_rank=base.local_rank or _first_number(resource, _LOCAL_KEYS),
        host=base.host or _text(resource.get(HOST_NAME)),
        pid=pid if base.pid is None else base.pid,
        restart=base.restart or _first_number(resource, _RESTART_KEYS) or 0,
        resource=base.resource or resource,
    )
