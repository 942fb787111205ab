# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a worker of uvicorn imports: a server that sets telemetry up and works on one request."""

import asyncio

import ends_job

handle = ends_job.set_up()


async def app(scope, receive, send):
    """Leave the end of telemetry to the signal."""
    await serve(scope, receive, send, before="early", after="last")


async def app_that_shuts_down(scope, receive, send):
    """End telemetry with the server."""

    async def send_after_shutdown(message):
        if message["type"] == "lifespan.shutdown.complete":
            await asyncio.to_thread(handle.shutdown)
        await send(message)

    await serve(scope, receive, send_after_shutdown, before="finished", after="finished")


async def serve(scope, receive, send, *, before, after):
    """Be told to end while a request is worked on."""
    assert scope["type"] == "lifespan"
    await receive()
    ends_job.finish(ends_job.SPANS // 2, before)
    ends_job.open_span()
    request = asyncio.create_task(work_on_a_request(after))
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await request
    await send({"type": "lifespan.shutdown.complete"})


async def work_on_a_request(name):
    """Begin before the end of the server is asked for, and finish spans after."""
    await asyncio.sleep(0.1)
    ends_job.tell()
    await asyncio.sleep(1)
    ends_job.finish(ends_job.SPANS // 2, name)
