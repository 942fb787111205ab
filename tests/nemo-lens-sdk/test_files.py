# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Run files: layout, manifest, rotation, caps, and disks that fail."""

from __future__ import annotations

import errno
import gzip
import json
import logging
import os
import shutil
import stat
from pathlib import Path

import pytest

from nemo.lens.sdk import counts
from nemo.lens.sdk.export_queue import Outcome
from nemo.lens.sdk.files import folder as folder_module
from nemo.lens.sdk.files.folder import ProcessIdentity, RunFolder
from nemo.lens.sdk.files.kept_segments import KeptSegments
from nemo.lens.sdk.files.segments import SegmentLimits, SegmentWriter
from nemo.lens.sdk.files.sinks import RunFiles

_IDENTITY = ProcessIdentity("run 1", "trainer", rank=300, world_size=512, local_rank=4)


def _folder(tmp_path, identity=_IDENTITY, config=None):
    return RunFolder(tmp_path / "runs", identity, config or {}, {"service.name": "qa"})


def _manifest(path):
    return json.loads((path / "manifest.json").read_text())


def test_each_process_has_a_folder_of_its_own(tmp_path):
    """Run, shard of 256 ranks, then role, rank, host and process id."""
    path = _folder(tmp_path).open()
    relative = path.relative_to(tmp_path / "runs").parts
    assert relative[0].startswith("run_1-")
    assert relative[1] == "1"
    assert relative[2].startswith("trainer-300-")
    assert relative[2].endswith(f"-{os.getpid()}")


@pytest.mark.parametrize("run_id", ["a/b", "../a", "é", "x" * 300, ".", "a b\n"])
def test_runs_of_different_ids_never_share_a_folder(tmp_path, run_id):
    """Ids that cannot be names become names that tell them apart, below the chosen folder."""
    ids = {run_id, f"{run_id}/", run_id.replace("/", "_").strip(".")[:80] or "x"}
    folders = {
        _folder(tmp_path, ProcessIdentity(each, rank=0)).open().relative_to(tmp_path).parts[1]
        for each in ids
    }
    assert len(folders) == len(ids)
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == sorted(folders)


def test_two_runs_at_once_stay_apart(tmp_path):
    """The same rank of two runs writes to two folders, and so do two ranks of one run."""
    files = {
        (run, rank): RunFiles(str(tmp_path), ProcessIdentity(run, rank=rank), {}, {})
        for run in ("one", "two")
        for rank in (0, 1)
    }
    for number in range(3):
        for (run, rank), each in files.items():
            each.write("traces", f"{run} {rank} {number}\n", 1)
    for (run, rank), each in files.items():
        each.close("traces")
        (path,) = (tmp_path / run / "0").glob(f"trainer-{rank}-*/traces-*")
        assert path.read_text() == "".join(f"{run} {rank} {number}\n" for number in range(3))


def test_a_process_without_a_rank_is_x(tmp_path):
    """The shard and the rank of an unranked process are "x"."""
    path = _folder(tmp_path, ProcessIdentity("r", "process")).open()
    assert path.parent.name == "x"
    assert path.name.startswith("process-x-")


def test_a_second_recording_of_the_same_process_gets_another_folder(tmp_path):
    """A restarted container may have the same host name and process id."""
    first, second = _folder(tmp_path).open(), _folder(tmp_path).open()
    assert first != second
    assert first.parent == second.parent


def test_folders_and_files_are_private(tmp_path):
    """Folders are 0700 and files 0600, whatever the umask says."""
    before = os.umask(0)
    try:
        path = _folder(tmp_path).open()
        writer = SegmentWriter(
            "traces", lambda: path, SegmentLimits(), KeptSegments(2**30, counts.Counts())
        )
        writer.write(b"{}\n", 1)
        writer.close()
    finally:
        os.umask(before)
    for name in ("manifest.json", "traces-00000.jsonl"):
        assert stat.S_IMODE((path / name).stat().st_mode) == 0o600
    for directory in (path, path.parent, path.parent.parent, tmp_path / "runs"):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_the_manifest_says_who_records_and_how_it_ended(tmp_path):
    """Written at the start with no end, replaced at an orderly end."""
    recording = _folder(tmp_path)
    path = recording.open()
    manifest = _manifest(path)
    assert manifest["schema"] == 1
    assert (manifest["run"], manifest["role"]) == ("run 1", "trainer")
    assert (manifest["rank"], manifest["world_size"], manifest["local_rank"]) == (300, 512, 4)
    assert manifest["pid"] == os.getpid()
    assert (manifest["end"], manifest["ended_unix_nano"]) == (None, None)
    assert {"nemo-lens-api", "opentelemetry-sdk", "python"} <= set(manifest["versions"])
    recording.finish("shutdown", {"queue_full": 3})
    ended = _manifest(path)
    assert (ended["end"], ended["lost"]) == ("shutdown", {"queue_full": 3})
    assert ended["started_unix_nano"] == manifest["started_unix_nano"] <= ended["ended_unix_nano"]


@pytest.mark.parametrize(
    ("role", "written"),
    [
        ("trainer", "trainer"),
        ("ckpt-worker-2", "ckpt-worker_2"),
        ("a-x-b", "a_x-b"),
        ("a-2-3", "a_2_3"),
        ("2", "2"),
        ("data/loader", "data_loader"),
    ],
)
def test_nothing_in_a_role_looks_like_a_rank(tmp_path, role, written):
    """Readers take the first part that is a number or "x" for the rank."""
    path = _folder(tmp_path, ProcessIdentity("r", role, rank=7)).open()
    assert path.name.startswith(f"{written}-7-")


def test_secrets_are_not_in_the_manifest(tmp_path, monkeypatch):
    """Neither those of the configuration nor those of the command line."""
    command = [
        "python",
        "train.py",
        "--api-key",
        "hush",
        "--db-password=hush",
        "+wandb.api_key=hush",
    ]
    command += ["WANDB_API_KEY=hush", "--proxy=http://me:hush@proxy.test/", "--lr", "0.1"]
    monkeypatch.setattr(folder_module.sys, "orig_argv", command)
    config = {"auth_token": "hush", "exporter": "file", "directory": "s3://me:hush@store/runs"}
    path = _folder(tmp_path, config={**config, "names": ("a", "token=hush")}).open()
    text = (path / "manifest.json").read_text()
    assert "hush" not in text
    assert _manifest(path)["config"]["exporter"] == "file"
    assert _manifest(path)["command"][-2:] == ["--lr", "0.1"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("--api_key hush", "--api_key [REDACTED]"),
        ("--wandb_api_key hush --lr 1", "--wandb_api_key [REDACTED] --lr 1"),
        ("--hf-token=hush", "--hf-token=[REDACTED]"),
        ("--hf-token= open", "--hf-token= open"),
        ("--AWS-Secret-Access-Key hush", "--AWS-Secret-Access-Key [REDACTED]"),
        ("--authorization hush", "--authorization [REDACTED]"),
        ("--token --next open", "--token --next open"),
        ("--tokenizer-type GPT2", "--tokenizer-type GPT2"),
        ("--max-tokens 4096", "--max-tokens 4096"),
        ("--num-passes=3", "--num-passes=3"),
    ],
)
def test_options_that_are_called_like_secrets_lose_their_values(tmp_path, monkeypatch, given, told):
    """With dashes or underscores; a tokenizer is no token."""
    monkeypatch.setattr(folder_module.sys, "orig_argv", given.split())
    assert _manifest(_folder(tmp_path).open())["command"] == told.split()


def _writer(tmp_path, **limits):
    losses, limits = counts.Counts(), SegmentLimits(**limits)
    kept = KeptSegments(limits.total_bytes, losses)
    return SegmentWriter("traces", lambda: tmp_path, limits, kept), losses


def test_finished_segments_are_compressed_and_nothing_is_lost(tmp_path):
    """Every line is in exactly one segment, the finished ones as gzip."""
    writer, _ = _writer(tmp_path, segment_bytes=100)
    lines = [f'{{"line":{number}}}\n'.encode() for number in range(40)]
    for line in lines:
        writer.write(line, 1)
    writer.close()
    files = sorted(tmp_path.iterdir())
    assert all(path.name.endswith((".jsonl.gz", ".jsonl")) for path in files)
    read = [
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for path in files
    ]
    assert b"".join(read) == b"".join(lines)
    assert sum(path.suffix == ".gz" for path in files) >= 4


def test_an_old_segment_is_finished(tmp_path):
    """Segments end by age too."""
    writer, _ = _writer(tmp_path, segment_age_s=0.0)
    writer.write(b"a\n", 1)
    writer.write(b"b\n", 1)
    writer.close()
    assert {path.name for path in tmp_path.iterdir()} == {
        "traces-00000.jsonl.gz",
        "traces-00001.jsonl.gz",
    }


def test_beyond_the_cap_the_oldest_segment_goes_and_is_counted(tmp_path):
    """The newest data stays, and what was deleted is a number under its reason."""
    writer, losses = _writer(tmp_path, segment_bytes=1, total_bytes=150)
    for number in range(20):
        writer.write(f"{number}\n".encode(), 5)
    writer.close()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left[-1] == "traces-00019.jsonl.gz"
    assert losses.lost() == {counts.FILE_CAP: 5 * (20 - len(left))}
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 150


def test_the_cap_is_shared_by_the_signals_of_a_process(tmp_path):
    """The oldest segment goes, whichever signal it is of."""
    limits = SegmentLimits(segment_bytes=1, total_bytes=100)
    files = RunFiles(str(tmp_path), _IDENTITY, {}, {}, limits)
    for number in range(10):
        files.write("traces" if number < 5 else "logs", f"{number}\n", 3)
    left = {path.name.partition("-")[0] for path in tmp_path.rglob("*.gz")}
    assert left == {"logs"}
    assert files.losses.lost()[counts.FILE_CAP] % 3 == 0
    assert files.losses.lost()[counts.FILE_CAP] >= 15


def test_a_write_torn_by_a_full_disk_leaves_no_torn_line(tmp_path, monkeypatch):
    """Half a line in the middle of a file would spoil the next one."""
    writer, _ = _writer(tmp_path)
    writer.write(b"first\n", 1)
    genuine = os.write

    def torn(descriptor, data):
        if len(data) > 4:
            return genuine(descriptor, data[:4])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", torn)
    with pytest.raises(OSError, match="No space"):
        writer.write(b"second line\n", 1)
    monkeypatch.undo()
    writer.write(b"third\n", 1)
    writer.close()
    assert (tmp_path / "traces-00000.jsonl").read_bytes() == b"first\nthird\n"


def test_an_error_at_closing_gives_the_descriptor_up(tmp_path, monkeypatch, caplog):
    """A quota may be told there: the number can be another file's soon, and the line was written."""
    writer, _ = _writer(tmp_path, segment_bytes=6)
    genuine = os.close

    def over_quota(descriptor):
        genuine(descriptor)
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(os, "close", over_quota)
    writer.write(b"first\n", 1)
    monkeypatch.undo()
    with (tmp_path / "checkpoint").open("wb") as of_the_application:
        writer.write(b"second\n", 1)
        writer.close()
        of_the_application.write(b"weights")
    assert (tmp_path / "checkpoint").read_bytes() == b"weights"
    lines = [gzip.decompress(path.read_bytes()) for path in sorted(tmp_path.glob("*.gz"))]
    assert lines == [b"first\n", b"second\n"]
    assert caplog.text.count("may be incomplete") == 1


def test_a_stale_descriptor_is_given_up_for_a_fresh_segment(tmp_path, monkeypatch):
    """The server of a shared filesystem forgot the file; the path works again."""
    writer, _ = _writer(tmp_path)
    writer.write(b"first\n", 1)

    def stale(descriptor):
        raise OSError(errno.ESTALE, "Stale file handle")

    monkeypatch.setattr(os, "fstat", stale)
    writer.write(b"second\n", 1)
    monkeypatch.undo()
    writer.close()
    assert (tmp_path / "traces-00001.jsonl").read_bytes() == b"second\n"


def test_a_segment_that_cannot_be_deleted_costs_no_line_twice(tmp_path, monkeypatch):
    """The line is in the file already; what stays on the disk is not counted as lost."""
    writer, losses = _writer(tmp_path, segment_bytes=1, total_bytes=1)

    def read_only(path, missing_ok=False):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", read_only)
    for number in range(3):
        writer.write(f"{number}\n".encode(), 1)
    monkeypatch.undo()
    lines = [path.read_text() for path in sorted(tmp_path.glob("*.jsonl"))]
    assert lines == ["0\n", "1\n", "2\n"]
    assert losses.lost() == {}


def _files(tmp_path):
    return RunFiles(str(tmp_path / "runs"), _IDENTITY, {}, {})


def test_a_vanished_folder_is_made_again(tmp_path):
    """Whoever deletes the folder of a running job loses what was in it, and no more."""
    files = _files(tmp_path)
    assert files.write("traces", "one\n", 1) is Outcome.DELIVERED
    shutil.rmtree(tmp_path / "runs")
    assert files.write("traces", "two\n", 1) is Outcome.DELIVERED
    files.close("traces")
    (path,) = (tmp_path / "runs").rglob("*.jsonl")
    assert path.read_text() == "two\n"
    assert (path.parent / "manifest.json").exists()


def test_what_found_no_room_in_the_folder_comes_once_there_is_some(tmp_path, monkeypatch):
    """On a disk that is full at the start a folder can be made, and nothing be put into it."""
    folder = _folder(tmp_path)

    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder_module, "replace_file", full)
    with pytest.raises(OSError, match="No space"):
        folder.open()
    with pytest.raises(OSError, match="No space"):
        folder.put("blackbox.json", b"{}")
    monkeypatch.undo()
    path = folder.open()
    assert _manifest(path)["rank"] == 300
    assert (path / "blackbox.json").read_bytes() == b"{}"


def test_a_folder_that_cannot_be_made_is_one_warning_and_a_retry(tmp_path, caplog):
    """A disk that is away does not hurt the job, and recording begins when it is back."""
    (tmp_path / "runs").write_text("in the way")
    files = _files(tmp_path)
    with caplog.at_level(logging.WARNING):
        files.open()
        assert files.write("traces", "one\n", 1) is Outcome.RETRY
        assert files.write("traces", "one\n", 1) is Outcome.RETRY
    assert len(caplog.records) == 1
    assert str(tmp_path / "runs") in caplog.text
    (tmp_path / "runs").unlink()
    assert files.write("traces", "one\n", 1) is Outcome.DELIVERED
    files.close("traces")


def test_one_full_device_is_a_retry_not_an_error(tmp_path):
    """A device that is really full answers ENOSPC."""
    if not Path("/dev/full").exists():
        pytest.fail("this test needs /dev/full")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "traces-00000.jsonl").symlink_to("/dev/full")
    writer = SegmentWriter(
        "traces", lambda: folder, SegmentLimits(), KeptSegments(1, counts.Counts())
    )
    with pytest.raises(OSError, match="No space"):
        writer.write(b"x\n", 1)
