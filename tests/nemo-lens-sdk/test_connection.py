# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""TLS files, credentials and id generators that variables name: used when good, told when bad."""

from __future__ import annotations

import logging
import os
import textwrap

import pytest

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry

pytestmark = pytest.mark.usefixtures("clean_environment")

OTLP = "OTEL_EXPORTER_OTLP"
PROTOCOLS = ("grpc", "http/protobuf")  # JSON shares all of this with the other one over HTTP

PLUGIN = """
import grpc
import requests
from opentelemetry.sdk.trace.id_generator import IdGenerator

class Session(requests.Session):
    def request(self, method, url, **options):
        self.headers["authorization"] = "Bearer of the provider"
        return super().request(method, url, **options)

class Sevens(IdGenerator):
    def generate_span_id(self):
        return 7
    def generate_trace_id(self):
        return 77

def credentials():
    import os
    with open(os.environ["QA_AUTHORITY"], "rb") as file:
        return grpc.ssl_channel_credentials(file.read())

def broken():
    raise RuntimeError("no token")
"""
ENTRY_POINTS = """
[opentelemetry_otlp_credential_provider]
session = qa_lens_plugin:Session
credentials = qa_lens_plugin:credentials
broken = qa_lens_plugin:broken
gone = qa_lens_plugin:gone

[opentelemetry_id_generator]
sevens = qa_lens_plugin:Sevens
broken = qa_lens_plugin:broken
numbers = builtins:int
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Install a distribution with entry points, for the time of a test."""
    (tmp_path / "qa_lens_plugin.py").write_text(PLUGIN, encoding="utf-8")
    metadata = tmp_path / "qa_lens_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: qa-lens-plugin\nVersion: 1.0\n", encoding="utf-8"
    )
    (metadata / "entry_points.txt").write_text(textwrap.dedent(ENTRY_POINTS), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.fixture(scope="module")
def certificates(receiver, tmp_path_factory):
    """Certificates of a server, of a client, and of somebody else; each with its key."""
    folder = tmp_path_factory.mktemp("certificates")
    return {
        name: receiver.make_certificate(folder, name) for name in ("server", "client", "stranger")
    }


@pytest.fixture
def start(receiver):
    """Start a receiver of a protocol; all are closed at the end."""
    running = []

    def start_one(protocol, **options):
        kind = receiver.GrpcReceiver if protocol == "grpc" else receiver.HttpReceiver
        running.append(kind(**options))
        return running[-1]

    yield start_one
    for each in running:
        each.close()


def _set_up():
    config = NemoLensConfig(
        enabled=True, span_groups="all", run_id="r", logs_enabled=True, sigterm_flush=False
    )
    return setup_telemetry(config, rank=0)


def _told(caplog):
    return [record.getMessage() for record in caplog.records if record.name == "nemo.lens.config"]


def _told_by_set_up(caplog):
    with caplog.at_level(logging.WARNING):
        handle = _set_up()
    assert handle.is_exporting
    handle.shutdown(0)
    return _told(caplog)


def _step(handle):
    with managed_span("step", "qa.step"):
        handle.meter.create_counter("qa.count").add(1)
        logging.getLogger("qa").warning("hello")


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("protocol", ["http/protobuf", "http/json"])
@pytest.mark.parametrize("infix", ["", "TRACES_"])
def test_a_session_that_authenticates_itself_is_used_and_watched(
    receiver, start, clean_environment, caplog, *, protocol, infix
):
    """What it sends is sent again when the collector is busy, as without it."""
    running = start(protocol, faults=receiver.Faults(statuses=[503]))
    variable = f"OTEL_PYTHON_EXPORTER_OTLP_HTTP_{infix}CREDENTIAL_PROVIDER"
    clean_environment(**running.environment(protocol), **{variable: "session"})
    with caplog.at_level(logging.WARNING):
        handle = _set_up()
    _step(handle)
    assert handle.flush(10_000)
    assert handle.shutdown()
    assert running.span_names() == ["qa.step"]
    assert running.log_bodies() == ["hello"]
    assert _told(caplog) == []
    authenticated = {
        signal
        for signal, headers in running.requests
        if headers.get("authorization") == "Bearer of the provider"
    }
    assert authenticated == ({"traces"} if infix else {"traces", "metrics", "logs"})


@pytest.mark.usefixtures("plugin")
def test_credentials_for_a_grpc_channel_are_used(receiver, start, clean_environment, certificates):
    """They may come from anywhere."""
    running = start("grpc", tls=receiver.Tls(*certificates["server"]))
    clean_environment(
        **running.environment("grpc"),
        OTEL_PYTHON_EXPORTER_OTLP_GRPC_CREDENTIAL_PROVIDER="credentials",
        QA_AUTHORITY=str(certificates["server"][0]),
    )
    handle = _set_up()
    _step(handle)
    assert handle.shutdown()
    assert running.span_names() == ["qa.step"]


BAD_PROVIDERS = [
    (protocol, provider, reason)
    for protocol in PROTOCOLS
    for provider, reason in (
        ("nobody's", "installed entry point"),
        ("broken", "no token"),
        ("gone", "installed entry point"),
        ("session", "expected grpc.ChannelCredentials")
        if protocol == "grpc"
        else ("credentials", "expected requests.Session"),
    )
]


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(("protocol", "provider", "reason"), BAD_PROVIDERS)
@pytest.mark.parametrize("infix", ["", "TRACES_"])
def test_a_bad_credential_provider_is_one_warning_and_none_is_used(
    clean_environment, caplog, certificates, *, protocol, provider, reason, infix
):
    """It stopped the job. OpenTelemetry raises in the middle of set-up."""
    transport = "GRPC" if protocol == "grpc" else "HTTP"
    variable = f"OTEL_PYTHON_EXPORTER_OTLP_{transport}_{infix}CREDENTIAL_PROVIDER"
    clean_environment(
        QA_AUTHORITY=str(certificates["server"][0]),
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT="https://127.0.0.1:9",
        **{variable: provider},
    )
    [told] = _told_by_set_up(caplog)
    for part in (variable, repr(provider), reason, "counts as unset"):
        assert part in told


@pytest.mark.usefixtures("plugin")
def test_ids_come_from_the_generator_that_is_named(clean_environment, http_receiver):
    """As with OpenTelemetry's own configuration."""
    clean_environment(**http_receiver.environment(), OTEL_PYTHON_ID_GENERATOR="sevens")
    handle = _set_up()
    _step(handle)
    assert handle.shutdown()
    [span] = http_receiver.spans()
    assert int.from_bytes(span.span_id, "big") == 7
    assert int.from_bytes(span.trace_id, "big") == 77


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("generator", "reason"),
    [("broken", "no token"), ("numbers", "expected an IdGenerator"), ("dice", "Expected")],
)
def test_a_bad_id_generator_is_one_warning(clean_environment, caplog, generator, reason):
    """The ids come from our own generator."""
    clean_environment(OTEL_PYTHON_ID_GENERATOR=generator)
    [told] = _told_by_set_up(caplog)
    for part in ("OTEL_PYTHON_ID_GENERATOR", repr(generator), reason, "counts as unset"):
        assert part in told


# Over HTTP a folder of certificates is a good authority.
BAD_FILES = [
    (protocol, kind, fault)
    for protocol in PROTOCOLS
    for kind in ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY")
    for fault in ("missing", "folder", "junk")
    if (kind, fault) != ("CERTIFICATE", "folder") or protocol == "grpc"
]


@pytest.mark.parametrize(("protocol", "kind", "fault"), BAD_FILES)
@pytest.mark.parametrize("infix", ["", "LOGS_"])
def test_a_bad_tls_file_is_one_warning_at_set_up(
    clean_environment, caplog, tmp_path, certificates, *, protocol, infix, kind, fault
):
    """It names the variable and the file. A missing key aborted the process over gRPC."""
    bad = {"missing": tmp_path / "none.pem", "folder": tmp_path, "junk": tmp_path / "junk.pem"}
    bad["junk"].write_text("junk", encoding="utf-8")
    authority, (client, key) = certificates["server"][0], certificates["client"]
    files = {"CERTIFICATE": authority, "CLIENT_CERTIFICATE": client, "CLIENT_KEY": key}
    files[kind] = bad[fault]
    clean_environment(
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT="https://127.0.0.1:9",
        **{f"{OTLP}_{infix}{name}": str(path) for name, path in files.items()},
    )
    [told] = _told_by_set_up(caplog)
    assert "counts as unset" in told
    if fault == "junk" and kind != "CERTIFICATE":
        # Which of the pair it is that does not fit is not known.
        assert f"{OTLP}_{infix}CLIENT_CERTIFICATE" in told
    else:
        assert f"{OTLP}_{infix}{kind}" in told
        assert str(bad[fault]) in told


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", ["CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"])
@pytest.mark.parametrize("is_pem", [True, False])
def test_what_a_tls_file_holds_in_place_of_its_path_is_one_warning_and_not_shown(
    clean_environment, caplog, certificates, *, protocol, kind, is_pem
):
    """No file name is that long, and nobody wants a key in a log."""
    authority, (client, key) = certificates["server"][0], certificates["client"]
    files = {"CERTIFICATE": authority, "CLIENT_CERTIFICATE": client, "CLIENT_KEY": key}
    values = {name: str(path) for name, path in files.items()}
    values[kind] = files[kind].read_text(encoding="utf-8") if is_pem else "k" * 10_000
    clean_environment(
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT="https://127.0.0.1:9",
        **{f"{OTLP}_{name}": value for name, value in values.items()},
    )
    [told] = _told_by_set_up(caplog)
    assert f"{OTLP}_{kind}" in told
    assert "counts as unset" in told
    assert "BEGIN" not in told
    assert len(told) < 400


@pytest.mark.parametrize("missing", ["CLIENT_CERTIFICATE", "CLIENT_KEY"])
def test_half_of_a_clients_pair_is_one_warning_over_grpc(
    clean_environment, caplog, certificates, missing
):
    """GRPC would abort the process at the first connection."""
    client, key = certificates["client"]
    files = {"CLIENT_CERTIFICATE": client, "CLIENT_KEY": key}
    del files[missing]
    clean_environment(
        OTEL_EXPORTER_OTLP_PROTOCOL="grpc",
        OTEL_EXPORTER_OTLP_ENDPOINT="https://127.0.0.1:9",
        OTEL_EXPORTER_OTLP_CERTIFICATE=str(certificates["server"][0]),
        **{f"{OTLP}_{name}": str(path) for name, path in files.items()},
    )
    [told] = _told_by_set_up(caplog)
    assert "only one of them is there" in told


ABORT = """
from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
handle = setup_telemetry(NemoLensConfig.from_env(), rank=0)
with managed_span("step", "qa.step"):
    pass
handle.flush(1000)
handle.shutdown(100)
print("alive")
"""


def test_a_missing_key_does_not_abort_the_process(run_python, certificates):
    """Seen in a process of its own, which is what would end."""
    process = run_python(
        ABORT,
        environment={
            "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://127.0.0.1:9",
            "OTEL_EXPORTER_OTLP_CERTIFICATE": str(certificates["server"][0]),
            "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": str(certificates["client"][0]),
            "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/no/such/file",
        },
    )
    assert process.stdout.strip() == "alive"
    assert process.stderr.count("OTEL_EXPORTER_OTLP_CLIENT_KEY") == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_files_that_fit_are_no_concern(clean_environment, caplog, certificates, protocol, tmp_path):
    """Neither is a pair in one file, over HTTP, nor a file that can be read once only."""
    client, key = certificates["client"]
    pair = tmp_path / "pair.pem"
    pair.write_bytes(client.read_bytes() + key.read_bytes())
    pipe = tmp_path / "pipe.pem"
    os.mkfifo(pipe)
    one_file = {f"{OTLP}_LOGS_CLIENT_CERTIFICATE": str(pair)}
    clean_environment(
        OTEL_EXPORTER_OTLP_PROTOCOL=protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT="https://127.0.0.1:9",
        OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE=str(certificates["server"][0]),
        OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE=str(client),
        OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY=str(key),
        **({} if protocol == "grpc" else {**one_file, f"{OTLP}_METRICS_CERTIFICATE": str(pipe)}),
    )
    assert _told_by_set_up(caplog) == []
