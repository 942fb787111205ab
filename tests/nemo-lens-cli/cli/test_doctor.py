# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The doctor against planted faults: real variables, folders, ports, packages and receivers."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import NamedTuple

import pytest

ON = {"NEMO_LENS_ENABLED": "1", "NEMO_LENS_EXPORTER": "file"}
ON_OTLP = {"NEMO_LENS_ENABLED": "1", "NEMO_LENS_LOGS_ENABLED": "1"}
LOSES = "loses data"


class Answer(NamedTuple):
    """What the doctor answered."""

    status: int
    findings: list
    json: dict

    def titles(self, verdict):
        """The findings of a verdict, by their titles."""
        return [each["title"] for each in self.findings if each["verdict"] == verdict]

    def of(self, check):
        """The findings of a check."""
        return [each for each in self.findings if each["check"] == check]


@pytest.fixture
def doctor(call, without_telemetry, monkeypatch, tmp_path):
    """Ask the doctor in an empty folder, with these variables set."""

    def ask(*arguments, cwd=tmp_path, **variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(cwd)
        status, out, err = call("doctor", "--json", "--timeout", "3", *map(str, arguments))
        assert err == ""
        answer = json.loads(out)
        loses = any(each["verdict"] == LOSES for each in answer["findings"])
        assert status == int(loses)
        assert answer["problems"] == [
            each["title"] for each in answer["findings"] if each["verdict"] == LOSES
        ]
        return Answer(status, answer["findings"], answer)

    return ask


@pytest.fixture
def free_port():
    """A port on which nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


# The ten faults, and what they look like when there is none.


@pytest.mark.parametrize("kind", ["http_receiver", "grpc_receiver"])
def test_a_span_a_metric_and_a_log_record_are_delivered(doctor, request, kind):
    """They arrive at the receiver, with a role that tells them from those of the job."""
    receiver = request.getfixturevalue(kind)

    answer = doctor(**ON_OTLP, **receiver.environment())

    assert answer.status == 0
    assert [each["verdict"] for each in answer.of("delivery")] == ["fine"] * 3
    assert receiver.span_names() == ["lens.doctor.delivery"]
    assert "nemo.lens.doctor.deliveries" in receiver.metric_names()
    assert receiver.log_bodies() == ["nemo-lens doctor: a test record"]
    assert receiver.resources()[0]["nv.dl.role"] == "doctor"


def test_a_dead_endpoint_is_found(doctor, free_port):
    """Nobody listens: data is lost, and the variable is named."""
    answer = doctor(**ON_OTLP, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{free_port}")

    (title,) = answer.titles(LOSES)
    assert title.startswith(f"Nothing answers at http://127.0.0.1:{free_port}")
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in title
    assert "Connection refused" in title
    assert not answer.of("delivery")


def test_a_host_that_does_not_exist_is_found(doctor):
    """Told from one that refuses."""
    answer = doctor(**ON_OTLP, OTEL_EXPORTER_OTLP_ENDPOINT="http://collector.invalid:4317")

    assert "the name of the host is not known" in answer.titles(LOSES)[0]


@pytest.mark.parametrize(
    "case",
    [
        ("HttpReceiver", "grpc", "HTTP/1.1", "http/protobuf"),
        ("GrpcReceiver", "http/protobuf", "gRPC", "grpc"),
    ],
)
@pytest.mark.parametrize("secure", [False, True])
def test_the_wrong_protocol_is_found(doctor, receiver, tmp_path, case, secure):
    """HTTP to a gRPC port and back are told apart, with TLS and without."""
    kind, protocol, spoken, advice = case
    tls = receiver.Tls(*receiver.make_certificate(tmp_path, "localhost")) if secure else None
    running = getattr(receiver, kind)(tls=tls)
    try:
        answer = doctor(**ON_OTLP, **running.environment(protocol))
    finally:
        running.close()

    (finding,) = answer.of("endpoint")
    assert finding["verdict"] == LOSES
    assert f"speaks {spoken} and does not understand traces, metrics, logs" in finding["title"]
    assert f"export OTEL_EXPORTER_OTLP_PROTOCOL={advice}" in finding["advice"]


@pytest.mark.parametrize("kind", ["HttpReceiver", "GrpcReceiver"])
def test_the_wrong_port_is_found(doctor, receiver, monkeypatch, kind, free_port):
    """The usual port of the same host that does answer is named."""
    try:
        running = getattr(receiver, kind)(port=4318 if kind == "HttpReceiver" else 4317)
    except (OSError, RuntimeError):
        pytest.skip("somebody else listens on the usual port")
    try:
        answer = doctor(
            **ON_OTLP, **running.environment() | {
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{free_port}"
            }
        )  # fmt: skip
    finally:
        running.close()

    (finding,) = answer.of("endpoint")
    assert finding["verdict"] == LOSES
    assert f"127.0.0.1:{running.port} speaks" in finding["advice"]


@pytest.mark.parametrize(
    "case",
    [(True, "http", "Write https://"), (False, "https", "Write http://")],
)
def test_a_scheme_that_does_not_fit_is_found(doctor, receiver, tmp_path, case):
    """Plain text to a server that wants TLS, and back."""
    secure, scheme, advice = case
    tls = receiver.Tls(*receiver.make_certificate(tmp_path, "localhost")) if secure else None
    running = receiver.HttpReceiver(tls=tls)
    try:
        answer = doctor(
            **ON_OTLP,
            OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
            OTEL_EXPORTER_OTLP_ENDPOINT=f"{scheme}://127.0.0.1:{running.port}",
        )
    finally:
        running.close()

    (finding,) = answer.of("endpoint")
    assert (finding["verdict"], finding["advice"].startswith(advice)) == (LOSES, True)


def test_a_collector_that_refuses_is_found(doctor, http_receiver):
    """It listens and speaks the protocol, and still nothing arrives."""
    http_receiver.faults.statuses = [401] * 20

    answer = doctor(**ON_OTLP, **http_receiver.environment())

    assert answer.of("endpoint")[0]["verdict"] == "fine"
    assert len(answer.of("delivery")) == 3
    assert all("HTTP status 401" in title for title in answer.titles(LOSES))


def test_an_unknown_variable_is_found_and_loses_nothing(doctor):
    """With the name that was meant."""
    answer = doctor(**ON, NEMO_LENS_SPAN_GROPUS="all")

    assert answer.status == 0
    (finding,) = answer.of("names")
    assert finding["verdict"] == "warning"
    assert "NEMO_LENS_SPAN_GROPUS" in finding["title"]
    assert "NEMO_LENS_SPAN_GROUPS" in finding["advice"]


def plant_distribution(folder, name, version, *requirements):
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Dist: {each}" for each in requirements]
    (metadata / "METADATA").write_text("\n".join(lines) + "\n")


def test_a_version_out_of_range_is_found_and_loses_nothing(doctor, tmp_path):
    """What is installed, what needs it, and the range."""
    plant_distribution(tmp_path / "old", "opentelemetry-sdk", "1.20.0")

    answer = doctor(**ON, PYTHONPATH=str(tmp_path / "old"))

    assert answer.status == 0
    (finding,) = answer.of("versions")
    assert finding["verdict"] == "warning"
    assert finding["title"].startswith("opentelemetry-sdk 1.20.0 is installed, and nemo-lens-sdk")
    assert "pip install 'opentelemetry-sdk" in finding["advice"]


@pytest.mark.parametrize("how", ["current folder", "PYTHONPATH"])
def test_a_checkout_of_nemo_that_hides_the_namespace_is_found(doctor, tmp_path, how):
    """A regular package `nemo` before ours: a job that is started here cannot import us."""
    checkout = tmp_path / "NeMo"
    (checkout / "nemo").mkdir(parents=True)
    (checkout / "nemo" / "__init__.py").write_text("")

    if how == "PYTHONPATH":
        answer = doctor(**ON, PYTHONPATH=str(checkout))
    else:
        answer = doctor(**ON, cwd=checkout)

    (finding,) = answer.of("namespace")
    assert finding["verdict"] == LOSES
    assert str(checkout / "nemo" / "__init__.py") in finding["title"]
    assert "No module named 'nemo.lens'" in finding["title"]


def test_two_installs_are_found_and_lose_nothing(doctor, tmp_path):
    """A second copy on the path, with metadata of its own."""
    second = tmp_path / "second"
    (second / "nemo" / "lens").mkdir(parents=True)
    front = Path(__import__("nemo.lens").lens.__file__)
    (second / "nemo" / "lens" / "__init__.py").write_bytes(front.read_bytes())
    plant_distribution(second, "nemo-lens-api", "0.2.0")

    answer = doctor(**ON, PYTHONPATH=str(second))

    assert answer.status == 0
    assert [each["verdict"] for each in answer.of("copies")] == ["warning"] * 2
    assert all(str(second) in each["title"] for each in answer.of("copies"))
    assert any("different versions" in each["title"] for each in answer.of("versions"))


@pytest.mark.parametrize(
    "variables",
    [
        {"NEMO_LENS_EXPORTER": "file"},
        {"NEMO_LENS_ENABLE": "1", "NEMO_LENS_EXPORTER": "file"},
        {**ON, "OTEL_SDK_DISABLED": "true"},
        {**ON, "NEMO_LENS_TRACES_ENABLED": "0", "NEMO_LENS_METRICS_ENABLED": "0"},
    ],
)
def test_telemetry_that_is_off_by_mistake_is_found(doctor, variables):
    """Somebody wants it, and nothing would be recorded."""
    answer = doctor(**variables)

    assert answer.status == 1
    assert {each["check"] for each in answer.findings if each["verdict"] == LOSES} <= {
        "enabled",
        "signals",
    }


@pytest.mark.parametrize(
    "variables", [{}, {"NEMO_LENS_ENABLED": "0", "NEMO_LENS_EXPORTER": "nonsense"}]
)
def test_telemetry_that_is_off_on_purpose_is_no_fault(doctor, variables):
    """Nothing is tried then."""
    answer = doctor(**variables)

    assert answer.status == 0
    assert answer.json["verdict"].startswith("Telemetry is off here")
    assert not answer.of("delivery")


def test_a_rank_that_does_not_export_is_found_and_loses_nothing(doctor):
    """The default strategy exports the last rank alone."""
    answer = doctor("--world-size", 8, "--rank", 3, **ON)

    assert answer.status == 0
    (finding,) = answer.of("ranks")
    assert finding["title"] == (
        "Rank 3 does not export: the strategy single_rank exports rank 7 of 8"
    )
    assert "NEMO_LENS_EXPORT_STRATEGY=all_ranks" in finding["advice"]


@pytest.mark.parametrize("directory", ["a-file/runs", "/proc/runs"])
def test_an_unwritable_directory_is_found(doctor, tmp_path, directory):
    """A folder that even a superuser cannot create."""
    (tmp_path / "a-file").write_text("")

    answer = doctor(**ON, NEMO_LENS_DIR=directory)

    (finding,) = answer.of("directory")
    assert finding["verdict"] == LOSES
    assert f"Runs cannot be recorded below {directory}" in finding["title"]


# What else is told.


def test_a_test_run_leaves_nothing_behind(doctor, tmp_path):
    """It was recorded for real, where the job would record, and deleted."""
    answer = doctor(**ON, NEMO_LENS_LOGS_ENABLED="1", NEMO_LENS_DIR="deep/below/runs")

    assert answer.status == 0
    assert [each["verdict"] for each in answer.of("delivery")] == ["fine"] * 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("variables", "arguments", "title"),
    [
        ({"RANK": "7", "WORLD_SIZE": "8"}, [], "The strategy single_rank exports rank 7 of 8"),
        ({"RANK": "0", "WORLD_SIZE": "8"}, [], "Rank 0 does not export"),
        (
            {"NEMO_LENS_EXPORT_STRATEGY": "all_ranks"},
            ["--world-size", 16],
            "The strategy all_ranks exports ranks 0 to 15 of 16",
        ),
        (
            {"NEMO_LENS_EXPORT_STRATEGY": "every_nth", "NEMO_LENS_EXPORT_SAMPLE_RATE": "0.25"},
            ["--world-size", 16],
            "4 of 16 ranks, the run id decides which",
        ),
        (
            {"NEMO_LENS_EXPORT_STRATEGY": "first_rank_per_node", "LOCAL_RANK": "1", "RANK": "1"},
            [],
            "this process is not one",
        ),
        ({"NEMO_LENS_EXPORT_STRATEGY": "mine"}, ["--world-size", 2], "names no built-in strategy"),
        ({}, [], "Which ranks export is not known here"),
        ({}, ["--rank", 3], "Rank 3 and a world size of None"),
    ],
)
def test_which_ranks_export_is_told(doctor, variables, arguments, title):
    """From the launcher's variables, or for a job that is asked about."""
    (finding,) = doctor(*arguments, **ON, **variables).of("ranks")

    assert title in finding["title"]
    assert finding["verdict"] != LOSES


def test_a_strategy_that_exports_no_rank_loses_data(doctor):
    """A rank that does not exist was chosen."""
    answer = doctor("--world-size", 8, **ON, NEMO_LENS_EXPORT_RANK="8")

    assert answer.titles(LOSES) == ["No rank of 8 exports under single_rank"]


def test_bad_values_are_found(doctor):
    """Ours stop a job, those of OpenTelemetry count as unset."""
    answer = doctor(
        **ON, NEMO_LENS_QUEUE_SIZE="many", NEMO_LENS_TRACES_ENABLED="maybe",
        OTEL_BSP_SCHEDULE_DELAY="soon", OTEL_METRIC_EXPORT_INTERVAL="5000",
    )  # fmt: skip

    assert len(answer.titles(LOSES)) == 2
    assert "NEMO_LENS_QUEUE_SIZE: 'many'" in answer.titles(LOSES)[1]
    assert ["OTEL_BSP_SCHEDULE_DELAY" in title for title in answer.titles("warning")] == [True]


def test_variables_of_another_library_are_pointed_out(doctor):
    """With the command that looks at them."""
    answer = doctor(**ON, MEGATRON_OTEL_ENABLED="1")

    (finding,) = answer.of("names")
    assert "nemo-lens doctor --prefix MEGATRON_OTEL" in finding["advice"]


def test_a_library_with_a_prefix_of_its_own_is_examined(doctor):
    """Its variables, and those that count where they are unset."""
    answer = doctor(
        "--prefix", "MEGATRON_OTEL", "--fallback-prefix", "NEMO_LENS",
        MEGATRON_OTEL_ENABLED="1", NEMO_LENS_EXPORTER="file", NEMO_LENS_ENABLED="0",
    )  # fmt: skip

    values = {each["name"]: each for each in answer.json["configuration"]}
    assert answer.status == 0
    assert values["enabled"]["origin"] == "environment:MEGATRON_OTEL_ENABLED"
    assert values["exporter"]["origin"] == "fallback:NEMO_LENS_EXPORTER"
    assert values["queue_size"]["origin"] == "default"


def test_forks_without_support_of_grpc_are_a_hazard(doctor, grpc_receiver):
    """Workers of a DataLoader could hang."""
    answer = doctor(**ON_OTLP, **grpc_receiver.environment(), GRPC_ENABLE_FORK_SUPPORT="0")

    assert answer.status == 0
    assert "GRPC_ENABLE_FORK_SUPPORT is off" in answer.of("forks")[0]["title"]


def test_a_torch_that_cannot_be_asked_is_a_hazard(doctor, tmp_path):
    """Before torch.compiler.is_compiling."""
    plant_distribution(tmp_path / "old", "torch", "2.0.1")

    answer = doctor(**ON, PYTHONPATH=str(tmp_path / "old"))

    assert "torch 2.0.1" in answer.of("torch")[0]["title"]


def test_groups_that_nobody_provides_are_told(doctor):
    """They may be a library's, or a slip."""
    pending, nothing = (
        doctor(**ON, NEMO_LENS_SPAN_GROUPS=spec).of("span groups")[0] for spec in ("stpe", ",")
    )

    assert (pending["verdict"], "stpe" in pending["title"]) == ("note", True)
    assert (nothing["verdict"], "selects no group" in nothing["title"]) == ("warning", True)


def test_offline_nothing_is_connected_to(doctor, http_receiver):
    """On a login node, for example."""
    answer = doctor("--offline", **ON_OTLP, **http_receiver.environment())

    assert answer.status == 0
    assert http_receiver.requests == []


def test_secrets_are_not_shown(run_command, http_receiver):
    """Neither headers nor passwords in URLs, in text or JSON."""
    variables = {
        **ON_OTLP,
        **http_receiver.environment(),
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=hush",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": (
            f"http://user:hush@127.0.0.1:{http_receiver.port}/v1/traces"
        ),
    }

    for arguments in (["--all"], ["--json"]):
        done = run_command("doctor", *arguments, **variables)
        assert "hush" not in done.stdout + done.stderr
        assert "OTEL_EXPORTER_OTLP_HEADERS" in done.stdout


def test_the_page_begins_with_what_matters(run_command):
    """The worst first, what to do below it, and only values that somebody set."""
    done = run_command("doctor", NEMO_LENS_EXPORTER="file")

    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, "")
    assert lines[0] == "One problem loses telemetry."
    assert lines[2].startswith("loses data  Telemetry is off, although NEMO_LENS_EXPORTER is set")
    assert "export NEMO_LENS_ENABLED=1" in done.stdout
    assert "NEMO_LENS_QUEUE_SIZE" not in done.stdout
    # Only a path that is longer than the line stands out.
    assert all(len(line) <= 80 or len(line.split()) == 1 for line in lines)


def test_every_default_is_shown_on_request(run_command):
    """With the variable that would change it."""
    out = run_command("doctor", "--all").stdout

    assert "NEMO_LENS_QUEUE_SIZE" in out
    assert "single_rank" in out


def test_it_examines_a_real_interpreter_only_through_its_own_eyes(doctor):
    """What is installed is listed with its versions."""
    versions = doctor().json["versions"]

    assert {"nemo-lens-api", "nemo-lens-sdk", "nemo-lens-cli", "opentelemetry-sdk"} <= set(versions)
    assert os.environ.get("NEMO_LENS_RUN_ID") is None
