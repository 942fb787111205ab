# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The file of a black box and the folders it lies in."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from nemo.lens.sdk.black_box import layout, placement
from nemo.lens.sdk.black_box.layout import END, END_AT, IDENTITY_AT, PREAMBLE, SIZES
from nemo.lens.sdk.black_box.recorder import Recorder
from nemo.lens.sdk.black_box.ring_file import RingFile


class _Span:
    def __init__(self, begun):
        self._name, self._begun, self._start_time = "lib.work", begun, begun
        self._parent_id, self._attributes = 0, {}


def _header(content):
    _magic, _version, identity_bytes, *entries = PREAMBLE.unpack_from(content)
    return json.loads(content[IDENTITY_AT : IDENTITY_AT + identity_bytes]), entries


def test_the_file_has_its_room_from_the_start(tmp_path):
    """No holes: a full disk cannot turn a store into a SIGBUS. Nobody else can read it."""
    ring = RingFile(tmp_path / "a.box", {"rank": 3}, shared=False)
    found = ring.path.stat()
    assert found.st_size == SIZES.file_bytes
    assert found.st_blocks * 512 >= SIZES.file_bytes
    assert stat.S_IMODE(found.st_mode) == 0o600
    assert _header(ring.path.read_bytes()) == ({"rank": 3}, list(SIZES))
    ring.remove()
    assert not ring.path.exists()


def test_an_existing_file_or_link_is_not_touched(tmp_path):
    """Whatever lies there belongs to somebody else."""
    (tmp_path / "target").write_text("precious")
    (tmp_path / "a.box").symlink_to(tmp_path / "target")
    with pytest.raises(FileExistsError):
        RingFile(tmp_path / "a.box", {}, shared=False)
    assert (tmp_path / "target").read_text() == "precious"


def test_an_identity_that_is_too_long_loses_its_longest_parts(tmp_path):
    """What is stored is always an object that can be read."""
    ring = RingFile(tmp_path / "a.box", {"run_id": "é" * 9000, "rank": 1}, shared=False)
    assert _header(ring.path.read_bytes())[0] == {"rank": 1}
    ring.remove()


def test_the_end_is_stored(tmp_path):
    """How and when; 0 until then."""
    ring = RingFile(tmp_path / "a.box", {}, shared=False)
    assert END.unpack_from(ring.path.read_bytes(), END_AT)[0] == 0
    ring.end("signal:SIGTERM")
    wall, monotonic, length, text = END.unpack_from(ring.path.read_bytes(), END_AT)
    assert wall > monotonic > 0
    assert text[:length] == b"signal:SIGTERM"
    ring.remove()


def test_packed_up_it_keeps_what_is_open_and_what_ended_last(tmp_path):
    """Places, names and threads that nobody used are left out."""
    ring = RingFile(tmp_path / "a.box", {}, shared=False)
    recorder = Recorder()
    recorder.attach(ring.memory)
    for number in range(1, 200):
        span = _Span(number)
        recorder.opened(number, span)
        if number != 50:
            recorder.finished(span, 1)
    packed = ring.packed(most_finished=10)
    ring.remove()
    _identity, (names, threads, spans) = _header(packed)
    assert (names, threads, spans) == (2, 2, 11)
    at = len(packed) - spans * layout.RECORD_BYTES
    ids = [layout.RECORD.unpack_from(packed, at + 64 * place)[2] for place in range(spans)]
    assert ids == [50, *range(190, 200)]


def test_a_folder_of_somebody_else_is_refused(tmp_path):
    """A folder that others may write to is no place for a file with a known name."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(PermissionError, match="only this user"):
        placement.make_private(shared)
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "own")
    with pytest.raises(PermissionError):
        placement.make_private(tmp_path / "link")
    placement.make_private(tmp_path / "new" / "folder")
    assert stat.S_IMODE((tmp_path / "new" / "folder").stat().st_mode) == 0o700


def _box_path(folder, number):
    return folder / placement.box_name(number, f"{number:016x}")


def test_boxes_of_dead_processes_do_not_pile_up(tmp_path, monkeypatch):
    """The oldest go; one that a living process holds stays."""
    monkeypatch.setattr(placement, "MOST_LEFT_BEHIND", 3)
    script = "import fcntl, os, sys, time; f = open(sys.argv[1]); "
    script += "fcntl.flock(f, fcntl.LOCK_EX); print('ready', flush=True); time.sleep(60)"
    for number in range(6):
        path = _box_path(tmp_path, number)
        path.touch()
        os.utime(path, (number, number))
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(_box_path(tmp_path, 1))], stdout=subprocess.PIPE
    )
    try:
        holder.stdout.readline()
        placement.remove_oldest(tmp_path)
    finally:
        holder.kill()
        holder.communicate()
    assert sorted(tmp_path.iterdir()) == [_box_path(tmp_path, number) for number in (1, 3, 4, 5)]


def test_only_boxes_are_deleted(tmp_path, monkeypatch):
    """A folder that was chosen may hold files of others whose names end the same."""
    monkeypatch.setattr(placement, "MOST_LEFT_BEHIND", 0)
    (tmp_path / "dataset.box").touch()
    _box_path(tmp_path, 1).touch()
    placement.remove_oldest(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["dataset.box"]


def test_a_box_in_use_is_marked_as_such(tmp_path, monkeypatch):
    """`RingFile` holds what it has made."""
    monkeypatch.setattr(placement, "MOST_LEFT_BEHIND", 0)
    ring = RingFile(_box_path(tmp_path, 1), {}, shared=False)
    placement.remove_oldest(tmp_path)
    path = ring.path
    assert path.exists()
    del ring
    placement.remove_oldest(tmp_path)
    assert not path.exists()


def test_shared_memory_is_preferred(tmp_path):
    """Then the folder of temporary files; one that was chosen is the only one, or one in it."""
    first, second = placement.node_folders("")
    assert first.parent.as_posix() == "/dev/shm"
    assert second != first
    chosen = tmp_path / "chosen"
    assert placement.node_folders(str(chosen)) == [chosen]
    chosen.mkdir()
    chosen.chmod(0o1777)
    assert placement.node_folders(str(chosen)) == [chosen / f"nemo-lens-{os.getuid()}"]
