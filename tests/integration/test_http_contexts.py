# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Requests between real clients and FastAPI applications: spans, their undoing, and their secrets."""

import asyncio
import contextlib
import socket
import threading
import time

import aiohttp
import cloudpickle
import httpx
import pytest
import requests
import uvicorn
from fastapi import FastAPI
from opentelemetry import context, trace
from opentelemetry.instrumentation.aiohttp_client import AioHttpClientInstrumentor
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from nemo.lens.contrib.aiohttp import instrument_aiohttp_client, uninstrument_aiohttp_client
from nemo.lens.contrib.fastapi import instrument_fastapi, uninstrument_fastapi
from nemo.lens.contrib.httpx import instrument_httpx, uninstrument_httpx
from nemo.lens.contrib.requests import instrument_requests, uninstrument_requests

pytestmark = pytest.mark.integration


def install_provider():
    """Install a provider whose finished spans can be read from the exporter that this returns."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def exporter():
    return install_provider()


slow_requests = []
"""A plain list, because applications are pickled together with it."""


def rollout_application(**options):
    app = FastAPI(**options)

    @app.get("/rollout")
    async def rollout(token: str = ""):
        return {"length": len(token)}

    @app.get("/slow")
    async def slow():
        slow_requests.append(True)
        await asyncio.sleep(1)
        return {}

    @app.get("/broken")
    async def broken():
        raise ValueError("no answer from 'http://user:pa'55@judge/x?q='s3cret'&token=s3cret'")

    @app.get("/health")
    async def health():
        return {}

    return app


@contextlib.contextmanager
def served(app, lifespan="off"):
    """Serve an application on a loopback port, yielding its address."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan=lifespan))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


@pytest.fixture
def address():
    """Serve an instrumented application."""
    app = rollout_application()
    instrument_fastapi(app, service_name="math-server")
    with served(app) as url:
        yield url
    uninstrument_fastapi(app)


async def get_with_aiohttp(url):
    async with aiohttp.ClientSession(raise_for_status=True) as session, session.get(url) as answer:
        return await answer.json()


async def get_with_async_httpx(url):
    async with httpx.AsyncClient() as client:
        return (await client.get(url)).raise_for_status().json()


CLIENTS = {
    "aiohttp": (
        instrument_aiohttp_client,
        uninstrument_aiohttp_client,
        lambda url: asyncio.run(get_with_aiohttp(url)),
    ),
    "httpx": (instrument_httpx, uninstrument_httpx, lambda url: httpx.get(url).json()),
    "httpx-async": (
        instrument_httpx,
        uninstrument_httpx,
        lambda url: asyncio.run(get_with_async_httpx(url)),
    ),
    "requests": (
        instrument_requests,
        uninstrument_requests,
        lambda url: requests.get(url, timeout=10).json(),
    ),
}


@pytest.fixture(params=CLIENTS)
def client(request):
    """Instrument a client library twice; give the function that sends a request."""
    instrument, uninstrument, get = CLIENTS[request.param]
    instrument()
    instrument()
    yield get
    uninstrument()
    uninstrument()


def wait_for(condition):
    """Wait until a condition holds, and return its value."""
    deadline = time.monotonic() + 10
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
    return value


def finished(exporter, kind):
    """Wait for the one span of a kind: the server ends its span after the answer is sent."""

    def of_kind():
        return [span for span in exporter.get_finished_spans() if span.kind is kind]

    (span,) = wait_for(of_kind)
    return span


def test_client_and_server_spans_are_one_trace(exporter, address, client):
    """The server's span is a child of the client's; neither records the query string."""
    assert client(f"{address}/rollout?token=xyz") == {"length": 3}
    requested, served_span = (
        finished(exporter, SpanKind.CLIENT),
        finished(exporter, SpanKind.SERVER),
    )
    assert served_span.parent.span_id == requested.context.span_id
    assert served_span.context.trace_id == requested.context.trace_id
    assert served_span.attributes["service.name"] == "math-server"
    assert "xyz" not in exported(exporter)
    assert len(exporter.get_finished_spans()) == 2


OUR_SERVER_SPANS = "opentelemetry.instrumentation.fastapi"
"""Newer versions of FastAPI have spans of their own, which ours replace while they are on."""


def scopes(exporter):
    """Return the names of the scopes that the finished spans have."""
    return {span.instrumentation_scope.name for span in exporter.get_finished_spans()}


def exported(exporter):
    """Return everything about the finished spans as text."""
    return "".join(span.to_json() for span in exporter.get_finished_spans())


@pytest.mark.parametrize("path", ["rollout", "missing"])
@pytest.mark.parametrize("stability", ["http", "http/dup"])
def test_the_newer_conventions_record_no_query_either(
    exporter, address, monkeypatch, path, stability
):
    """They have attributes of other names; an answer of 404 raises an exception with the URL."""
    monkeypatch.setenv("OTEL_SEMCONV_STABILITY_OPT_IN", stability)
    for instrument, uninstrument, get in CLIENTS.values():
        instrument()
        with contextlib.suppress(aiohttp.ClientResponseError, httpx.HTTPStatusError):
            get(f"{address}/{path}?token=xyz&key=xyz")
        uninstrument()
    assert "xyz" not in exported(exporter)


def test_a_failed_request_is_an_error_without_the_query(exporter, client):
    """Libraries put URLs into the texts of their exceptions."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises((aiohttp.ClientError, httpx.HTTPError, requests.RequestException)):
        client(f"http://user:pa55@127.0.0.1:{port}/rollout?token=s3c" + "ret")
    span = finished(exporter, SpanKind.CLIENT)
    assert span.status.status_code is trace.StatusCode.ERROR
    assert [event.name for event in span.events] == ["exception"]
    assert "s3cret" not in exported(exporter)
    assert "pa55@" not in exported(exporter)


@pytest.mark.parametrize("stability", ["http", "http/dup", ""])
def test_a_failed_answer_is_an_error_without_the_urls_in_it(
    exporter, address, monkeypatch, stability
):
    """Whatever the application was told by others: quotes do not end a query or a password."""
    monkeypatch.setenv("OTEL_SEMCONV_STABILITY_OPT_IN", stability)
    assert httpx.get(f"{address}/broken?token=s3cret").status_code == 500
    span = finished(exporter, SpanKind.SERVER)
    assert span.status.status_code is trace.StatusCode.ERROR
    assert {event.name for event in span.events} == {"exception"}
    assert "no answer from 'http://judge/x?[REDACTED]" in exported(exporter)
    assert "s3cret" not in exported(exporter)
    assert "55@" not in exported(exporter)


@pytest.mark.parametrize("library", ["aiohttp", "httpx-async"])
def test_a_cancelled_request_ends_its_span_and_leaves_nothing_attached(exporter, address, library):
    """Marked as cancelled on the client's side; the server's span ends too."""
    instrument, uninstrument, _ = CLIENTS[library]
    get = {"aiohttp": get_with_aiohttp, "httpx-async": get_with_async_httpx}[library]

    async def cancel():
        before = context.get_current()
        request = asyncio.create_task(get(f"{address}/slow?token=xyz"))
        await asyncio.to_thread(wait_for, lambda: slow_requests)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert context.get_current() == before

    slow_requests.clear()
    instrument()
    asyncio.run(cancel())
    uninstrument()
    cancelled = finished(exporter, SpanKind.CLIENT)
    assert cancelled.status.status_code is trace.StatusCode.ERROR
    assert cancelled.attributes["nemo.span.cancelled"] is True
    assert finished(exporter, SpanKind.SERVER).parent.span_id == cancelled.context.span_id
    assert "xyz" not in exported(exporter)


@pytest.mark.parametrize("library", CLIENTS)
def test_after_undoing_no_client_span_is_made(exporter, address, library):
    """And the server sees no trace context."""
    instrument, uninstrument, get = CLIENTS[library]
    instrument()
    uninstrument()
    get(f"{address}/rollout")
    assert finished(exporter, SpanKind.SERVER).parent is None
    assert [span.kind for span in exporter.get_finished_spans()] == [SpanKind.SERVER]


def test_clients_instrumented_before_set_up_are_traced_after_it(address, client):
    """The provider of the moment counts."""
    client(f"{address}/rollout")
    exporter = install_provider()
    client(f"{address}/rollout")
    client_span, server_span = (
        finished(exporter, SpanKind.CLIENT),
        finished(exporter, SpanKind.SERVER),
    )
    assert server_span.parent.span_id == client_span.context.span_id


def test_an_application_instrumented_in_its_lifespan_is_traced(client):
    """Set-up may come after that."""
    exporters = []

    @contextlib.asynccontextmanager
    async def lifespan(app):
        instrument_fastapi(app)
        exporters.append(install_provider())
        yield

    with served(rollout_application(lifespan=lifespan), lifespan="on") as url:
        wait_for(lambda: exporters)
        client(f"{url}/rollout")
        assert finished(exporters[0], SpanKind.SERVER).parent is not None
        assert OUR_SERVER_SPANS in scopes(exporters[0])


def test_a_second_instrumentation_adds_no_second_span(exporter, client, caplog):
    """The first settings stay, and nothing is logged."""
    app = rollout_application()
    instrument_fastapi(app, "first")
    instrument_fastapi(app, "second")
    with served(app) as url:
        client(f"{url}/rollout")
        assert finished(exporter, SpanKind.SERVER).attributes["service.name"] == "first"
    assert caplog.records == []


def test_an_application_can_be_uninstrumented_while_it_serves(exporter, address, client):
    """Twice is harmless, and so is an application that never was instrumented."""
    app = rollout_application()
    uninstrument_fastapi(app)
    instrument_fastapi(app)
    with served(app) as url:
        client(f"{url}/rollout")
        finished(exporter, SpanKind.SERVER)
        exporter.clear()
        uninstrument_fastapi(app)
        uninstrument_fastapi(app)
        client(f"{url}/rollout")
        assert OUR_SERVER_SPANS not in scopes(exporter)


def test_excluded_urls_get_no_server_span(exporter, client):
    """Health checks would be most of all spans."""
    app = rollout_application()
    instrument_fastapi(app, excluded_urls="health,ready")
    with served(app) as url:
        client(f"{url}/health")
        client(f"{url}/rollout")
        assert finished(exporter, SpanKind.SERVER).name == "GET /rollout"


def test_an_instrumentation_of_others_gives_way(exporter):
    """OpenTelemetry's launcher instruments a process by itself, and records whole URLs."""
    instrumentors = [HTTPXClientInstrumentor(), RequestsInstrumentor(), AioHttpClientInstrumentor()]
    for theirs in instrumentors:
        theirs.instrument()
    app = rollout_application()
    FastAPIInstrumentor.instrument_app(app)
    instrument_fastapi(app, "math-server")
    with served(app) as url:
        for library in ("aiohttp", "httpx", "requests"):
            instrument, uninstrument, get = CLIENTS[library]
            instrument()
            get(f"{url}/rollout?token=s3cret")
            uninstrument()
    spans = exporter.get_finished_spans()
    assert [span.kind for span in spans].count(SpanKind.CLIENT) == 3
    assert [span.kind for span in spans].count(SpanKind.SERVER) == 3
    assert "s3cret" not in repr([span.to_json() for span in spans])
    assert {s.attributes["service.name"] for s in spans if s.kind is SpanKind.SERVER} == {
        "math-server"
    }


def test_an_instrumentation_of_others_is_not_undone():
    """Who put it there takes it away."""
    theirs = HTTPXClientInstrumentor()
    theirs.instrument()
    uninstrument_httpx()
    assert theirs.is_instrumented_by_opentelemetry
    theirs.uninstrument()


def test_an_application_never_sees_a_bad_pattern_in_a_variable(address, monkeypatch, caplog):
    """OpenTelemetry would raise in each new session; one warning names the variable."""
    monkeypatch.setenv("OTEL_PYTHON_EXCLUDED_URLS", "(health")
    monkeypatch.setenv("OTEL_PYTHON_AIOHTTP_CLIENT_EXCLUDED_URLS", "*")
    for instrument, uninstrument, get in CLIENTS.values():
        instrument()
        get(f"{address}/rollout")
        uninstrument()
    assert sorted(record.args[0] for record in caplog.records) == [
        "OTEL_PYTHON_AIOHTTP_CLIENT_EXCLUDED_URLS",
        "OTEL_PYTHON_EXCLUDED_URLS",
    ]
    assert "'(health'" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"app": None}, "`app` must be a fastapi.FastAPI application, got None"),
        ({"service_name": None}, "`service_name` must be text, got None"),
        ({"excluded_urls": ["health"]}, r"`excluded_urls` .* got \['health'\]"),
        ({"excluded_urls": "(health"}, r"`excluded_urls` .* got '\(health'"),
    ],
)
def test_a_bad_argument_is_named(arguments, named):
    """With what is accepted; nothing is half instrumented."""
    app = FastAPI()
    with pytest.raises(ValueError, match=named):
        instrument_fastapi(**{"app": app} | arguments)
    uninstrument_fastapi(app)
    assert app.middleware_stack is None


def test_a_pickled_application_is_instrumented_alike(exporter, client):
    """Ray Serve sends applications to its replicas; also after they have served."""
    app = rollout_application()
    instrument_fastapi(app, "replica", excluded_urls="health")
    with served(app) as url:
        client(f"{url}/health")
    exporter.clear()
    app.state.model = "policy"
    copy = cloudpickle.loads(cloudpickle.dumps(app))
    with served(copy) as url:
        client(f"{url}/health")
        client(f"{url}/rollout")
        assert finished(exporter, SpanKind.SERVER).attributes["service.name"] == "replica"
    assert copy.state.model == "policy"
    uninstrument_fastapi(copy)
    plain = cloudpickle.loads(cloudpickle.dumps(copy))
    exporter.clear()
    with served(plain) as url:
        client(f"{url}/rollout")
    assert OUR_SERVER_SPANS not in scopes(exporter)
