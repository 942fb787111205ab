# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One process of a job over HTTP: `http_job.py <folder> <role> [<url of the next process>]`.

A server prints its URL and serves until its standard input ends.
"""

import socket
import sys
import threading

import aiohttp
import httpx
import uvicorn
from fastapi import FastAPI

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.contrib.aiohttp import instrument_aiohttp_client
from nemo.lens.contrib.fastapi import instrument_fastapi
from nemo.lens.contrib.httpx import instrument_httpx

folder, role, *following = sys.argv[1:]

app = FastAPI()


@app.post("/rollout")
async def rollout(token: str = ""):
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{following[0]}/judge?token={token}") as response,
    ):
        return await response.json()


@app.post("/judge")
def judge(token: str = ""):
    with managed_span("step", "http_job.score"):
        return {"length": len(token)}


def serve():
    instrument_fastapi(app, service_name=f"{role}-server")
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)  # noqa: T201 -- tells the test
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    threading.Thread(
        target=lambda: (sys.stdin.read(), setattr(server, "should_exit", True))
    ).start()
    server.run(sockets=[listener])


def drive():
    instrument_httpx()
    with managed_span("job", "http_job.drive"):
        answer = httpx.post(f"{following[0]}/rollout?token=s3cret", content=b"s3cret body")
        assert answer.json() == {"length": 6}


config = NemoLensConfig(enabled=True, exporter="file", directory=folder, run_id="http-job")
config.span_groups = "all"
handle = setup_telemetry(config, resource_attributes={"nv.dl.role": role})
instrument_aiohttp_client()
drive() if role == "driver" else serve()
assert handle.shutdown()
