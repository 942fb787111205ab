# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The logging bridge beside the real package `opentelemetry-instrumentation-logging`."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest
from opentelemetry.instrumentation.logging.handler import LoggingHandler

from nemo.lens.sdk.log_handler import LensLogHandler
from nemo.lens.sdk.logging_bridge import setup_logging_bridge

pytestmark = pytest.mark.integration


def _attach(request, handler):
    root = logging.getLogger()
    root.addHandler(handler)
    request.addfinalizer(lambda: root.removeHandler(handler))
    return handler


def test_its_handler_translates_the_records(nemo_lens_logs):
    """`otel.event.name` becomes the name of the event, which only that handler does."""
    logging.getLogger("qa").warning("%d items", 3, extra={"otel.event.name": "qa.event", "n": 7})
    (record,) = nemo_lens_logs.all()
    assert record.log_record.body == "3 items"
    assert record.log_record.event_name == "qa.event"
    assert record.log_record.attributes["n"] == 7
    assert record.log_record.attributes["code.file.path"] == __file__


def test_what_it_cannot_translate_is_exported_all_the_same(nemo_lens_logs, monkeypatch, caplog):
    """A bad format string, a hostile argument and odd extra fields raise and warn nowhere."""

    class Hostile(Exception):  # noqa: N818 - not an error of ours
        def __str__(self):
            raise RuntimeError

    monkeypatch.setattr(logging, "raiseExceptions", True)
    logger = logging.getLogger("qa.bad")
    # pytest's own handlers are at the root, and do raise.
    monkeypatch.setattr(logger, "propagate", False)
    setup_logging_bridge("qa.bad")
    logger.error("%d items", "x")
    logger.error("odd", extra={"odd": object(), "nan": float("nan"), "lone\ud800": "\udcff"})
    error = Hostile(Hostile())
    logger.error("failed", exc_info=(Hostile, error, None))
    records = nemo_lens_logs.all()
    assert [record.log_record.body for record in records] == ["%d items ('x',)", "odd", "failed"]
    assert records[1].log_record.attributes["nan"] == "nan"
    assert records[1].log_record.attributes["odd"].startswith("<object object")
    assert records[2].log_record.attributes["exception.type"].endswith("Hostile")
    assert not [record for record in caplog.records if record.name.startswith("opentelemetry")]


def test_a_handler_that_the_application_attached_is_not_doubled(nemo_lens_logs, request):
    """Its records arrive once, those of the exporters not at all, and it is left as it was."""
    root = logging.getLogger()
    for ours in [h for h in root.handlers if isinstance(h, LensLogHandler)]:
        root.removeHandler(ours)
    handler = _attach(request, LoggingHandler())
    setup_logging_bridge()
    logging.getLogger("qa").info("once")
    logging.getLogger("nemo.lens.sdk").error("loop")
    assert nemo_lens_logs.bodies() == ["once"]
    assert not [h for h in root.handlers if isinstance(h, LensLogHandler)]
    nemo_lens_logs.handle.shutdown()
    assert handler.filters == []
    assert handler.level == logging.NOTSET


def test_interpreter_exit_prints_no_traceback():
    """`logging` flushes its handlers last, when no thread can be started any more."""
    script = """
import logging
from nemo.lens import NemoLensConfig, setup_telemetry
setup_telemetry(NemoLensConfig(enabled=True, exporter="console", logs_enabled=True, run_id="r"))
logging.getLogger("qa").warning("hello")
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert '"hello"' in done.stdout
    assert "Traceback" not in done.stderr
