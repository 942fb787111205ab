# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A job with worker processes of every kind: `worker_job.py <folder>`."""

import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry, span_attributes
from nemo.lens.contrib.child_processes import child_environment, environment_context
from nemo.lens.contrib.workers import Handover, carry_context

METHODS = ("fork", "forkserver", "spawn")
WORKERS = 8


def work(x):
    """Do what every worker does."""
    with managed_span("step", "worker_job.work", x=x):
        return x


def load(handover, worker, indices, batches):
    """Run as a data loader's worker does: initialised, then fed through queues."""
    handover(worker)
    for index in iter(indices.get, None):
        batches.put(work(index))


def loader(method, handover):
    """Start two workers as a data loader does, and have each make four batches."""
    context = multiprocessing.get_context(method)
    batches = context.Queue()
    queues = [context.Queue() for _ in range(2)]
    workers = [
        context.Process(target=load, args=(handover, worker, queue, batches), daemon=True)
        for worker, queue in enumerate(queues)
    ]
    for worker in workers:
        worker.start()
    for index in range(WORKERS):
        queues[index % 2].put(index)
    assert sorted(batches.get(timeout=60) for _ in range(WORKERS)) == list(range(WORKERS))
    for queue in queues:
        queue.put(None)
    for worker in workers:
        worker.join(60)


def processes(method, config):
    """Start a process for each call."""
    context = multiprocessing.get_context(method)
    call = carry_context(work, config, role="child")
    children = [context.Process(target=call, args=(x,)) for x in range(WORKERS)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * WORKERS


def pools(config):
    """Use pools of processes and threads, initialised or with calls that carry their context."""
    call = carry_context(work, config, role="pool")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(call, range(4))) == [0, 1, 2, 3]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(carry_context(work), range(4))) == [0, 1, 2, 3]
    with ThreadPoolExecutor(2, initializer=Handover.capture()) as pool:
        assert list(pool.map(work, range(4))) == [0, 1, 2, 3]


def program(folder, config):
    """Run a program."""
    command = [sys.executable, __file__, folder, "program"]
    subprocess.run(command, env=child_environment(config), check=True)


def ranks(folder):
    """Be each of two ranks in a process of its own, of which the last one exports."""
    for rank in range(2):
        subprocess.run([sys.executable, __file__, folder, "rank", str(rank)], check=True)


def run_rank(folder, rank):
    """Start workers by every method, under a rank that the program alone knows of."""
    config = NemoLensConfig(enabled=True, exporter="file", directory=folder, run_id="worker-job")
    config.span_groups = "all"
    handle = setup_telemetry(config, rank, 2)
    with managed_span("job", f"rank.{rank}"):
        for method in METHODS:
            processes(method, config)
    assert handle.shutdown()


def run_job(folder):
    config = NemoLensConfig(
        enabled=True, exporter="file", directory=folder, span_groups="all", run_id="worker-job"
    )
    handle = setup_telemetry(config, resource_attributes={"nv.dl.role": "parent"})
    for method in METHODS:
        with managed_span("job", f"processes.{method}"):
            processes(method, config)
        with managed_span("job", f"loader.{method}"), span_attributes({"dataset": "penguins"}):
            loader(method, Handover.capture(config, role="loader"))
    with managed_span("job", "pools"):
        pools(config)
    with managed_span("job", "program"):
        program(folder, config)
    assert handle.shutdown()
    ranks(folder)


def run_program():
    handle = setup_telemetry(
        NemoLensConfig.from_env(), resource_attributes={"nv.dl.role": "program"}
    )
    with environment_context():
        work(0)
    assert handle.shutdown()


if __name__ == "__main__":
    if sys.argv[2:] == ["program"]:
        run_program()
    elif sys.argv[2:3] == ["rank"]:
        run_rank(sys.argv[1], int(sys.argv[3]))
    else:
        run_job(sys.argv[1])
