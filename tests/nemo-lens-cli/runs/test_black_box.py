# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Black boxes of real processes, read as a person with a dead job reads them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemo.lens.runs import Run, black_box, black_box_bytes
from nemo.lens.runs.black_box import read_black_box
from nemo.lens.runs.layout import BLACK_BOX, BLACK_BOX_POINTER
from nemo.lens.runs.problems import Problems
from nemo.lens.sdk.black_box import layout, route
from nemo.lens.sdk.black_box.recorder import Recorder
from nemo.lens.sdk.black_box.ring_file import RingFile

# Newer Pythons warn of every fork of a process with threads.
_PYTHON = (sys.executable, "-W", "ignore::DeprecationWarning")
_SET_UP = """
import asyncio, os, signal, sys, threading, time
from nemo import lens
from nemo.lens import NemoLensConfig, SpanGroup, managed_span, setup_telemetry, span_cm
handle = setup_telemetry(NemoLensConfig.from_env(), rank=0, world_size=1)
def die(): os.kill(os.getpid(), signal.SIGKILL)
def hang(): print("ready", flush=True); time.sleep(60)
"""


@pytest.fixture
def record(tmp_path):
    """Run a script that records to `tmp_path/runs/r`; returns its exit status."""

    def run(script, **environment):
        process = subprocess.run(
            [*_PYTHON, "-c", _SET_UP + textwrap.dedent(script)],
            env=_environment(tmp_path, environment),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert not process.stderr, process.stderr
        return process

    return run


def _environment(tmp_path, extra):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NEMO_LENS_")}
    return {
        **kept,
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_EXPORTER": "file",
        "NEMO_LENS_SPAN_GROUPS": "all",
        "NEMO_LENS_DIR": str(tmp_path / "runs"),
        "NEMO_LENS_RUN_ID": "r",
        "NEMO_LENS_BLACKBOX_DIR": str(tmp_path / "node"),
        **extra,
    }


def _box(tmp_path):
    run = Run(tmp_path / "runs" / "r")
    (process,) = run.processes
    return process.black_box, run


def _names(spans):
    return [span.name for span in spans]


@pytest.mark.parametrize("place", ["node", "run"])
def test_after_a_kill_the_open_spans_are_known(tmp_path, record, place):
    """Which, in which order, in which step, by which thread, and what had finished."""
    process = record(
        """
        lens.set_step(411)
        with span_cm("train.job"):
            with managed_span(SpanGroup.STEP, "train.step", iteration=411): pass
            lens.set_step(412)
            with managed_span(SpanGroup.STEP, "train.step"):
                with managed_span(SpanGroup.FORWARD_BACKWARD, "train.forward"): pass
                with managed_span(SpanGroup.OPTIMIZER, "train.reduce", **{"nemo.wait": True}):
                    die()
        """,
        NEMO_LENS_BLACKBOX_DIR="run" if place == "run" else str(tmp_path / "node"),
    )
    assert process.returncode == -signal.SIGKILL
    box, run = _box(tmp_path)
    assert box.ended == "killed"
    assert box.ended_unix_nano is None
    job, step, reduce = box.open_spans
    assert _names(box.open_spans) == ["train.job", "train.step", "train.reduce"]
    assert [step.group, reduce.group] == ["step", "optimizer"]
    assert [job.step, step.step, reduce.step, box.step] == [411, 412, 412, 412]
    assert [job.parent_span_id, step.parent_span_id] == ["", job.span_id]
    assert reduce.parent_span_id == step.span_id
    assert [span.waits for span in box.open_spans] == [False, False, True]
    assert {span.thread for span in box.open_spans} == {"MainThread"}
    assert job.start_unix_nano < step.start_unix_nano < reduce.start_unix_nano == box.last_ns
    assert _names(box.finished_spans) == ["train.step", "train.forward"]
    assert box.identity["rank"] == 0
    assert run.problems == ()


def test_finished_spans_are_those_of_the_files(tmp_path, record):
    """Same ids, same times: what the files lack can be told from what they have."""
    record(
        """
        for number in range(5):
            with managed_span(SpanGroup.STEP, "train.step", iteration=number): pass
        handle.flush() if hasattr(handle, "flush") else handle.flush()
        with span_cm("train.job"): die()
        """
    )
    box, run = _box(tmp_path)
    recorded = [(s.span_id, s.start_unix_nano, s.end_unix_nano) for s in run.spans()]
    boxed = [(s.span_id, s.start_unix_nano, s.end_unix_nano) for s in box.finished_spans]
    assert len(boxed) == 5
    assert recorded == boxed


def test_spans_of_threads_and_tasks_are_told_apart(tmp_path, record):
    """A thread by its name, tasks by their parents."""
    record(
        """
        def load():
            with span_cm("data.load"):
                started.set(); time.sleep(60)
        started = threading.Event()
        threading.Thread(target=load, name="loader", daemon=True).start()
        started.wait()
        async def task(name):
            with span_cm(name):
                with span_cm(name + ".inner"): await asyncio.sleep(60)
        async def main():
            tasks = [asyncio.ensure_future(task(name)) for name in ("a", "b")]
            await asyncio.sleep(0.05)
            die()
        asyncio.run(main())
        """
    )
    box, _run = _box(tmp_path)
    spans = {span.name: span for span in box.open_spans}
    assert sorted(spans) == ["a", "a.inner", "b", "b.inner", "data.load"]
    assert spans["data.load"].thread == "loader"
    assert spans["a"].thread == "MainThread"
    assert spans["a.inner"].parent_span_id == spans["a"].span_id
    assert spans["b.inner"].parent_span_id == spans["b"].span_id


def test_spans_of_the_plain_factory_are_stored_too(tmp_path, record):
    """With a second processor, with options, and through the tracer of OpenTelemetry itself."""
    record(
        """
        from opentelemetry import trace
        from opentelemetry.sdk.trace import SpanProcessor
        class Other(SpanProcessor): pass
        trace.get_tracer_provider().add_span_processor(Other())
        with managed_span(SpanGroup.STEP, "with.helper"):
            with trace.get_tracer("x").start_as_current_span("with.tracer"):
                with trace.get_tracer("x").start_as_current_span("over"): pass
                die()
        """
    )
    box, _run = _box(tmp_path)
    assert _names(box.open_spans) == ["with.helper", "with.tracer"]
    assert _names(box.finished_spans) == ["over"]


def test_spans_that_are_open_for_long_survive_the_ring(tmp_path, record):
    """The ring comes round five times; the job is still known, and so are the last spans."""
    record(
        f"""
        with span_cm("train.job"):
            for number in range(5 * {layout.SIZES.spans}):
                with span_cm("short"): pass
            die()
        """
    )
    box, _run = _box(tmp_path)
    assert _names(box.open_spans) == ["train.job"]
    assert len(box.finished_spans) == layout.SIZES.spans - 1
    assert box.unlisted == 0


def test_a_forked_child_has_a_box_of_its_own(tmp_path, record):
    """The child that is killed in its first span is known; the parent's box has nothing of it."""
    record(
        """
        with span_cm("parent"):
            child = os.fork()
            if not child:
                with span_cm("child"):
                    with span_cm("inner"):
                        deadline = time.monotonic() + 20
                        while len(list(os.scandir(os.environ["NEMO_LENS_BLACKBOX_DIR"]))) < 2:
                            assert time.monotonic() < deadline
                            time.sleep(0.01)
                        time.sleep(0.2)
                        die()
            os.waitpid(child, 0)
            with span_cm("after"): pass
            die()
        """
    )
    run = Run(tmp_path / "runs" / "r")
    boxes = {box.open_spans[0].name: box for box in (p.black_box for p in run.processes)}
    assert _names(boxes["child"].open_spans) == ["child", "inner"]
    assert _names(boxes["parent"].open_spans) == ["parent"]
    assert _names(boxes["parent"].finished_spans) == ["after"]
    assert boxes["child"].identity["pid"] != boxes["parent"].identity["pid"]
    for box in boxes.values():
        (first, *_rest) = box.open_spans
        assert (first.thread, first.thread_id) == ("MainThread", box.identity["pid"])


def test_a_forked_child_that_ends_while_its_box_is_made_was_not_killed(tmp_path, record):
    """The box says how it ended, and nothing is left on the node."""
    process = record(
        """
        from nemo.lens.sdk.black_box import ring_file
        fill = ring_file._fill
        ring_file._fill = lambda *arguments: (time.sleep(0.03), fill(*arguments))
        child = os.fork()
        if not child:
            with span_cm("child"): pass
            os._exit(0 if handle.shutdown() else 1)
        assert os.waitpid(child, 0)[1] == 0
        print(len(os.listdir(os.environ["NEMO_LENS_BLACKBOX_DIR"])))
        """
    )
    assert process.stdout == "1\n"
    run = Run(tmp_path / "runs" / "r")
    boxes = [box for each in run.processes if (box := each.black_box) is not None]
    assert sorted(box.ended for box in boxes) == ["exit", "shutdown"]


def test_a_forked_child_without_spans_makes_no_box(tmp_path, record):
    """Workers that load data and nothing else cost nothing."""
    process = record(
        """
        child = os.fork()
        if not child: time.sleep(0.3); os._exit(0)
        os.waitpid(child, 0)
        print(len(os.listdir(os.environ["NEMO_LENS_BLACKBOX_DIR"])))
        """
    )
    assert process.stdout == "1\n"
    assert len(Run(tmp_path / "runs" / "r").processes) == 1


@pytest.mark.parametrize(
    ("ending", "how"),
    [
        ("handle.shutdown()", "shutdown"),
        ("sys.exit()", "exit"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "signal:SIGTERM"),
    ],
)
def test_an_orderly_end_moves_the_box_into_the_run_folder(tmp_path, record, ending, how):
    """What was open is still told, and nothing is left on the node."""
    record(
        f"""
        with span_cm("train.job"):
            with span_cm("done"): pass
            {ending}
        """
    )
    box, run = _box(tmp_path)
    assert box.ended == how
    assert box.ended_unix_nano > box.last_ns
    # sys.exit leaves the block; the others end telemetry inside it.
    assert _names(box.open_spans) == ([] if how == "exit" else ["train.job"])
    assert "done" in _names(box.finished_spans)
    assert list((tmp_path / "node").iterdir()) == []
    (folder,) = (tmp_path / "runs" / "r" / "0").iterdir()
    assert (folder / BLACK_BOX).stat().st_size < 6000
    assert not (folder / BLACK_BOX_POINTER).exists()
    assert run.problems == ()


def test_a_running_process_is_called_running(tmp_path):
    """The box can be read while the process goes on."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SET_UP + 'with span_cm("train.job"): hang()'],
        env=_environment(tmp_path, {}),
        stdout=subprocess.PIPE,
    )
    try:
        process.stdout.readline()
        box, _run = _box(tmp_path)
        assert box.ended == "running"
        assert _names(box.open_spans) == ["train.job"]
        process.kill()
        process.wait()
        assert _box(tmp_path)[0].ended == "killed"
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("exporter", "switch", "kept"),
    [("file", "0", False), ("console", "1", True), ("console", "", False), ("file", "1", True)],
)
def test_the_switch(tmp_path, record, exporter, switch, kept):
    """On with the exporter `file`, with the others when asked for, off when told so."""
    record(
        'with span_cm("train.job"): die()',
        NEMO_LENS_EXPORTER=exporter,
        NEMO_LENS_BLACKBOX=switch,
    )
    if (tmp_path / "runs").exists():
        assert (_box(tmp_path)[0] is not None) is kept
    else:
        assert not kept


def test_without_room_there_is_one_warning_and_no_box(tmp_path):
    """The job and its files go on."""
    (tmp_path / "node").write_text("no folder")
    process = subprocess.run(
        [sys.executable, "-c", _SET_UP + 'with span_cm("a"): pass\nhandle.shutdown()'],
        env=_environment(tmp_path, {}),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 0
    assert process.stderr.count("there is no black box") == 1
    box, run = _box(tmp_path)
    assert box is None
    assert _names(run.spans()) == ["a"]


def test_in_a_folder_of_all_users_the_box_has_a_private_one(tmp_path, record):
    """Such as `/tmp` or a scratch folder of the node."""
    (tmp_path / "node").mkdir()
    (tmp_path / "node").chmod(0o1777)
    record('with span_cm("a"): die()')
    box, _run = _box(tmp_path)
    assert _names(box.open_spans) == ["a"]
    assert box.path.parent == tmp_path / "node" / f"nemo-lens-{os.getuid()}"
    assert box.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_box_on_another_host_is_named(tmp_path, record):
    """It cannot be read here: the line says where it is."""
    record('with span_cm("a"): die()')
    for path in (tmp_path / "node").iterdir():
        path.unlink()
    box, run = _box(tmp_path)
    assert box is None
    (line,) = run.problems
    assert "its black box is" in line
    assert str(tmp_path / "node") in line


def test_a_box_that_is_put_away_meanwhile_is_found(tmp_path, record, monkeypatch):
    """A process may end between the look into its folder and the look onto the node."""
    record('with span_cm("a"): die()')
    (folder,) = (path.parent for path in (tmp_path / "runs").rglob(BLACK_BOX_POINTER))
    (made,) = (tmp_path / "node").iterdir()
    genuine = black_box._pointer

    def end_meanwhile(path):
        pointer = genuine(path)
        made.rename(folder / BLACK_BOX)
        return pointer

    monkeypatch.setattr(black_box, "_pointer", end_meanwhile)
    box, run = _box(tmp_path)
    assert _names(box.open_spans) == ["a"]
    assert box.path == folder / BLACK_BOX
    assert run.problems == ()


def test_of_a_process_in_a_container_of_its_own_the_end_is_unknown(tmp_path, monkeypatch):
    """With the name of the host, and a number that is another process here."""
    monkeypatch.setattr(route, "_pid_namespace", lambda: "pid:[1]")
    ring = RingFile(tmp_path / BLACK_BOX, route._birth(), shared=False)
    assert read_black_box(tmp_path, "p", Problems()).ended == "unknown"
    ring.end("shutdown")
    assert read_black_box(tmp_path, "p", Problems()).ended == "shutdown"


def test_a_box_of_another_process_is_not_taken(tmp_path, record):
    """A file of the same name that was made later is told by its token."""
    record('with span_cm("a"): die()')
    (pointer,) = (tmp_path / "runs").rglob(BLACK_BOX_POINTER)
    pointer.write_text(json.dumps({**json.loads(pointer.read_text()), "token": "other"}))
    box, run = _box(tmp_path)
    assert box is None
    assert "another process" in run.problems[0]


def test_both_sides_know_the_same_bytes():
    """The constants here are those of the writer."""
    for name in (
        *("MAGIC", "FORMAT", "END_AT", "IDENTITY_AT", "HEADER_BYTES", "UNLISTED_AT"),
        *("STILL_OPEN", "NO_STEP", "WAITS", "NAME_MASK"),
    ):
        assert getattr(black_box_bytes, name) == getattr(layout, name)
    for name in ("PREAMBLE", "END", "NAME", "THREAD", "UNLISTED"):
        assert getattr(black_box_bytes, name).format == getattr(layout, name).format
    assert black_box_bytes.RECORD.format == f"{layout.RECORD.format}8x"
    assert black_box_bytes.RECORD.size == layout.RECORD_BYTES
    assert (BLACK_BOX, BLACK_BOX_POINTER) == (route.BOX, route.POINTER)


class _Span:
    def __init__(self, number):
        self._name, self._begun, self._start_time = f"lib.work{number % 7}", number, number
        self._parent_id, self._attributes = number // 2, {}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a box with open and finished spans."""
    ring = RingFile(tmp_path_factory.mktemp("box") / "a.box", {"rank": 1}, shared=False)
    recorder = Recorder()
    recorder.attach(ring.memory)
    for number in range(1, 100):
        span = _Span(number)
        recorder.opened(number, span)
        if number % 10:
            recorder.finished(span, 5)
    content = ring.packed(100)
    ring.remove()
    return content


def _read(folder, content):
    (folder / BLACK_BOX).write_bytes(content)
    problems = Problems()
    box = read_black_box(folder, "0/trainer-0-h-1", problems)
    if box is not None:
        assert all(span.end_unix_nano is None for span in box.open_spans)
        assert all(span.end_unix_nano is not None for span in box.finished_spans)
    return box, problems.lines()


_damage = settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@_damage
@given(data=st.data())
def test_a_cut_box_gives_what_is_left(tmp_path, whole, data):
    """Any prefix is read; what it has is right."""
    length = data.draw(st.integers(0, len(whole)))
    box, lines = _read(tmp_path, whole[:length])
    if box is None:
        assert lines
    else:
        every, _ = _read(tmp_path, whole)
        assert set(box.open_spans) <= set(every.open_spans) or length < layout.HEADER_BYTES * 2


@_damage
@given(data=st.data())
def test_garbage_in_a_box_raises_nothing(tmp_path, whole, data):
    """Any bytes anywhere."""
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(st.binary(min_size=1, max_size=80))
        content[at : at + len(piece)] = piece
    _read(tmp_path, bytes(content))


@_damage
@given(content=st.binary(max_size=6000))
def test_a_file_that_is_no_box_raises_nothing(tmp_path, content):
    """With the right beginning or without."""
    for text in (content, layout.MAGIC + layout.FORMAT.to_bytes(4, "little") + content):
        _read(tmp_path, text)


def test_a_record_that_was_cut_off_is_counted_and_left_out(tmp_path, whole):
    """The two halves of its number differ."""
    content = bytearray(whole)
    content[-layout.RECORD_BYTES] ^= 0xFF
    every, _ = _read(tmp_path, whole)
    box, _lines = _read(tmp_path, bytes(content))
    assert (every.torn, box.torn) == (0, 1)
    assert len(box.finished_spans) == len(every.finished_spans) - 1


def test_a_pipe_in_the_place_of_a_box_is_not_waited_for(tmp_path):
    """Whatever lies there, reading returns."""
    os.mkfifo(tmp_path / BLACK_BOX)
    assert read_black_box(tmp_path, "p", Problems()) is None
