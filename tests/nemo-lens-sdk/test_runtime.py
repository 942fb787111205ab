# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Set-up and its end in one process: all or nothing, again, beside others' providers."""

from __future__ import annotations

import copy
import dataclasses
import logging
import os
import threading
import time

import pytest
from opentelemetry import metrics, trace
from opentelemetry._logs import NoOpLoggerProvider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemo.lens import (
    NemoLensConfig,
    is_span_group_enabled,
    managed_span,
    setup_telemetry,
    span_attributes,
)
from nemo.lens import (
    handle as handle_module,
)
from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.log_handler import LensLogHandler
from nemo.lens.spans.discards import discard

pytestmark = pytest.mark.usefixtures("clean_environment")


def _set_up(*, exporter=None, reader=None, prefix=None, **fields):
    exporter = exporter or InMemorySpanExporter()
    reader = reader or InMemoryMetricReader()
    config = NemoLensConfig(
        **{
            "enabled": True,
            "span_groups": "all",
            "run_id": "r",
            "sigterm_flush": False,
            **fields,
        }
    )
    handle = setup_telemetry(config, rank=0, span_exporter=exporter, metric_reader=reader)
    return handle, exporter, reader


def _names(exporter):
    return [span.name for span in exporter.get_finished_spans()]


def _span(name, tracer=None):
    with managed_span("step", name, tracer):
        pass


def test_set_up_works_again_after_shutdown_and_for_tracers_of_before():
    """A cached tracer, a cached instrument and the helpers all lead into the new pipeline."""
    first, old_exporter, _ = _set_up()
    tracer = trace.get_tracer("library")
    counter = metrics.get_meter("library").create_counter("qa.count")
    _span("one")
    counter.add(1)
    first.shutdown()
    second, exporter, reader = _set_up()
    _span("two")
    tracer.start_span("three").end()
    counter.add(5)
    second.tracer.start_span("four").end()
    assert trace.get_tracer_provider().force_flush()
    data = reader.get_metrics_data().resource_metrics[0].scope_metrics
    assert {metric.name for scope in data for metric in scope.metrics} == {"qa.count"}
    second.shutdown()
    assert _names(old_exporter) == ["one"]
    assert _names(exporter) == ["two", "three", "four"]


def test_a_second_set_up_of_the_same_library_raises_and_harms_nothing():
    """The error says what to do; the first handle keeps working."""
    handle, exporter, _ = _set_up()
    with pytest.raises(RuntimeError, match=r"already been initialised.*setup_telemetry"):
        _set_up()
    _span("still")
    handle.shutdown()
    assert _names(exporter) == ["still"]


def test_reinit_hands_over_to_the_new_exporter():
    """With _allow_reinit the running set-up is shut down first."""
    _, old_exporter, _ = _set_up()
    _span("old")
    exporter = InMemorySpanExporter()
    config = NemoLensConfig(enabled=True, span_groups="all", run_id="r", sigterm_flush=False)
    handle = setup_telemetry(config, rank=0, span_exporter=exporter, _allow_reinit=True)
    _span("new")
    handle.shutdown(500)
    assert (_names(old_exporter), _names(exporter)) == (["old"], ["new"])


def test_another_library_gets_a_secondary_handle(clean_environment):
    """Its groups are added, its shutdown only flushes, the first one stays in charge."""
    primary, exporter, _ = _set_up(span_groups="step")
    clean_environment(MEGATRON_OTEL_ENABLED="1", MEGATRON_OTEL_SPAN_GROUPS="checkpoint")
    secondary = setup_telemetry(NemoLensConfig.from_env("MEGATRON_OTEL"))
    assert secondary.is_exporting
    assert is_span_group_enabled("checkpoint")
    assert is_span_group_enabled("step")
    _span("before")
    assert secondary.shutdown()
    assert _names(exporter) == ["before"]
    _span("after")
    primary.shutdown()
    assert _names(exporter) == ["before", "after"]
    assert not is_span_group_enabled("step")


def test_arguments_of_a_second_library_without_effect_are_named_once(clean_environment, caplog):
    """Its exporter would export nothing; an equal rank is no difference."""
    primary, exporter, _ = _set_up()
    clean_environment(NVRX_OTEL_ENABLED="1", NVRX_OTEL_SPAN_GROUPS="step")
    config = NemoLensConfig.from_env("NVRX_OTEL")
    with caplog.at_level(logging.WARNING):
        secondary = setup_telemetry(
            config,
            rank=0,
            world_size=8,
            resource_attributes={"a": 1},
            span_exporter=InMemorySpanExporter(),
            metric_reader=InMemoryMetricReader(),
            export_strategy="all_ranks",
        )
    (line,) = caplog.messages
    assert "NEMO_LENS set telemetry up in this process before NVRX_OTEL" in line
    named = "world_size, resource_attributes, span_exporter, metric_reader, export_strategy had"
    assert named in line
    caplog.clear()
    assert setup_telemetry(config, rank=0).is_exporting
    assert not caplog.records
    with pytest.raises(ValueError, match="rank=-1"):
        setup_telemetry(config, rank=-1)
    _span("of the first")
    assert secondary.shutdown()
    primary.shutdown()
    assert _names(exporter) == ["of the first"]


def test_a_second_library_leaves_the_gate_closed_where_nothing_is_exported(
    clean_environment, caplog
):
    """This rank was not chosen: spans of the second library would cost time and go nowhere."""
    clean_environment(NVRX_OTEL_ENABLED="1", NVRX_OTEL_SPAN_GROUPS="step,checkpoint")
    primary = setup_telemetry(NemoLensConfig(enabled=True, span_groups="all"), rank=0, world_size=2)
    exporter = InMemorySpanExporter()
    with caplog.at_level(logging.WARNING):
        secondary = setup_telemetry(NemoLensConfig.from_env("NVRX_OTEL"), span_exporter=exporter)
    assert not primary.is_exporting
    assert not secondary.is_exporting
    assert not is_span_group_enabled("step")
    assert "span_exporter had no effect" in caplog.text
    assert secondary.shutdown()
    primary.shutdown()


def test_libraries_that_one_fallback_variable_switches_on_are_told_apart(clean_environment):
    """The prefix of `from_env` is the library's name, wherever its values came from."""
    clean_environment(NEMO_LENS_ENABLED="1", NEMO_LENS_SIGTERM_FLUSH="0")
    megatron = NemoLensConfig.from_env("MEGATRON_OTEL", "NEMO_LENS")
    resiliency = NemoLensConfig.from_env("NVRX_OTEL", "NEMO_LENS")
    exporter = InMemorySpanExporter()
    primary = setup_telemetry(
        megatron, rank=0, span_exporter=exporter, metric_reader=InMemoryMetricReader()
    )
    secondary = setup_telemetry(dataclasses.replace(resiliency, span_groups="step"))
    assert secondary.is_exporting
    _span("of both")
    assert secondary.shutdown()
    assert _names(exporter) == ["of both"]
    with pytest.raises(RuntimeError, match="'MEGATRON_OTEL'"):
        setup_telemetry(copy.deepcopy(megatron))
    primary.shutdown()


def test_an_error_in_set_up_leaves_nothing_behind():
    """No thread, no global provider, no open gate; the corrected retry exports."""
    threads = set(threading.enumerate())
    with pytest.raises(ValueError, match="Unknown exporter"):
        setup_telemetry(NemoLensConfig(enabled=True, exporter="carrier-pigeon"), rank=0)
    assert set(threading.enumerate()) == threads
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
    assert not is_span_group_enabled("step")
    handle, exporter, _ = _set_up()
    _span("a")
    handle.shutdown()
    assert _names(exporter) == ["a"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_METRIC_EXPORT_INTERVAL", "10s"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "brotli"),
        ("OTEL_BSP_SCHEDULE_DELAY", "x"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "-1"),
        ("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "many"),
        ("OTEL_METRICS_EXEMPLAR_FILTER", "sometimes"),
        ("OTEL_TRACES_SAMPLER", "dice"),
        ("OTEL_TRACES_SAMPLER_ARG", "x"),
    ],
)
@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_garbage_in_an_otel_variable_is_a_warning_and_the_default(
    clean_environment, caplog, name, value, protocol
):
    """A standard variable never stops a job."""
    clean_environment(**{name: value, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol})
    config = NemoLensConfig(enabled=True, run_id="r", logs_enabled=True, sigterm_flush=False)
    with caplog.at_level(logging.WARNING):
        handle = setup_telemetry(config, rank=0)
    assert handle.is_exporting
    handle.shutdown(10)
    assert len([line for line in caplog.messages if name in line and repr(value) in line]) == 1


def test_words_of_otel_variables_count_in_any_case_and_stay_as_they_were_set(
    clean_environment, caplog
):
    """OpenTelemetry itself accepts only one spelling of them; child processes inherit the user's."""
    clean_environment(OTEL_METRICS_EXEMPLAR_FILTER="Always_Off", OTEL_SPAN_EVENT_COUNT_LIMIT=" ")
    with caplog.at_level(logging.WARNING):
        handle, _, _ = _set_up()
    filter_in_use = metrics.get_meter_provider()._sdk_config.exemplar_filter
    handle.shutdown()
    assert type(filter_in_use).__name__ == "AlwaysOffExemplarFilter"
    assert os.environ["OTEL_METRICS_EXEMPLAR_FILTER"] == "Always_Off"
    assert os.environ["OTEL_SPAN_EVENT_COUNT_LIMIT"] == " "
    assert not caplog.records


def test_providers_of_the_application_are_used_and_left_alone():
    """Spans and metrics go through them; shutdown of the handle does not shut them down."""
    own_exporter, own_reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider, meters = TracerProvider(), MeterProvider([own_reader])
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(meters)
    handle, exporter, _ = _set_up()
    assert trace.get_tracer_provider() is provider
    assert handle.is_exporting
    _span("a")
    handle.shutdown()
    assert _names(exporter) == ["a"]
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    provider.add_span_processor(SimpleSpanProcessor(own_exporter))
    provider.get_tracer("app").start_span("b").end()
    assert _names(own_exporter) == ["b"]
    provider.shutdown()
    meters.shutdown()


def test_a_provider_that_cannot_export_is_no_export(caplog):
    """Claiming to export through it would be a lie."""
    trace.set_tracer_provider(trace.NoOpTracerProvider())
    config = NemoLensConfig(
        enabled=True, run_id="r", metrics_enabled=False, sigterm_flush=False, exporter="console"
    )
    with caplog.at_level(logging.WARNING):
        handle = setup_telemetry(config, rank=0)
    assert not handle.is_exporting
    assert "takes no span processors" in caplog.text
    handle.shutdown()


def _set_up_logs(run_folder):
    return setup_telemetry(
        NemoLensConfig(
            enabled=True,
            run_id="r",
            exporter="file",
            directory=str(run_folder),
            traces_enabled=False,
            metrics_enabled=False,
            logs_enabled=True,
            sigterm_flush=False,
        ),
        rank=0,
    )


def _recorded_logs(run_folder):
    return "".join(path.read_text() for path in run_folder.rglob("logs-*.jsonl"))


def test_a_logger_provider_of_the_application_is_used_told_about_and_left_alone(tmp_path, caplog):
    """Records go through it while telemetry runs; afterwards nothing of ours is left in it."""
    provider = LoggerProvider(shutdown_on_exit=False)
    _otel_private.set_logger_provider(provider)
    with caplog.at_level(logging.INFO):
        handle = _set_up_logs(tmp_path)
        assert handle.is_exporting
        assert "the application has installed a logger provider" in caplog.text
        logging.getLogger("qa").warning("during")
        assert handle.shutdown()
        assert _otel_private.get_logger_provider() is provider
        LensLogHandler().handle(logging.makeLogRecord({"name": "qa", "msg": "late"}))
    assert '"during"' in _recorded_logs(tmp_path)
    assert handle.stats()["lost"] == {}
    provider.shutdown()


def test_a_logger_provider_that_cannot_export_is_no_export(tmp_path, caplog):
    """Claiming to export through it would be a lie."""
    provider = NoOpLoggerProvider()
    _otel_private.set_logger_provider(provider)
    with caplog.at_level(logging.WARNING):
        handle = _set_up_logs(tmp_path)
    assert not handle.is_exporting
    assert "takes no log record processors (NoOpLoggerProvider)" in caplog.text
    assert "Overriding" not in caplog.text
    assert _otel_private.get_logger_provider() is provider
    assert not [h for h in logging.getLogger().handlers if isinstance(h, LensLogHandler)]
    handle.shutdown()


def test_spans_still_open_at_shutdown_are_closed_newest_first_marked_and_quiet(caplog):
    """Children come before parents, and their owners may end them later without a warning."""
    handle, exporter, _ = _set_up()
    with managed_span("job", "run"), managed_span("step", "step") as inner:
        handle.shutdown()
        inner.set_attribute("late", 1)
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == ["step", "run"]
    assert all(span.attributes["nemo.span.truncated"] is True for span in spans)
    (event,) = spans[0].events
    assert event.attributes["nemo.span.truncated.reason"] == "still open at telemetry shutdown"
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("error", [SystemExit(9), ValueError("x"), KeyboardInterrupt()])
def test_an_exception_that_leaves_a_span_which_shutdown_has_closed_is_no_warning(caplog, error):
    """As of a signal handler that shuts down and leaves by `sys.exit`."""
    handle, exporter, _ = _set_up()

    def leave():
        with managed_span("step", "open"):
            assert handle.shutdown()
            raise error

    with pytest.raises(type(error)):
        leave()
    assert _names(exporter) == ["open"]
    assert not caplog.records


def test_scope_attributes_reach_spans_that_are_opened_directly():
    """A span of a library gets them too; what it sets itself wins."""
    handle, exporter, _ = _set_up()
    with span_attributes({"phase": "warmup", "own": "scope"}):
        trace.get_tracer("library").start_span("direct", attributes={"own": "span"}).end()
    handle.shutdown()
    (span,) = exporter.get_finished_spans()
    assert dict(span.attributes) == {"phase": "warmup", "own": "span"}


def test_an_exporter_that_raises_everywhere_never_reaches_the_caller():
    """The other signals are still shut down."""

    class Broken(SpanExporter):
        def export(self, spans):
            raise OSError("disk full")

        def force_flush(self, timeout_millis=0):
            raise OSError("flush")

        def shutdown(self):
            raise OSError("close")

    closed = []

    class Reader(InMemoryMetricReader):
        def shutdown(self, *arguments, **options):
            closed.append(True)

    handle, _, _ = _set_up(exporter=Broken(), reader=Reader())
    _span("a")
    assert handle.flush() is False
    handle.shutdown()
    assert closed == [True]
    assert handle.stats()["lost"] == {"refused": 1}


@pytest.mark.parametrize("ending", [SystemExit(3), KeyboardInterrupt()])
def test_an_exporter_that_would_end_the_process_fails_one_batch(ending):
    """The batch is counted, the export thread goes on."""

    class Ending(InMemorySpanExporter):
        def export(self, spans):
            if spans[0].name == "bad":
                raise ending
            return super().export(spans)

    handle, exporter, _ = _set_up(exporter=Ending())
    _span("bad")
    assert handle.flush() is False
    _span("good")
    assert handle.flush()
    handle.shutdown()
    assert _names(exporter) == ["good"]
    assert handle.stats()["lost"] == {"refused": 1}


def test_a_metric_exporter_that_would_end_the_process_fails_one_collection(monkeypatch):
    """The next collection is exported."""
    from nemo.lens.sdk.export_queue import Outcome, Sink
    from nemo.lens.sdk.exporters.routes import ConsoleRoute

    class Ending(Sink):
        calls = 0

        def send(self, batch):
            self.calls += 1
            if self.calls == 1:
                raise SystemExit(3)
            return Outcome.DELIVERED

    monkeypatch.setattr(ConsoleRoute, "metric_sink", lambda _route: Ending())
    config = NemoLensConfig(
        enabled=True, exporter="console", traces_enabled=False, run_id="r", sigterm_flush=False
    )
    handle = setup_telemetry(config, rank=0)
    handle.meter.create_counter("c").add(1)
    assert handle.flush() is False
    assert handle.flush()
    handle.shutdown()
    assert handle.stats()["queues"]["metrics to console"]["lost"] == {"refused": 1}


def test_a_reader_that_blocks_does_not_hold_up_the_shutdown():
    """Signals are shut down in parallel, each within the deadline."""
    release = threading.Event()

    class Stuck(InMemoryMetricReader):
        def force_flush(self, timeout_millis=0):
            release.wait(20)
            return True

    handle, exporter, _ = _set_up(reader=Stuck())
    _span("a")
    begun = time.monotonic()
    assert handle.shutdown(500) is False
    assert time.monotonic() - begun <= 0.55
    release.set()
    assert _names(exporter) == ["a"]


def test_statistics_tell_of_each_queue_and_of_what_was_discarded():
    """Delivered by queue, lost by reason, and what could not be recorded at all."""
    handle, _, _ = _set_up()
    _span("a")
    discard("unsupported type", "told once")
    assert handle.flush()
    stats = handle.stats()
    assert stats["queues"]["spans to given exporter"] == {"delivered": 1, "pending": 0, "lost": {}}
    assert stats["lost"] == {}
    assert stats["discarded"] == {"unsupported type": 1}
    handle.shutdown()


def test_a_span_that_cannot_be_written_is_lost_and_not_delivered(tmp_path, caplog):
    """Run files get the others, the flush says that not all is there, and why."""

    class Hostile(str):
        __slots__ = ()

        def __str__(self):
            raise ZeroDivisionError

    config = NemoLensConfig(
        enabled=True, span_groups="all", run_id="r", exporter="file", directory=str(tmp_path)
    )
    handle = setup_telemetry(config, rank=0)
    _span("fine")
    handle.tracer.start_span("hostile", attributes={"key": Hostile("x")}).end()
    assert not handle.flush()
    handle.tracer.start_span("hostile", attributes={"key": Hostile("x")}).end()
    assert not handle.shutdown()
    assert handle.stats()["queues"]["spans to file"] == {
        "delivered": 1,
        "pending": 0,
        "lost": {"unencodable": 2},
    }
    assert handle.stats()["lost"] == {"unencodable": 2}
    (path,) = tmp_path.rglob("traces-*")
    assert "fine" in path.read_text()
    assert "telemetry was lost (spans to file: 2 unencodable)" in caplog.text


def test_losses_are_one_line_at_shutdown(caplog):
    """What was lost, and why, is said once."""

    class Refusing(SpanExporter):
        def export(self, spans):
            return SpanExportResult.FAILURE

        def shutdown(self):
            pass

    handle, _, _ = _set_up(exporter=Refusing())
    _span("a")
    with caplog.at_level(logging.WARNING, logger="nemo.lens.sdk"):
        handle.shutdown()
        handle.shutdown()
    lines = [record for record in caplog.records if "telemetry was lost" in record.getMessage()]
    assert len(lines) == 1
    assert "1 refused" in lines[0].getMessage()


@pytest.mark.parametrize("end", ["flush", "shutdown"])
@pytest.mark.parametrize(
    ("timeout_ms", "is_odd"),
    [(float("inf"), False), (10**400, False), (float("nan"), True), (None, True), ([], True)],
)
def test_an_odd_timeout_waits_all_the_same(caplog, end, timeout_ms, is_odd):
    """For as long as it says, or for the default; nothing is lost for it."""
    handle, exporter, _ = _set_up()
    _span("a")
    assert getattr(handle, end)(timeout_ms)
    assert _names(exporter) == ["a"]
    assert ("timeout_ms is no number" in caplog.text) is is_odd
    assert handle.shutdown()


def test_every_handle_call_works_from_any_number_of_threads():
    """Flush and shutdown are idempotent and may race."""
    handle, exporter, _ = _set_up()
    _span("a")
    threads = [threading.Thread(target=call) for call in (handle.flush, handle.shutdown) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
    assert _names(exporter) == ["a"]
    assert handle_module._INITIALIZED is False


def test_all_ranks_of_a_run_share_one_trace_when_asked():
    """With single_trace_id the root spans of this run have the id derived from it."""
    from nemo.lens.sdk.ids import SharedTraceIds

    handle, exporter, _ = _set_up(single_trace_id=True)
    _span("a")
    _span("b")
    handle.shutdown()
    expected = SharedTraceIds("r").generate_trace_id()
    assert {span.context.trace_id for span in exporter.get_finished_spans()} == {expected}


def test_the_rank_sampler_works_beside_the_sampler_of_the_environment(clean_environment):
    """A rank that is selected still obeys OTEL_TRACES_SAMPLER."""
    clean_environment(OTEL_TRACES_SAMPLER="always_off")
    handle, exporter, _ = _set_up(sampler_enabled=True, export_sample_rate=1.0)
    _span("a")
    handle.shutdown()
    assert _names(exporter) == []


@pytest.mark.parametrize(("rate", "expected"), [(0.0, []), (1.0, ["a"])])
def test_the_rank_sampler_takes_the_rank_of_the_resource(clean_environment, rate, expected):
    """It samples too where nobody gives rank= to set-up."""
    clean_environment(OTEL_RESOURCE_ATTRIBUTES="nv.dl.rank=3,nv.dl.world_size=8")
    exporter = InMemorySpanExporter()
    config = NemoLensConfig(
        enabled=True, sampler_enabled=True, export_sample_rate=rate, sigterm_flush=False
    )
    handle = setup_telemetry(config, span_exporter=exporter, metric_reader=InMemoryMetricReader())
    with handle.tracer.start_as_current_span("a"):
        pass
    handle.shutdown()
    assert _names(exporter) == expected


def test_the_rank_sampler_without_any_rank_is_one_warning(clean_environment, caplog):
    """It cannot do what it was switched on for; spans are exported."""
    clean_environment()
    exporter = InMemorySpanExporter()
    config = NemoLensConfig(
        enabled=True, sampler_enabled=True, export_sample_rate=0.0, sigterm_flush=False
    )
    handle = setup_telemetry(config, span_exporter=exporter, metric_reader=InMemoryMetricReader())
    with handle.tracer.start_as_current_span("a"):
        pass
    handle.shutdown()
    assert _names(exporter) == ["a"]
    assert len([line for line in caplog.messages if "sampler_enabled needs a rank" in line]) == 1


def test_a_strategy_that_nobody_knows_is_an_error_without_a_rank_too():
    """A typo must not wait for the job in which a rank is known."""
    config = NemoLensConfig(enabled=True, export_strategy="al_ranks")
    with pytest.raises(ValueError, match="Unknown export_strategy 'al_ranks'"):
        setup_telemetry(config)


def test_an_own_strategy_decides_without_the_sdk_being_loaded():
    """A callable as argument wins over the configuration."""
    asked = []

    def strategy(config, rank, world_size):
        asked.append((rank, world_size))
        return False

    telemetry = setup_telemetry(
        NemoLensConfig(enabled=True), rank="3", world_size=8, export_strategy=strategy
    )
    assert not telemetry.is_exporting
    assert asked == [(3, 8)]
    with pytest.raises(RuntimeError, match="already been initialised"):
        setup_telemetry(NemoLensConfig(enabled=True), rank=3, world_size=8)
    telemetry.shutdown()
    assert handle_module._INITIALIZED is False


def test_an_explicit_strategy_uses_the_rank_of_the_resource(clean_environment):
    """Without rank=, a strategy that was chosen decides by nv.dl.rank."""
    clean_environment(OTEL_RESOURCE_ATTRIBUTES="nv.dl.rank=1,nv.dl.world_size=4")
    handle = setup_telemetry(NemoLensConfig(enabled=True, export_strategy="single_rank"))
    assert not handle.is_exporting
    handle.shutdown()


def test_an_explicit_strategy_without_a_rank_exports_and_warns(caplog):
    """Losing the telemetry of a job for want of a rank would be worse."""
    config = NemoLensConfig(
        enabled=True, export_strategy="single_rank", exporter="console", sigterm_flush=False
    )
    with caplog.at_level(logging.WARNING):
        handle = setup_telemetry(config)
    assert handle.is_exporting
    assert "'single_rank' needs a rank" in caplog.text
    handle.shutdown()
