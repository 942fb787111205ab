# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the methods are scenarios
"""A job on a local Ray cluster: every scenario is a span of the driver that remote work joins.

Run as a script, so that Ray carries its functions and classes by value. The first argument is the
folder for the recorded run.
"""

import asyncio
import contextlib
import functools
import json
import os
import signal
import sys
import time
from pathlib import Path

import ray
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry, trace_fn
from nemo.lens.contrib.collapsed_metrics import CollapsedMetrics
from nemo.lens.contrib.ray import (
    CARRIER_KEYWORD,
    KILL_LOSS_MS,
    actor_runtime_env,
    ray_dispatch_with_context,
    record_over_actors,
    setup_actor_telemetry,
    traced_remote_call,
)

SIMULATED_RANKS, SLOW_RANK = 512, 77
LONGER_THAN_THE_LOSS_S = 4 * KILL_LOSS_MS / 1000


def current_trace():
    """Return the trace id that is current, as the process that runs this sees it."""
    return f"{trace.get_current_span().get_span_context().trace_id:032x}"


set_up_task = functools.partial(setup_actor_telemetry, "task")


@ray.remote
@traced_remote_call(name="ray_job.task", setup=set_up_task)
def task(x):
    with managed_span("step", "ray_job.inside_task"):
        return x + 1


@ray.remote(max_retries=1, retry_exceptions=True)
@traced_remote_call(name="ray_job.flaky", setup=set_up_task)
def flaky(marker):
    if not Path(marker).exists():
        Path(marker).touch()
        raise RuntimeError("first attempt")
    return current_trace()


@ray.remote
@traced_remote_call(name="ray_job.stream", setup=set_up_task)
def stream(n):
    for i in range(n):
        yield i, current_trace()


@ray.remote
@traced_remote_call(span=False)
def untraced(x):
    return x, current_trace()


def scaled(factor, x, y=0):
    return factor * x + y


class Doubler:
    """A callable object."""

    def __call__(self, x):
        return 2 * x


@ray.remote
class Trainer:
    """An ordinary actor, which calls a nested one inside of its own calls."""

    def __init__(self, rank):
        setup_actor_telemetry("trainer", rank=rank, world_size=2)
        self.judge = Judge.remote()

    @traced_remote_call
    def train(self, x, *, y=2):
        with managed_span("step", "ray_job.step", iteration=x):
            return x + y

    @ray.method(num_returns=2)
    @traced_remote_call(group="step")
    def pair(self):
        return 1, current_trace()

    @trace_fn("step", "ray_job.outer")
    @traced_remote_call(name="ray_job.inner")
    def decorated_twice(self):
        return current_trace()

    @traced_remote_call(name="ray_job.train_and_judge")
    def train_and_judge(self):
        return ray.get(ray_dispatch_with_context(self.judge.judge))

    @traced_remote_call(group="absent")
    def gated(self):
        return current_trace()

    @traced_remote_call(name="ray_job.failing")
    def failing(self):
        raise ValueError("no such batch")

    def leftover(self):
        """Return the trace that is current in a call that carries none."""
        return current_trace()

    @traced_remote_call(name="ray_job.items")
    def items(self, n):
        for i in range(n):  # noqa: UP028 -- Ray sends values in, a range would not take them
            yield i


@ray.remote(num_cpus=0)
class Judge:
    """The nested actor."""

    def __init__(self):
        setup_actor_telemetry("judge")

    @traced_remote_call(name="ray_job.judge")
    def judge(self):
        return current_trace()


@ray.remote
class AsyncGenerator:
    """An async actor, whose calls overlap."""

    def __init__(self):
        setup_actor_telemetry("generator")

    @traced_remote_call(name="ray_job.generate")
    async def generate(self, delay_s):
        await asyncio.sleep(delay_s)
        return current_trace()

    @traced_remote_call(name="ray_job.tokens")
    async def tokens(self, n):
        for i in range(n):
            await asyncio.sleep(0)
            yield i, current_trace()

    async def leftover(self):
        return current_trace()


@ray.remote(max_concurrency=4)
class Threaded:
    """An actor whose calls run in a pool of threads."""

    def __init__(self):
        setup_actor_telemetry("threaded")

    @traced_remote_call(name="ray_job.threaded")
    def work(self):
        time.sleep(0.1)
        return current_trace()


@ray.remote(max_restarts=1, max_task_retries=-1)
class Mortal:
    """An actor that dies."""

    def __init__(self, rank):
        setup_actor_telemetry("mortal", rank=rank, world_size=8)

    @traced_remote_call(name="ray_job.before_death")
    def work(self):
        return os.getpid()

    @traced_remote_call(name="ray_job.last_words")
    def die(self, marker):
        if Path(marker).exists():
            return os.getpid()
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
        return None


def dispatched(remote_fn, *args, **kwargs):
    """Dispatch, and wait for the result."""
    return ray.get(ray_dispatch_with_context(remote_fn, *args, **kwargs))


@contextlib.contextmanager
def scenario(name):
    """Open the span of one scenario, yielding its trace id."""
    with managed_span("job", f"scenario.{name}"):
        yield current_trace()


def tasks(folder):
    with scenario("tasks") as here:
        assert dispatched(task, 1) == 2
        assert dispatched(task.options(name="named"), x=1) == 2
        assert dispatched(untraced, 5) == (5, here)
        assert dispatched(flaky, str(folder / "attempted")) == here
        partial = ray.remote(traced_remote_call(functools.partial(scaled, 3)))
        assert dispatched(partial, 2, y=1) == 7
        assert dispatched(ray.remote(traced_remote_call(Doubler())), 4) == 8
        for carrier in ({}, {"traceparent": None}, {"traceparent": "x"}, [], "junk"):
            assert ray.get(task.remote(1, **{CARRIER_KEYWORD: carrier})) == 2
    assert ray.get(task.remote(1)) == 2


def generators():
    with scenario("generators") as here:
        items = [ray.get(item) for item in ray_dispatch_with_context(stream, 3)]
        assert items == [(0, here), (1, here), (2, here)], items


def actors():
    trainers = [Trainer.remote(rank) for rank in range(2)]
    with scenario("actors") as here:
        references = [ray_dispatch_with_context(t.train, 1, y=3) for t in trainers]
        assert ray.get(references) == [4, 4]
        number, inside = dispatched(trainers[0].pair)
        assert (number, inside) == (1, here)
        assert dispatched(trainers[0].decorated_twice) == here
        assert dispatched(trainers[0].train_and_judge) == here
        assert dispatched(trainers[0].gated) == here
        items = ray_dispatch_with_context(trainers[1].items, 2)
        assert [ray.get(item) for item in items] == [0, 1]
        with contextlib.suppress(ValueError):
            dispatched(trainers[1].failing)
        assert ray.get(trainers[1].leftover.remote()) == f"{0:032x}"
    # Ray kills the nested actor at once when the one that owns it goes out of scope.
    time.sleep(LONGER_THAN_THE_LOSS_S)


def async_actors():
    generator = AsyncGenerator.remote()
    with scenario("async_actors") as here:
        slow = ray_dispatch_with_context(generator.generate, 0.3)
        quick = ray_dispatch_with_context(generator.generate, 0.01)
        assert ray.get([quick, slow]) == [here, here]
        tokens = ray_dispatch_with_context(generator.tokens, 2)
        assert [ray.get(token) for token in tokens] == [(0, here), (1, here)]
        endless = ray_dispatch_with_context(generator.generate, 60)
        time.sleep(0.3)
        ray.cancel(endless)
        with contextlib.suppress(ray.exceptions.TaskCancelledError, ray.exceptions.RayTaskError):
            ray.get(endless)
        assert ray.get(generator.leftover.remote()) == f"{0:032x}"


def threaded_actors():
    worker = Threaded.remote()

    def one(name):
        with scenario(name) as here:
            return ray_dispatch_with_context(worker.work), here

    calls = [one(f"threads_{i}") for i in range(4)]
    assert [ray.get(reference) for reference, _ in calls] == [here for _, here in calls]


def deaths(folder):
    with scenario("deaths"):
        restarted = Mortal.remote(5)
        before = dispatched(restarted.work)
        assert dispatched(restarted.die, str(folder / "died")) != before
        killed = Mortal.remote(6)
        dispatched(killed.work)
        time.sleep(LONGER_THAN_THE_LOSS_S)
        ray.kill(killed)


@ray.remote(num_cpus=0)
class Measured:
    """Gives the metrics of a rank, as a call of the training loop does."""

    def step(self, rank):
        if rank == SIMULATED_RANKS - 1:
            raise ValueError("no such batch")
        if rank == SIMULATED_RANKS - 2:
            return "no metrics"
        return {"job.step.duration": 9.0 if rank == SLOW_RANK else 1.0 + rank / 1000}

    def hang(self):
        time.sleep(3600)


def metrics(folder):
    """Record 512 ranks, of which some fail, and an actor that died beside one that hangs."""
    reader = InMemoryMetricReader()
    meter = MeterProvider(metric_readers=[reader]).get_meter("job")
    collapsed = CollapsedMetrics({"job.step.duration": "s"}, meter)
    pool = [Measured.remote() for _ in range(2)]
    references = [pool[rank % 2].step.remote(rank) for rank in range(SIMULATED_RANKS)]
    answered = record_over_actors(collapsed, references, timeout_s=60)
    read = json.loads(reader.get_metrics_data().to_json())
    hanging = [actor.hang.remote() for actor in pool]
    ray.kill(pool[1])
    began = time.monotonic()
    dead = record_over_actors(collapsed, hanging, timeout_s=1)
    result = {
        "answered": answered,
        "dead": dead,
        "waited_s": time.monotonic() - began,
        "read": read["resource_metrics"][0]["scope_metrics"][0]["metrics"],
    }
    (folder / "metrics.json").write_text(json.dumps(result))
    ray.kill(pool[0])


def main():
    folder = Path(sys.argv[1])
    config = NemoLensConfig(
        enabled=True,
        exporter="file",
        directory=str(folder / "runs"),
        span_groups="all",
        export_strategy="all_ranks",
        metrics_enabled=False,
    )
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env=actor_runtime_env(config),
    )
    handle = setup_telemetry(config, resource_attributes={"nv.dl.role": "driver"})
    tasks(folder)
    generators()
    actors()
    async_actors()
    threaded_actors()
    deaths(folder)
    metrics(folder)
    assert handle.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main()
