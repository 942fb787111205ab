# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Locks and process-wide state in forked children, and under signals."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap

import pytest

from nemo.lens import fork_safety
from nemo.lens.fork_safety import run_in_forked_child


def run(code: str, *, timeout_s: float = 100) -> str:
    """Run code in a fresh interpreter and return what it printed; fail if it hangs."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_two_hundred_forks_beside_eight_busy_threads_never_hang():
    """Children register, resolve, pin and step although the parent's threads held every lock."""
    out = run(
        """
        import os, sys, threading, time
        from nemo.lens import state
        from nemo.lens.groups import SpanRegistry

        SpanRegistry.register("lib", ["step"], {"default": ["step"]})
        stop = threading.Event()

        def body(name):
            SpanRegistry.register(name, [name], allow_override=True)
            state.set_span_group_spec("all")
            state.set_step(3)
            state.is_span_group_enabled("step")
            SpanRegistry.resolve("all,-step")
            SpanRegistry.unregister(name)

        def work(name):
            while not stop.is_set():
                body(name)

        threads = [
            threading.Thread(target=work, args=(f"t{n}",), daemon=True) for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for fork in range(200):
            pid = os.fork()
            if pid == 0:
                body("child")
                ok = state.enabled_span_groups() == state._enabled >= {"step"}
                os._exit(0 if ok else 3)
            deadline = time.monotonic() + 10
            while True:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    break
                if time.monotonic() > deadline:
                    os.kill(pid, 9)
                    sys.exit(f"child {fork} hangs")
                time.sleep(0.001)
            if status:
                sys.exit(f"child {fork} ended with status {status}")
        stop.set()
        print("forked", fork + 1, flush=True)
        os._exit(0)
        """
    )
    assert out == "forked 200\n"


SPANS_BESIDE_FORKS = """
    import os, random, sys, threading, time
    import nemo.lens as lens
    from nemo.lens.state import set_enabled_span_groups

    def open_spans():
        with lens.managed_span("step", "lib.step", n=1), lens.span_cm("lib.part"):
            lens.mark("step", "lib.mark")
            lens.open_span("step", "lib.open").close()
            with lens.attached_context({}), lens.span_attributes({"a": 1}):
                lens.trace_fn("step", "lib.fn")(lambda: None)()

    def beside_busy_threads(forks, *, cold):
        set_enabled_span_groups(frozenset({"step"}))
        if not cold:
            open_spans()

        def work():
            while True:
                open_spans()

        for _ in range(8):
            threading.Thread(target=work, daemon=True).start()
        for fork in range(forks):
            time.sleep(random.uniform(0, 0.15 if cold else 0.002))
            pid = os.fork()
            if pid == 0:
                open_spans()
                os._exit(0)
            wait_for(pid, fork, limit_s=10)

    def wait_for(pid, what, limit_s):
        deadline = time.monotonic() + limit_s
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() > deadline:
                os.kill(pid, 9)
                print("hangs:", what, flush=True)
                os._exit(1)
            time.sleep(0.001)
        if status:
            print("failed:", what, status, flush=True)
            os._exit(1)
"""


@pytest.mark.integration
def test_children_of_a_process_whose_threads_open_spans_never_hang():
    """Two hundred forks beside eight threads that open spans of every kind."""
    out = run(
        SPANS_BESIDE_FORKS
        + """
    beside_busy_threads(200, cold=False)
    print("no hang", flush=True)
    os._exit(0)
"""
    )
    assert out == "no hang\n"


@pytest.mark.integration
def test_a_fork_waits_for_the_first_span_of_another_thread():
    """The first span loads modules; a child forked in the middle of that could never load them."""
    out = run(
        SPANS_BESIDE_FORKS
        + """
    for process in range(25):
        random.seed(process)
        pid = os.fork()
        if pid == 0:
            beside_busy_threads(1, cold=True)
            os._exit(0)
        wait_for(pid, process, limit_s=60)
    print("no hang", flush=True)
    os._exit(0)
"""
    )
    assert out == "no hang\n"


def test_a_fork_that_waited_for_the_import_of_logging_does_not_release_a_lock_it_never_took():
    """Its hooks come while the fork waits: too late for the one before it, not for the one after."""
    out = run(
        """
        import os, sys, threading
        from nemo.lens.fork_safety import forks_wait
        assert "logging" not in sys.modules

        class Slow:
            def find_spec(self, name, path=None, target=None):
                if name == "logging":
                    importing.set()
                    forking.wait(20)

        importing, forking = threading.Event(), threading.Event()
        sys.meta_path.insert(0, Slow())
        ignored = []
        sys.unraisablehook = lambda problem: ignored.append(problem.exc_value)

        def import_it():
            with forks_wait():
                import logging

        thread = threading.Thread(target=import_it)
        thread.start()
        importing.wait(20)
        os.register_at_fork(before=forking.set)
        pid = os.fork()
        if pid == 0:
            import logging
            logging.getLogger("qa").debug("fine")
            os._exit(len(ignored))
        thread.join()
        import logging
        other = threading.Thread(target=logging.getLogger, args=("qa",), daemon=True)
        other.start(); other.join(10)
        child = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(child, ignored, other.is_alive(), flush=True)
        os._exit(0)
        """
    )
    assert out == "0 [] False\n"


def test_a_fork_in_the_middle_of_the_import_of_logging_does_not_wait_for_itself():
    """The hook of `logging` has its lock by then, which the rest of the import needs."""
    out = run(
        """
        import os, sys, threading, time
        from nemo.lens.fork_safety import forks_wait
        assert "logging" not in sys.modules

        half_imported, forking = threading.Event(), threading.Event()
        register = os.register_at_fork

        def register_and_wait(**hooks):
            register(**hooks)
            if hooks["before"].__module__ == "logging":
                half_imported.set()
                forking.wait(20)
                time.sleep(0.3)  # the hooks that come after it in the fork

        def import_it():
            with forks_wait():
                pass

        os.register_at_fork = register_and_wait
        thread = threading.Thread(target=import_it)
        thread.start()
        half_imported.wait(20)
        register(before=forking.set)
        begun = time.monotonic()
        pid = os.fork()
        if pid == 0:
            import logging
            logging.getLogger("qa").debug("fine")
            os._exit(0)
        waited_s = time.monotonic() - begun
        thread.join()
        import logging
        other = threading.Thread(target=logging.getLogger, args=("qa",), daemon=True)
        other.start(); other.join(10)
        child = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(child, waited_s < 15, other.is_alive(), flush=True)
        os._exit(0)
        """
    )
    assert out == "0 True False\n"


def test_one_hook_serves_every_module_of_the_process():
    """Repair functions are collected behind a single `os.register_at_fork`."""
    out = run(
        """
        import os
        hooks = []
        real = os.register_at_fork
        def counting(**hook):
            hooks.append(hook)
            real(**hook)
        os.register_at_fork = counting
        from nemo.lens import groups, state
        from nemo.lens.fork_safety import run_in_forked_child
        for _ in range(5):
            run_in_forked_child(lambda: None)
            state.set_span_group_spec("all")
        ours = [
            repair
            for hook in hooks
            for moment, repair in hook.items()
            if moment == "after_in_child" and "nemo" in repair.__module__
        ]
        print(len(ours), len(groups.SpanRegistry.namespaces()))
        """
    )
    assert out == "1 0\n"


def test_a_repair_runs_in_children_only():
    """The parent's state is left alone."""
    out = run(
        """
        import os
        from nemo.lens.fork_safety import run_in_forked_child
        ran = []
        @run_in_forked_child
        def repair():
            ran.append(os.getpid())
        pid = os.fork()
        if pid == 0:
            os._exit(0 if ran == [os.getpid()] else 1)
        assert os.waitpid(pid, 0)[1] == 0
        print(ran)
        """
    )
    assert out == "[]\n"


def test_a_failing_repair_does_not_keep_the_others_from_running():
    """The failure is logged in the child, and the next repair still runs."""
    out = run(
        """
        import logging, os, sys
        from nemo.lens.fork_safety import run_in_forked_child
        logging.basicConfig(stream=sys.stdout, format="%(name)s %(message)s")
        @run_in_forked_child
        def broken():
            raise RuntimeError("broken repair")
        @run_in_forked_child
        def good():
            print("good ran")
        pid = os.fork()
        if pid == 0:
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(pid, 0)
        """
    )
    assert "nemo.lens.fork_safety A repair after fork failed" in out
    assert "broken repair" in out
    assert "good ran" in out


def test_repairs_are_held_weakly():
    """A module that goes takes its repair with it, so that nothing piles up."""

    def repair():
        raise AssertionError("this module is gone")

    before = len(fork_safety._repairs)
    assert run_in_forked_child(repair) is repair
    assert len(fork_safety._repairs) == before + 1
    del repair
    gc.collect()
    fork_safety._repair_child()

    def another():
        """Do nothing."""

    run_in_forked_child(another)
    assert len(fork_safety._repairs) == before + 1


def test_a_signal_at_any_line_may_use_the_registry_and_the_gate():
    """A handler that interrupts lens code while it holds a lock does not deadlock."""
    out = run(
        """
        import faulthandler, os, signal, sys
        from nemo.lens import groups, state
        from nemo.lens.groups import SpanRegistry

        faulthandler.dump_traceback_later(60, exit=True)
        SpanRegistry.register("lib", ["step"])
        interrupted = set()

        def handler(signum, frame):
            sys.settrace(None)
            SpanRegistry.register("signal", ["flush"], allow_override=True)
            state.set_span_group_spec("all")
            state.set_step(1)
            state.set_enabled_span_groups(frozenset())
            sys.settrace(tracer)

        def tracer(frame, event, arg):
            if "/nemo/lens/" not in frame.f_code.co_filename:
                return None
            if event == "line":
                interrupted.add((frame.f_code.co_filename, frame.f_lineno))
                signal.raise_signal(signal.SIGUSR1)
            return tracer

        signal.signal(signal.SIGUSR1, handler)
        sys.settrace(tracer)
        SpanRegistry.register("main", ["a"], {"default": ["a"]})
        state.set_span_group_spec("all")
        state.set_step(2)
        SpanRegistry.unregister("main")
        sys.settrace(None)
        assert "lib" in SpanRegistry.namespaces()
        print(len(interrupted) > 50, state._enabled <= SpanRegistry.groups())
        """
    )
    assert out == "True True\n"
