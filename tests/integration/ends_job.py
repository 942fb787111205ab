# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Jobs that end in every way that processes end: `ends_job.py <name of a function below>`.

Each process that records finishes a hundred spans. Where the end cannot be noticed, fifty of them
are finished long enough before it to have been exported, and fifty at the last moment.
"""

import asyncio
import atexit
import concurrent.futures
import contextlib
import ctypes
import faulthandler
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
import time

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.contrib.child_processes import child_environment

SPANS = 100
CHILDREN = 4
FOREVER_S = 60.0


def set_up():
    return setup_telemetry(NemoLensConfig.from_env())


def finish(number=SPANS, name="finished"):
    for _ in range(number):
        with managed_span("step", name):
            pass


def open_span():
    managed_span("job", "open").__enter__()


def begin():
    """Record what every job records; nothing of it is exported yet."""
    handle = set_up()
    finish()
    open_span()
    return handle


def tell(word="ready"):
    os.write(1, f"{word} {time.monotonic()}\n".encode())


def wait():
    time.sleep(FOREVER_S)


def begin_hopeless():
    """Record long before the end and right before it; see the first half exported."""
    handle = set_up()
    record_for_hopeless(handle)
    return handle


def record_for_hopeless(handle):
    open_span()
    finish(SPANS // 2, "early")
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not early_are_exported(handle):
        time.sleep(0.02)
    finish(SPANS // 2, "last")


def early_are_exported(handle):
    queues = handle.stats()["queues"]
    lanes = [queue for subject, queue in queues.items() if subject.startswith("spans")]
    return all(lane["delivered"] >= SPANS // 2 for lane in lanes)


# The interpreter ends.


def runs_to_its_end():
    begin()
    tell()


def outlives_an_outage():
    handle = begin()
    tell()
    deadline = time.monotonic() + 25
    while time.monotonic() < deadline and handle.stats()["queues"]["spans to otlp"]["pending"]:
        time.sleep(0.05)


def shuts_down():
    handle = begin()
    tell()
    assert handle.shutdown()


def shuts_down_within_a_second():
    handle = begin()
    tell()
    handle.shutdown(timeout_ms=1000)


def raises():
    set_up()
    finish()
    with managed_span("job", "open"):
        tell()
        raise ValueError("on purpose")


def exits_with_3():
    set_up()
    finish()
    with managed_span("job", "open"):
        tell()
        sys.exit(3)


def records_at_exit():
    set_up()
    open_span()
    atexit.register(finish)
    tell()


def works_in_threads():
    set_up()
    open_span()
    pool = concurrent.futures.ThreadPoolExecutor(4)
    for _ in range(SPANS // 10):
        pool.submit(lambda: (time.sleep(0.05), finish(10)))
    tell()


def has_busy_daemons():
    begin()

    def work():
        while True:
            with managed_span("step", "daemon"), managed_span("step", "daemon.part"):
                pass
            time.sleep(0.001)

    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    tell()


# A signal arrives.


def waits():
    begin()
    tell()
    wait()


def waits_inside_a_span():
    set_up()
    finish()
    with managed_span("job", "open"):
        tell()
        wait()


def waits_for_a_thread():
    begin()
    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    tell()
    thread.join()


def has_a_handler():
    def handle_it(_number, _frame):
        finish(SPANS // 2)
        sys.exit(7)

    signal.signal(signal.SIGTERM, handle_it)
    set_up()
    finish(SPANS // 2)
    with managed_span("job", "open"):
        tell()
        wait()


def takes_its_time():
    """A job that saves a checkpoint when it is told to leave."""
    told = threading.Event()
    begin()
    signal.signal(signal.SIGTERM, lambda *_: told.set())
    tell()
    told.wait(FOREVER_S)
    time.sleep(7)


def ignores():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    begin()
    tell()
    time.sleep(0.5)


def handles_in_an_event_loop(*, set_up_first):
    async def serve():
        over = asyncio.Event()
        if set_up_first:
            set_up()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
        if not set_up_first:
            set_up()
        finish(SPANS // 2)
        open_span()
        tell()
        await asyncio.wait_for(over.wait(), FOREVER_S)
        finish(SPANS // 2)

    asyncio.run(serve())


def has_an_event_loop_that_handles():
    handles_in_an_event_loop(set_up_first=False)


def has_an_event_loop_that_took_over():
    handles_in_an_event_loop(set_up_first=True)


def exports():
    handle = begin()
    threading.Thread(target=handle.flush, args=(30_000,), daemon=True).start()
    time.sleep(0.2)
    tell()
    wait()


def is_inside_a_c_call():
    begin()
    libc = ctypes.CDLL(None)
    mutex = ctypes.create_string_buffer(128)
    libc.pthread_mutex_init(mutex, None)
    libc.pthread_mutex_lock(mutex)
    tell()
    libc.pthread_mutex_lock(mutex)  # never returns, and no signal interrupts it


def holds_the_interpreter_in_a_c_call():
    begin()
    tell()
    sum(range(50_000_000))  # one instruction: neither a handler nor another thread runs meanwhile
    wait()


def is_set_up_in_a_thread():
    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    tell()
    wait()


def is_set_up_in_a_thread_that_is_waited_for():
    def work():
        begin()
        time.sleep(0.5)
        tell()
        wait()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def is_warned_and_dies_hard():
    """A signal of `FLUSH_SIGNALS` comes first."""
    begin()
    warned = threading.Event()
    signal.signal(signal.SIGUSR1, flag_after(signal.getsignal(signal.SIGUSR1), warned))
    tell()
    warned.wait(FOREVER_S)
    os._exit(0)


def flag_after(handler, event):
    def run(number, frame):
        handler(number, frame)
        event.set()

    return run


# Nothing can be noticed.


def leaves_at_once():
    begin_hopeless()
    tell()
    os._exit(4)


def becomes_another_program():
    begin_hopeless()
    tell()
    os.execv(sys.executable, [sys.executable, "-c", "raise SystemExit(5)"])


def is_set_up_in_a_thread_beside_a_sleeping_one():
    def work():
        time.sleep(0.2)
        begin_hopeless()
        tell()

    threading.Thread(target=work).start()
    wait()


def is_killed():
    begin_hopeless()
    tell()
    wait()


def aborts():
    begin_hopeless()
    tell()
    os.abort()


def segfaults():
    faulthandler.enable()
    begin_hopeless()
    tell()
    ctypes.string_at(0)


# It has children.


def work_in_child():
    finish()
    open_span()


def work_in_spawned_child():
    set_up()
    work_in_child()


def multiprocessing_children(method):
    begin()
    target = work_in_child if method == "fork" else work_in_spawned_child
    context = multiprocessing.get_context(method)
    children = [context.Process(target=target) for _ in range(CHILDREN)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * CHILDREN
    tell()


def forks_with_multiprocessing():
    multiprocessing_children("fork")


def uses_a_fork_server():
    multiprocessing_children("forkserver")


def spawns():
    multiprocessing_children("spawn")


def is_waited_for(_number):
    """Keep a worker of a pool so long that the others get work too."""
    time.sleep(0.2)
    work_in_child()


def terminates_a_pool():
    begin()
    with multiprocessing.get_context("fork").Pool(CHILDREN) as pool:
        pool.map(is_waited_for, range(CHILDREN), chunksize=1)
    tell()


def uses_a_process_pool():
    begin()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(
        CHILDREN, mp_context=context, initializer=set_up
    ) as pool:
        list(pool.map(is_waited_for, range(CHILDREN)))
    tell()


def load(requests):
    """Run as a persistent worker of a data loader, which leaves when its trainer is gone."""
    trainer = os.getppid()
    work_in_child()
    while os.getppid() == trainer:
        with contextlib.suppress(queue.Empty):
            requests.get(timeout=0.2)


def data_loader():
    begin()
    context = multiprocessing.get_context("fork")
    queues = [context.Queue() for _ in range(CHILDREN)]
    workers = [context.Process(target=load, args=(queue,), daemon=True) for queue in queues]
    for worker in workers:
        worker.start()
    return workers


def leaves_its_loader_running():
    data_loader()
    time.sleep(1.0)
    tell()


def terminates_its_loader():
    workers = data_loader()
    time.sleep(1.0)
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [-signal.SIGTERM] * CHILDREN
    tell()


def has_a_loader():
    data_loader()
    time.sleep(1.0)
    tell()
    wait()


def dies_hard_in_child(handle, ended):
    record_for_hopeless(handle)
    ended.release()
    wait()


def kills_its_children():
    handle = begin()
    ended = multiprocessing.Semaphore(0)
    context = multiprocessing.get_context("fork")
    children = [
        context.Process(target=dies_hard_in_child, args=(handle, ended)) for _ in range(CHILDREN)
    ]
    for child in children:
        child.start()
    for _ in children:
        ended.acquire()
    for child in children:
        child.kill()
        child.join()
    tell()


def forks(leave):
    """Fork children by `os.fork`, from threads, and wait for them."""
    handle = begin()

    def fork():
        pid = os.fork()
        if pid == 0:
            leave(handle)
        assert os.waitpid(pid, 0)[1] == 0

    threads = [threading.Thread(target=fork) for _ in range(CHILDREN)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tell()


def forks_in_threads():
    def leave(handle):
        work_in_child()
        os._exit(0 if handle.shutdown() else 1)

    forks(leave)


def forks_children_that_leave_at_once():
    def leave(handle):
        record_for_hopeless(handle)
        os._exit(0)

    forks(leave)


def forks_children_that_exit():
    begin()
    for _ in range(CHILDREN):
        if os.fork() == 0:
            work_in_child()
            return
    assert [os.wait()[1] for _ in range(CHILDREN)] == [0] * CHILDREN
    tell()


def starts_programs():
    begin()
    command = [sys.executable, __file__, "runs_to_its_end"]
    environment = child_environment(NemoLensConfig.from_env())
    programs = [
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        for _ in range(CHILDREN)
    ]
    assert [program.wait() for program in programs] == [0] * CHILDREN
    tell()


def is_a_prefork_server():
    """Workers handle SIGTERM themselves and leave by `sys.exit`, as those of gunicorn do."""
    begin()
    pids = [os.fork() for _ in range(1)]
    while pids[-1] and len(pids) < CHILDREN:
        pids.append(os.fork())
    if pids[-1] == 0:
        serve_until_told()
    signal.signal(signal.SIGTERM, lambda *_: [os.kill(pid, signal.SIGTERM) for pid in pids])
    time.sleep(1.0)
    tell()
    assert [os.wait()[1] for _ in pids] == [0] * CHILDREN


def serve_until_told():
    alive = [True]
    signal.signal(signal.SIGTERM, lambda *_: alive.clear())
    work_in_child()
    while alive:
        time.sleep(0.05)
    sys.exit(0)


def serves_with_uvicorn(application="app"):
    import uvicorn

    server = f"ends_server:{application}"
    uvicorn.run(server, host="127.0.0.1", port=0, workers=2, log_level="warning")


def serves_with_uvicorn_and_shuts_down():
    serves_with_uvicorn("app_that_shuts_down")


if __name__ == "__main__":
    # A shell without job control has what it starts in the background ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    globals()[sys.argv[1]]()
