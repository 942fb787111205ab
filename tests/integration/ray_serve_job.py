# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - the methods are routes
"""A driver asks a FastAPI application that Ray Serve runs in an actor: `ray_serve_job.py <folder>`."""

import socket
import sys

import httpx
import ray
from fastapi import FastAPI
from ray import serve

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.contrib.fastapi import instrument_fastapi
from nemo.lens.contrib.httpx import instrument_httpx
from nemo.lens.contrib.ray import actor_runtime_env, setup_actor_telemetry

app = FastAPI()
instrument_fastapi(app, service_name="judge")


@serve.deployment
@serve.ingress(app)
class Judge:
    """The replica, to which Serve pickles the application."""

    def __init__(self):
        setup_actor_telemetry("judge")

    @app.post("/judge")
    def judge(self, token: str = ""):
        with managed_span("step", "ray_serve_job.score"):
            return {"length": len(token)}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main():
    config = NemoLensConfig(
        enabled=True,
        exporter="file",
        directory=sys.argv[1],
        span_groups="all",
        metrics_enabled=False,
    )
    runtime_env = actor_runtime_env(config)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=runtime_env)
    handle = setup_telemetry(config, resource_attributes={"nv.dl.role": "driver"})
    port = free_port()
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    serve.run(Judge.bind())
    instrument_httpx()
    with managed_span("job", "ray_serve_job.drive"):
        answer = httpx.post(f"http://127.0.0.1:{port}/judge?token=s3cret", timeout=60)
        assert answer.json() == {"length": 6}
    assert handle.shutdown()
    serve.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main()
