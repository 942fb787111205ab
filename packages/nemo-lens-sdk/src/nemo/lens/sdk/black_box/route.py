# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""When a black box is made, ended and packed up, and how it is found from the run folder."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk.black_box import placement
from nemo.lens.sdk.black_box.layout import SIZES
from nemo.lens.sdk.black_box.recorder import Recorder
from nemo.lens.sdk.black_box.ring_file import RingFile
from nemo.lens.sdk.companion import Companion
from nemo.lens.sdk.exporters.routes import FileRoute, run_files
from nemo.lens.sdk.noise import warn_once_a_minute

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from opentelemetry.sdk.resources import Resource

    from nemo.lens.config import NemoLensConfig
    from nemo.lens.sdk.exporters.routes import Route
    from nemo.lens.sdk.files.sinks import RunFiles
    from nemo.lens.sdk.processor import LensSpanProcessor

BOX = "blackbox.bin"
POINTER = "blackbox.json"
IN_RUN_FOLDER = "run"
"""What the configuration says for a box that lies in the run folder itself."""

_KEPT_WHEN_DELIVERED = 64
_MAKING_S = 0.1
_SCHEMA = 1


class BlackBox(Companion):
    """Keeps the black box of this process; no signal goes through it.

    Args:
        files: The run files, whose folder holds the box or the pointer to it.
        recorder: What stores the spans.
        place: "" for the node's own folders, `"run"` for the run folder, or a folder.
        prefix: The first part of the variables, for the warning.
        owns_files: Whether nobody else begins and finishes `files`.
        list_open_spans: Has the recorder store what is open already, when a box is made late.
    """

    name = "black box"

    def __init__(
        self,
        files: RunFiles,
        recorder: Recorder,
        place: str,
        *,
        prefix: str,
        owns_files: bool,
        list_open_spans: Callable[[], object],
    ) -> None:
        self._files = files
        self._recorder = recorder
        self._place = place
        self._prefix = prefix
        self._owns_files = owns_files
        self._list_open_spans = list_open_spans
        self._ring: RingFile | None = None
        self._end: str | None = None
        self._maker: threading.Thread | None = None
        self._has_had_one = False

    def open(self) -> None:
        """Make the box; without room for it there is one warning and no box."""
        self._make_and_attach()
        self._catch_up()

    def _make_and_attach(self) -> None:
        try:
            self._ring = ring = self._make()
        except OSError as error:
            self._recorder.detach()
            warn_once_a_minute(
                "black box",
                "there is no black box (%s): what a killed process was doing will not be known; "
                "%d KiB are needed; %s_BLACKBOX_DIR names another folder, %s_BLACKBOX=0 does without",
                error,
                SIZES.file_bytes // 1024,
                self._prefix,
                self._prefix,
            )
            return
        self._has_had_one = True
        self._recorder.attach(ring.memory)

    def after_fork(self, resource: Resource) -> None:
        """Leave the parent's box alone; the first span of the child asks for one of its own."""
        self._ring = self._maker = None
        if self._owns_files:
            self._files.start_over(resource.attributes)
        if self._has_had_one and self._end is None:
            self._recorder.ask_for_file(self._open_in_thread)

    def stop(self, end: str) -> None:
        """Note the end before open spans are closed, so that the box goes on showing them."""
        self._end = end
        self._recorder.detach()
        if self._ring is not None:
            self._ring.end(end)

    def finish(self, end: str, lost: Mapping[str, int]) -> None:
        """Put what is worth keeping into the run folder, and give the room on the node back."""
        if self._maker is not None:
            # A box that is made while the child ends would say that it was killed.
            self._maker.join(_MAKING_S)
        self._put_away(lost)
        if self._owns_files:
            self._files.finish(end, lost)

    def _put_away(self, lost: Collection[str]) -> None:
        ring, self._ring = self._ring, None
        if ring is not None:
            # Delivered spans are in the files; the last ones tell what came before the end.
            kept = SIZES.spans if lost else _KEPT_WHEN_DELIVERED
            try:
                self._files.folder.put(BOX, ring.packed(kept))
                if self._place != IN_RUN_FOLDER:
                    ring.remove()
                    self._files.folder.take_away(POINTER)
            except OSError as error:
                warn_once_a_minute(
                    "black box end", "the black box stays at %s (%s)", ring.path, error
                )

    def _open_in_thread(self) -> None:
        """Make the box of a forked child, whose first span has just started in this thread."""
        starter = threading.current_thread().name, threading.get_native_id()
        self._maker = threading.Thread(
            target=self._open_late, args=starter, name="nemo-lens black box", daemon=True
        )
        self._maker.start()

    def _open_late(self, thread_name: str, native_id: int) -> None:
        self._make_and_attach()
        if self._ring is not None:
            self._recorder.speak_for(thread_name, native_id)
        self._catch_up()

    def _catch_up(self) -> None:
        """Take in what happened while the box was made, in a forked child or where a folder was slow."""
        ring = self._ring
        if ring is None:
            return
        self._list_open_spans()
        if self._end is not None:
            # Telemetry ended meanwhile; nobody else would take the box away.
            self._recorder.detach()
            ring.end(self._end)
            self._put_away(())

    def _make(self) -> RingFile:
        identity = {**self._files.identity(), **_birth()}
        if self._place == IN_RUN_FOLDER:
            return RingFile(self._files.folder.open() / BOX, identity, shared=True)
        ring = _on_node(placement.node_folders(self._place), identity)
        pointer = {
            "schema": _SCHEMA,
            "host": identity["host"],
            "path": str(ring.path),
            "token": identity["token"],
        }
        try:
            self._files.folder.put(POINTER, json.dumps(pointer).encode("utf-8", "replace"))
        except OSError as error:
            if self._owns_files:  # nobody writes there who would try again
                ring.remove()
                raise
            warn_once_a_minute(
                "black box pointer",
                "the run folder does not say yet that the black box is %s (%s)",
                ring.path,
                error,
            )
        return ring


def _on_node(folders: list[Path], identity: Mapping[str, Any]) -> RingFile:
    """Make the box in the first folder that takes it."""
    failure: OSError | None = None
    for folder in folders:
        try:
            placement.make_private(folder)
            placement.remove_oldest(folder)
            path = folder / placement.box_name(identity["pid"], identity["token"])
            return RingFile(path, identity, shared=False)
        except OSError as error:  # noqa: PERF203 - two folders, once
            failure = error
    raise failure or OSError("no folder")


def _birth() -> dict[str, Any]:
    """What tells this process from any other, and its clocks from each other."""
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "token": secrets.token_hex(8),
        "boot_id": _first_line("/proc/sys/kernel/random/boot_id"),
        "start_ticks": _start_ticks(),
        "pid_namespace": _pid_namespace(),
        "wall_ns": time.time_ns(),
        "monotonic_ns": time.monotonic_ns(),
    }


def _start_ticks() -> str:
    """When the process started, as the kernel counts; "" where it does not say."""
    _before, _closing, after = _first_line("/proc/self/stat").rpartition(")")
    fields = after.split()
    return fields[19] if len(fields) > 19 else ""  # noqa: PLR2004 - field 22 of proc(5)


def _pid_namespace() -> str:
    """What the process id is a number in; "" where the kernel does not say."""
    with contextlib.suppress(OSError):
        return str(Path("/proc/self/ns/pid").readlink())
    return ""


def _first_line(path: str) -> str:
    with contextlib.suppress(OSError):
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    return ""


def recorder_if_wanted(config: NemoLensConfig, routes: Iterable[Route]) -> Recorder | None:
    """Return a recorder when a set-up with these exporters keeps a black box."""
    wanted = config.blackbox
    if wanted is None:
        wanted = any(isinstance(route, FileRoute) for route in routes)
    return Recorder() if wanted else None


def beside(
    routes: Iterable[Route],
    config: NemoLensConfig,
    resource: Resource,
    recorder: Recorder,
    processor: LensSpanProcessor,
) -> BlackBox:
    """Build what goes beside the exporters of a set-up, in whose run folder the box is found."""
    recorded = next((route.files for route in routes if isinstance(route, FileRoute)), None)
    return BlackBox(
        recorded or run_files(config, resource),
        recorder,
        config.blackbox_dir,
        prefix=config._prefix,  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        owns_files=recorded is None,
        list_open_spans=processor.list_open_spans,
    )
