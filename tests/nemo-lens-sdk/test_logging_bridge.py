# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Records of `logging` on their way to a backend, and what never happens to the application."""

from __future__ import annotations

import logging

import pytest

from nemo.lens import NemoLensConfig, managed_span, setup_telemetry
from nemo.lens.sdk.log_handler import LensLogHandler
from nemo.lens.sdk.logging_bridge import setup_logging_bridge


def _handlers():
    return [h for h in logging.getLogger().handlers if isinstance(h, LensLogHandler)]


def test_records_arrive_with_severity_attributes_and_source(nemo_lens_logs):
    """Body, level, extra fields and where it was logged."""
    logging.getLogger("qa").warning("%d items", 3, extra={"shard": 7, "odd": object()})
    (record,) = nemo_lens_logs.all()
    assert record.log_record.body == "3 items"
    assert record.log_record.severity_text == "WARN"
    assert record.log_record.severity_number.name == "WARN"
    attributes = dict(record.log_record.attributes)
    assert attributes["shard"] == 7
    assert attributes["odd"].startswith("<object object")
    assert attributes["code.file.path"] == __file__


def test_a_record_inside_a_span_carries_its_ids(nemo_lens_logs):
    """Trace correlation is the point of the bridge."""
    from opentelemetry.sdk.trace import TracerProvider

    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("t")
    with tracer.start_as_current_span("s") as span:
        logging.getLogger("qa").warning("inside")
    context = span.get_span_context()
    (record,) = nemo_lens_logs.all()
    assert record.log_record.trace_id == context.trace_id
    assert record.log_record.span_id == context.span_id


def test_a_logger_has_one_handler_however_often_the_bridge_is_set_up(nemo_lens_logs):
    """No record is exported twice."""
    setup_logging_bridge()
    setup_logging_bridge(level=logging.DEBUG)
    logging.getLogger("qa").warning("once")
    assert nemo_lens_logs.bodies() == ["once"]
    assert len(_handlers()) == 1


def test_records_below_the_roots_level_are_bridged_and_others_print_what_they_did(
    nemo_lens_logs, request
):
    """INFO arrives although the logger was at WARNING; its other handlers stay quiet."""
    seen = []

    class Other(logging.Handler):
        def emit(self, record):
            seen.append(record.getMessage())

    other = Other()
    logger = logging.getLogger("qa.level")
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    logger.addHandler(other)
    request.addfinalizer(lambda: logger.removeHandler(other))
    setup_logging_bridge("qa.level")
    logger.info("quiet")
    logger.warning("loud")
    assert nemo_lens_logs.bodies() == ["quiet", "loud"]
    assert seen == ["loud"]


def test_a_bad_format_string_never_raises(nemo_lens_logs, monkeypatch):
    """`logging` promises that to applications."""
    monkeypatch.setattr(logging, "raiseExceptions", True)
    logger = logging.getLogger("qa.bad")
    monkeypatch.setattr(logger, "propagate", False)
    setup_logging_bridge("qa.bad")
    logger.error("%d items", "x")
    logger.error(*("%s %s", "only one"))
    bodies = nemo_lens_logs.bodies()
    assert len(bodies) == 2
    assert "%d items" in bodies[0]


def test_exporters_and_lens_itself_are_not_exported(nemo_lens_logs):
    """Their records would feed back."""
    for name in ("nemo.lens.sdk", "opentelemetry.exporter.x", "urllib3.connectionpool"):
        logging.getLogger(name).error("loop")
    assert nemo_lens_logs.bodies() == []


def test_an_exception_is_exported_with_type_message_and_stack(nemo_lens_logs):
    """As the semantic conventions name them."""
    try:
        int("boom")
    except ValueError:
        logging.getLogger("qa").exception("failed")
    (record,) = nemo_lens_logs.all()
    attributes = record.log_record.attributes
    assert attributes["exception.type"] == "ValueError"
    assert "boom" in attributes["exception.message"]
    assert "Traceback" in attributes["exception.stacktrace"]


def test_after_shutdown_logging_is_as_before(clean_environment):
    """Handlers and levels are put back."""
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    config = NemoLensConfig(
        enabled=True, exporter="console", logs_enabled=True, run_id="r", sigterm_flush=False
    )
    handle = setup_telemetry(config, rank=0)
    setup_logging_bridge(level=logging.DEBUG)
    assert _handlers()
    handle.shutdown()
    assert (list(root.handlers), root.level) == before
    root.warning("nobody exports this")


def test_without_logs_enabled_nothing_is_touched(nemo_lens_spans):
    """There is nowhere to export to."""
    setup_logging_bridge()
    assert _handlers() == []
    with managed_span("step", "still"):
        pass
    assert nemo_lens_spans.names() == ["still"]


@pytest.mark.parametrize("name", ["nemo.lens.logging_bridge"])
def test_the_compatibility_path_is_the_same_function(name):
    """Clients import it from there."""
    import importlib

    assert importlib.import_module(name).setup_logging_bridge is setup_logging_bridge


@pytest.mark.parametrize(
    ("level", "severity"),
    [
        (0, "UNSPECIFIED"),
        (10, "DEBUG"),
        (20, "INFO"),
        (21, "INFO2"),
        (30, "WARN"),
        (40, "ERROR"),
        (50, "FATAL"),
        (99, "FATAL4"),
    ],
)
def test_severities_are_those_of_the_specification(nemo_lens_logs, level, severity):
    """Four steps for each of the five levels; what is beyond them is the nearest."""
    LensLogHandler().emit(logging.makeLogRecord({"name": "qa", "msg": "m", "levelno": level}))
    (record,) = nemo_lens_logs.all()
    assert record.log_record.severity_number.name == severity


@pytest.mark.parametrize("level", ["INFO", " info ", logging.INFO])
def test_a_level_may_be_a_name(nemo_lens_logs, level):
    """As for the loggers of `logging`, and as in the variable of OpenTelemetry in any case."""
    setup_logging_bridge("qa.level", level)
    logging.getLogger("qa.level").info("in")
    logging.getLogger("qa.level").debug("out")
    assert "in" in nemo_lens_logs.bodies()
    assert "out" not in nemo_lens_logs.bodies()


@pytest.mark.parametrize("level", ["verbose", None, 2.5])
def test_what_is_no_level_is_an_error_before_anything_changes(nemo_lens_logs, level):
    """It names the argument, the value and what is accepted, whether logs are exported or not."""
    with pytest.raises(ValueError, match=f"level={level!r} is not usable; expected a level"):
        setup_logging_bridge("qa.bad_level", level)
    assert logging.getLogger("qa.bad_level").handlers == []
    nemo_lens_logs.handle.shutdown()
    with pytest.raises(ValueError, match="level"):
        setup_logging_bridge("qa.bad_level", level)
