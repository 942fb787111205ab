# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A request between a real aiohttp client and a FastAPI application stays in one trace."""

import asyncio
import socket
import threading
import time

import aiohttp
import pytest
import uvicorn
from fastapi import FastAPI
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens.contrib.aiohttp import instrument_aiohttp_client, uninstrument_aiohttp_client
from nemo.lens.contrib.fastapi import instrument_fastapi, uninstrument_fastapi

pytestmark = pytest.mark.integration


@pytest.fixture
def exporter():
    """Install a provider whose finished spans can be read."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def address():
    """Serve an instrumented application on a loopback port."""
    app = FastAPI()

    @app.get("/rollout")
    async def rollout(token: str = ""):
        return {"length": len(token)}

    instrument_fastapi(app, service_name="math-server")
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)
    uninstrument_fastapi(app)


async def get(url):
    """Send one request and return its answer."""
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return await response.json()


def finished(exporter, kind):
    """Wait for the one span of a kind: the server ends its span after the answer is sent."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        spans = [span for span in exporter.get_finished_spans() if span.kind is kind]
        if spans:
            (span,) = spans
            return span
        time.sleep(0.01)
    raise AssertionError(f"no span of kind {kind}")


def test_client_and_server_spans_are_one_trace(exporter, address):
    """The server's span is a child of the client's; neither records the query string."""
    instrument_aiohttp_client()
    instrument_aiohttp_client()
    try:
        assert asyncio.run(get(f"{address}/rollout?token=abc")) == {"length": 3}
    finally:
        uninstrument_aiohttp_client()
    client = finished(exporter, trace.SpanKind.CLIENT)
    server = finished(exporter, trace.SpanKind.SERVER)
    assert server.parent.span_id == client.context.span_id
    assert server.context.trace_id == client.context.trace_id
    assert server.attributes["service.name"] == "math-server"
    assert "token=" not in repr([dict(client.attributes), dict(server.attributes)])


def test_after_undoing_no_client_span_is_made(exporter, address):
    """Uninstrumenting twice is harmless."""
    instrument_aiohttp_client()
    uninstrument_aiohttp_client()
    uninstrument_aiohttp_client()
    asyncio.run(get(f"{address}/rollout"))
    kinds = [span.kind for span in exporter.get_finished_spans()]
    assert trace.SpanKind.CLIENT not in kinds
