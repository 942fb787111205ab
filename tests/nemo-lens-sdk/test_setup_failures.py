# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Set-up that fails leaves the process as it was: all or nothing."""

from __future__ import annotations

import logging
import os
import signal
import threading
from pathlib import Path

import pytest
from opentelemetry import metrics, trace
from opentelemetry._logs import get_logger_provider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens import (
    NemoLensConfig,
    get_meter,
    get_tracer,
    is_span_group_enabled,
    managed_span,
    setup_telemetry,
)
from nemo.lens.providers import build_providers
from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.fast_spans import factory as fast_spans
from nemo.lens.sdk.log_handler import LensLogHandler
from nemo.lens.sdk.logging_bridge import setup_logging_bridge

pytestmark = pytest.mark.usefixtures("clean_environment")


def _config(run_folder=None, **fields):
    """Every signal, to files where there is a folder."""
    return NemoLensConfig(
        **{
            "enabled": True,
            "span_groups": "all",
            "run_id": "r",
            "logs_enabled": True,
            **({"exporter": "file", "directory": str(run_folder)} if run_folder else {}),
            **fields,
        }
    )


def _lens_threads():
    return {t for t in threading.enumerate() if t.name.startswith("nemo-lens")}


def _open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def new_threads():
    """Give the threads of lens that began in this test; others may have left hanging exporters."""
    before = _lens_threads()
    return lambda: _lens_threads() - before


@pytest.fixture
def unchanged(new_threads):
    """Check that nothing of a set-up is left in the process."""
    signals = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGUSR1)}
    handlers = list(logging.getLogger().handlers)
    files = _open_files()

    def check():
        assert new_threads() == set()
        assert _open_files() <= files
        assert {number: signal.getsignal(number) for number in signals} == signals
        assert logging.getLogger().handlers == handlers
        assert signal.set_wakeup_fd(-1) == -1
        assert not is_span_group_enabled("step")
        assert _otel_private.no_tracer_provider_installed()
        assert _otel_private.no_meter_provider_installed()
        assert _otel_private.no_logger_provider_installed()

    return check


def _records_a_span(run_folder, **fields):
    handle = setup_telemetry(_config(run_folder, **fields), rank=0)
    assert handle.is_exporting
    with managed_span("step", "after"):
        pass
    assert handle.shutdown()
    return '"after"' in "".join(path.read_text() for path in run_folder.rglob("traces-*.jsonl"))


@pytest.fixture
def refuse_thread(monkeypatch):
    """Let the process start so many more threads, and then none."""
    start = threading.Thread.start

    def refuse_after(allowed):
        left = [allowed]

        def start_or_not(thread):
            if left[0] == 0:
                raise RuntimeError("can't start new thread")
            left[0] -= 1
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", start_or_not)

    yield refuse_after
    monkeypatch.setattr(threading.Thread, "start", start)


@pytest.mark.parametrize("allowed", [0, 1, 2, 3])
def test_a_process_that_may_start_no_further_thread_runs_without_telemetry(
    tmp_path, caplog, unchanged, refuse_thread, allowed
):
    """One ERROR, a handle that exports nothing, and nothing half-built; later it works."""
    refuse_thread(allowed)
    handle = setup_telemetry(_config(tmp_path, flush_signals=("SIGUSR1",)), rank=0)
    assert not handle.is_exporting
    assert handle.flush()
    assert handle.shutdown()
    unchanged()
    ours = [r for r in caplog.records if r.threadName == threading.current_thread().name]
    (error,) = [r for r in ours if r.levelno >= logging.WARNING]
    assert error.levelname == "ERROR"
    assert "can't start new thread" in error.getMessage()
    assert not list(tmp_path.iterdir())
    refuse_thread(-1)
    assert _records_a_span(tmp_path)


def test_build_providers_without_threads_builds_none(caplog, unchanged, refuse_thread):
    """The lower entrance keeps the job alive as well."""
    refuse_thread(1)
    assert build_providers(_config(exporter="console"), 0, 1) == (None, None)
    assert "can't start new thread" in caplog.text
    unchanged()


def test_a_process_without_free_descriptors_runs_without_telemetry(
    tmp_path, caplog, unchanged, monkeypatch
):
    """The supervisor's pipe is as likely to be refused as a thread."""

    def refuse():
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pipe", refuse)
        assert not setup_telemetry(_config(tmp_path), rank=0).is_exporting
    unchanged()
    assert "Too many open files" in caplog.text


def test_an_interrupt_in_the_middle_is_not_swallowed_and_leaves_nothing(
    tmp_path, unchanged, monkeypatch
):
    """Somebody who stops the cell of a notebook can run it again."""

    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_otel_private, "no_logger_provider_installed", interrupt)
        with pytest.raises(KeyboardInterrupt):
            setup_telemetry(_config(tmp_path), rank=0)
    unchanged()
    assert _records_a_span(tmp_path)


def test_fast_spans_that_cannot_be_built_cost_their_speed_only(tmp_path, monkeypatch):
    """The plain factory makes the same spans."""

    def fail(_provider):
        raise AttributeError("moved in this release")

    monkeypatch.setattr(fast_spans, "install", fail)
    assert _records_a_span(tmp_path)


@pytest.mark.parametrize("value", ["garbage", "", " "])
def test_a_global_provider_that_cannot_be_loaded_counts_as_unset(
    clean_environment, tmp_path, caplog, value
):
    """OpenTelemetry raises at every look at such a provider; set-up warns and installs its own."""
    names = [f"OTEL_PYTHON_{kind}_PROVIDER" for kind in ("TRACER", "METER", "LOGGER")]
    clean_environment(**dict.fromkeys(names, value))
    with caplog.at_level(logging.WARNING, logger="nemo.lens"):
        assert _records_a_span(tmp_path)
    assert isinstance(trace.get_tracer_provider(), TracerProvider)
    assert isinstance(metrics.get_meter_provider(), MeterProvider)
    assert isinstance(get_logger_provider(), LoggerProvider)
    for name in names:
        lines = [line for line in caplog.messages if name in line]
        assert len(lines) == (1 if value.strip() else 0)
    # OpenTelemetry looks again for every tracer that somebody gets.
    assert not set(names) & set(os.environ)


def test_public_functions_survive_a_global_provider_that_cannot_be_loaded(
    clean_environment, tmp_path
):
    """Also where no telemetry, or not that signal, is set up."""
    clean_environment(
        OTEL_PYTHON_TRACER_PROVIDER="garbage",
        OTEL_PYTHON_METER_PROVIDER="garbage",
        OTEL_PYTHON_LOGGER_PROVIDER="garbage",
    )
    get_tracer().start_span("a").end()
    get_meter("own").create_counter("c").add(1)
    setup_logging_bridge()
    handle = setup_telemetry(_config(tmp_path, traces_enabled=False, metrics_enabled=False), rank=0)
    with managed_span("step", "nowhere"):
        handle.tracer.start_span("b").end()
    handle.meter.create_counter("c").add(1)
    assert handle.shutdown()


class _Refusing:
    """Mixed into providers of the SDK: they take nothing from others."""

    def _refuse(self, _part):
        raise RuntimeError("sealed")

    add_span_processor = add_metric_reader = add_log_record_processor = _refuse


class RefusingTracerProvider(_Refusing, TracerProvider):
    """Spans of the application alone."""


class RefusingMeterProvider(_Refusing, MeterProvider):
    """Metrics of the application alone."""


class RefusingLoggerProvider(_Refusing, LoggerProvider):
    """Logs of the application alone."""


def test_providers_of_the_application_that_raise_export_nothing_of_ours(
    tmp_path, caplog, new_threads
):
    """One WARNING for each signal; no thread is left after the handle has gone."""
    trace.set_tracer_provider(RefusingTracerProvider(shutdown_on_exit=False))
    metrics.set_meter_provider(RefusingMeterProvider(shutdown_on_exit=False))
    _otel_private.set_logger_provider(RefusingLoggerProvider(shutdown_on_exit=False))
    with caplog.at_level(logging.WARNING):
        handle = setup_telemetry(_config(tmp_path), rank=0)
    assert not handle.is_exporting
    assert [line.count("it raised RuntimeError: sealed") for line in caplog.messages] == [1, 1, 1]
    assert not [h for h in logging.getLogger().handlers if isinstance(h, LensLogHandler)]
    assert handle.shutdown()
    assert new_threads() == set()


def test_providers_of_the_application_that_give_nothing_leave_the_handle_usable(
    tmp_path, caplog, new_threads
):
    """What the handle gives records nothing then; each is one WARNING."""

    class Tracers(TracerProvider):
        def get_tracer(self, *arguments, **options):
            raise RuntimeError("no tracer")

    class Meters(MeterProvider):
        def get_meter(self, *arguments, **options):
            raise RuntimeError("no meter")

    trace.set_tracer_provider(Tracers(shutdown_on_exit=False))
    metrics.set_meter_provider(Meters(shutdown_on_exit=False))
    handle = setup_telemetry(_config(tmp_path), rank=0)
    handle.tracer.start_span("a").end()
    handle.meter.create_counter("c").add(1)
    assert "raised RuntimeError: no tracer" in caplog.text
    assert "raised RuntimeError: no meter" in caplog.text
    handle.shutdown()
    assert new_threads() == set()


def test_one_provider_that_raises_leaves_the_other_signals_alone(tmp_path, caplog):
    """Metrics and logs of ours are exported beside the spans of the application."""
    trace.set_tracer_provider(RefusingTracerProvider(shutdown_on_exit=False))
    handle = setup_telemetry(_config(tmp_path), rank=0)
    assert handle.is_exporting
    logging.getLogger("qa").warning("recorded")
    assert handle.shutdown()
    assert '"recorded"' in "".join(path.read_text() for path in tmp_path.rglob("logs-*.jsonl"))


def test_what_was_added_before_an_error_is_taken_out_again(tmp_path, monkeypatch, new_threads):
    """A provider of the application works on without us."""
    own = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    before = provider._active_span_processor._span_processors
    trace.set_tracer_provider(provider)

    def fail(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(_otel_private, "no_meter_provider_installed", fail)
    with pytest.raises(KeyboardInterrupt):
        setup_telemetry(_config(tmp_path), rank=0)
    assert provider._active_span_processor._span_processors == before
    assert own.get_finished_spans() == ()
    assert new_threads() == set()


class TestReinit:
    """A set-up that runs is given up only for one that is built."""

    @pytest.fixture
    def running(self):
        """A handle that exports, and its exporter."""
        exporter = InMemorySpanExporter()
        handle = setup_telemetry(
            _config(logs_enabled=False),
            rank=0,
            span_exporter=exporter,
            metric_reader=InMemoryMetricReader(),
        )
        yield handle, exporter
        handle.shutdown()

    def _still_exports(self, running):
        handle, exporter = running
        with managed_span("step", "still"):
            pass
        assert handle.flush()
        return [span.name for span in exporter.get_finished_spans()] == ["still"]

    @pytest.mark.parametrize(
        "bad",
        [
            {"span_exporter": object()},
            {"metric_reader": object()},
            {"export_strategy": 3},
            {"export_strategy": "no such strategy"},
            {"resource_attributes": [1]},
            {"rank": -1},
        ],
        ids=lambda bad: next(iter(bad)),
    )
    def test_a_bad_argument_leaves_the_running_telemetry_alone(self, running, bad):
        """The error is raised and nothing has happened."""
        with pytest.raises((TypeError, ValueError), match=next(iter(bad))):
            setup_telemetry(_config(), **{"rank": 0, **bad}, _allow_reinit=True)
        assert self._still_exports(running)

    def test_a_reader_of_another_provider_leaves_the_running_telemetry_alone(self, running):
        """OpenTelemetry accepts a reader once; what it says is passed on."""
        reader = InMemoryMetricReader()
        MeterProvider([reader], shutdown_on_exit=False)
        with pytest.raises(ValueError, match=r"metric_reader=.*registered already"):
            setup_telemetry(_config(), rank=0, metric_reader=reader, _allow_reinit=True)
        assert self._still_exports(running)

    def test_a_bad_value_leaves_the_running_telemetry_alone(self, running):
        """As above, for the configuration."""
        with pytest.raises(ValueError, match="Unknown exporter"):
            setup_telemetry(_config(exporter="pigeon"), rank=0, _allow_reinit=True)
        assert self._still_exports(running)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"span_exporter": object()}, "span_exporter=<object .* no export, shutdown"),
        ({"span_exporter": InMemorySpanExporter}, "span_exporter=.*, a class is not usable"),
        ({"span_exporter": "otlp"}, "span_exporter='otlp' .* SpanExporter object"),
        ({"metric_reader": InMemoryMetricReader}, "metric_reader=.*, a class is not usable"),
        ({"metric_reader": InMemorySpanExporter()}, "metric_reader=.* no collect"),
        ({"export_strategy": 7}, r"export_strategy=7 .*\(config, rank, world_size\)"),
        ({"export_strategy": lambda rank: True}, "export_strategy=<function"),
        ({"export_strategy": ["all_ranks"]}, r"export_strategy=\['all_ranks'\]"),
    ],
)
def test_an_argument_of_the_wrong_type_is_an_error_that_says_what_is_accepted(
    unchanged, arguments, named
):
    """Before anything is built, and on every rank alike."""
    for strategy in ("all_ranks", "single_rank"):
        with pytest.raises(TypeError, match=named):
            setup_telemetry(_config(export_strategy=strategy), rank=0, world_size=2, **arguments)
    unchanged()


def test_a_reader_that_only_looks_like_one_is_refused(unchanged):
    """The SDK uses more of a reader than its public methods."""

    class Reader:
        def collect(self, timeout_millis=0):
            """Look like a reader."""

        force_flush = shutdown = collect

    with pytest.raises(TypeError, match=r"metric_reader=.*metrics\.export\.MetricReader"):
        setup_telemetry(_config(), rank=0, metric_reader=Reader())
    unchanged()


def test_build_providers_checks_its_parts_too(unchanged):
    """The lower entrance takes the same parts."""
    with pytest.raises(TypeError, match="span_exporter="):
        build_providers(_config(), 0, 1, span_exporter=object())
    unchanged()


def test_a_reader_is_still_unused_after_a_set_up_that_failed(monkeypatch):
    """The corrected retry may bring the same one."""
    reader = InMemoryMetricReader()

    def fail(*_arguments, **_options):
        raise ValueError("bad limit")

    with monkeypatch.context() as patch:
        patch.setattr(_otel_private, "new_logger_provider", fail)
        with pytest.raises(ValueError, match="bad limit"):
            setup_telemetry(_config(exporter="console"), rank=0, metric_reader=reader)
    handle = setup_telemetry(_config(exporter="console"), rank=0, metric_reader=reader)
    assert handle.is_exporting
    assert handle.shutdown()


def test_an_exporter_whose_building_fails_leaves_the_job_running(caplog, unchanged, monkeypatch):
    """What is neither a bad value nor a missing package is no error of the caller."""
    from nemo.lens.sdk.exporters.routes import ConsoleRoute

    def fail(_route):
        raise OSError("no standard output")

    monkeypatch.setattr(ConsoleRoute, "metric_sink", fail)
    assert not setup_telemetry(_config(exporter="console"), rank=0).is_exporting
    assert "no standard output" in caplog.text
    unchanged()


def test_two_hundred_set_ups_in_one_process_leave_nothing_behind(unchanged, new_threads):
    """No thread, no descriptor, no handler grows with them."""
    for number in range(200):
        exporter = InMemorySpanExporter()
        handle = setup_telemetry(
            _config(exporter="console", metrics_enabled=False),
            rank=0,
            span_exporter=exporter,
        )
        with managed_span("step", str(number)):
            pass
        assert handle.shutdown()
        assert [span.name for span in exporter.get_finished_spans()] == [str(number)]
        if number == 0:
            files = _open_files()
    assert new_threads() == set()
    assert _open_files() <= files


def test_of_set_ups_in_several_threads_one_wins(caplog, new_threads):
    """The others are told, and nothing is built twice."""
    answers = []
    ready = threading.Barrier(8)

    def set_up():
        ready.wait()
        try:
            answers.append(
                setup_telemetry(
                    _config(logs_enabled=False),
                    rank=0,
                    span_exporter=InMemorySpanExporter(),
                    metric_reader=InMemoryMetricReader(),
                )
            )
        except RuntimeError as error:
            answers.append(error)

    threads = [threading.Thread(target=set_up) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    (handle,) = [answer for answer in answers if not isinstance(answer, RuntimeError)]
    assert len(answers) == 8
    assert handle.is_exporting
    assert len([t for t in new_threads() if t.name == "nemo-lens supervisor"]) == 1
    assert handle.shutdown()
    assert new_threads() == set()


def test_a_fork_in_the_middle_of_a_set_up_waits_for_its_end(run_python, tmp_path):
    """Its child has whole telemetry, not half of it."""
    script = """
        import os, threading, time
        from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
        from nemo.lens import handle as handle_module
        from nemo.lens.sdk import runtime

        begun, install = threading.Event(), runtime.Runtime._install

        def slow_install(*arguments):
            begun.set()
            time.sleep(0.3)
            install(*arguments)

        runtime.Runtime._install = slow_install
        config = NemoLensConfig.from_env()
        thread = threading.Thread(target=lambda: setup_telemetry(config, rank=0))
        thread.start()
        begun.wait()
        pid = os.fork()
        if pid == 0:
            with managed_span("step", "in the child"):
                pass
            running = handle_module._running()
            os._exit(0 if running is not None and running.shutdown() else 1)
        thread.join()
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
    environment = {"NEMO_LENS_EXPORTER": "file", "NEMO_LENS_DIR": str(tmp_path)}
    quiet = ("-W", "ignore::DeprecationWarning")  # Python 3.12 warns of forks beside threads
    process = run_python(script, environment=environment, arguments=quiet)
    assert (process.stdout.split(), process.stderr) == (["0"], "")
    recorded = [path.read_text() for path in tmp_path.rglob("traces-*.jsonl")]
    assert len([text for text in recorded if '"in the child"' in text]) == 1
