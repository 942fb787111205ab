# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The application's own logging is the same with logs exported as without."""

from __future__ import annotations

import json
import logging
import logging.config
from functools import partial

import pytest

from nemo.lens import NemoLensConfig, setup_telemetry
from nemo.lens.sdk.log_handler import LensLogHandler
from nemo.lens.sdk.logging_bridge import setup_logging_bridge

_APPLICATION = """
    import logging, logging.config
    from logging.config import dictConfig as configure_by_name
    from nemo.lens import NemoLensConfig, setup_telemetry

    handle = setup_telemetry(NemoLensConfig.from_env(), rank=0)
    log = logging.getLogger("app.part")
    {configure}
    log.info("info")
    log.warning("warning %d", 1)
    log.error("error")
    logging.getLogger("nemo.lens.sdk").warning("from lens")
    aside = logging.getLogger("aside")
    aside.propagate = False
    aside.warning("aside")
    quiet = logging.getLogger("quiet")
    quiet.addHandler(logging.NullHandler())
    quiet.warning("quiet")
    handle.shutdown()
    log.warning("afterwards")
"""
_DICT_CONFIG = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"own": {"format": "own %(message)s"}},
    "handlers": {"own": {"class": "logging.StreamHandler", "formatter": "own"}},
    "root": {"level": "INFO", "handlers": ["own"]},
}


@pytest.mark.parametrize(
    ("configure", "exported"),
    [
        ("pass", ["warning 1", "error", "quiet"]),
        ("logging.basicConfig()", ["warning 1", "error", "quiet"]),
        ("logging.basicConfig(level=logging.INFO)", ["info", "warning 1", "error", "quiet"]),
        ("logging.basicConfig(force=True)", ["warning 1", "error", "quiet"]),
        (f"logging.config.dictConfig({_DICT_CONFIG})", ["info", "warning 1", "error", "quiet"]),
        (f"configure_by_name({_DICT_CONFIG})", ["info", "warning 1", "error", "quiet"]),
        (
            "log.addHandler(logging.NullHandler()); log.setLevel(logging.ERROR)",
            ["error", "quiet"],
        ),
    ],
)
def test_standard_error_is_the_same_whether_logs_are_exported_or_not(
    run_python, tmp_path, configure, exported
):
    """What nobody configured, what the application configures later, and what it keeps quiet."""
    script = _APPLICATION.format(configure=configure)
    environment = {"NEMO_LENS_EXPORTER": "file", "NEMO_LENS_DIR": str(tmp_path)}
    without = run_python(script, environment=environment)
    logs = run_python(script, environment={**environment, "NEMO_LENS_LOGS_ENABLED": "1"})
    assert logs.stderr == without.stderr
    assert logs.stdout == without.stdout
    assert _bodies(tmp_path) == exported


def _bodies(run_folder):
    return [
        record["body"]["stringValue"]
        for path in run_folder.rglob("logs-*.jsonl")
        for line in path.read_text().splitlines()
        for scopes in json.loads(line)["resourceLogs"]
        for scope in scopes["scopeLogs"]
        for record in scope["logRecords"]
    ]


@pytest.fixture
def set_up(clean_environment, tmp_path):
    """Set up the export of logs to files; shut it down after the test."""
    handles = []

    def begin():
        config = NemoLensConfig(
            enabled=True,
            exporter="file",
            directory=str(tmp_path),
            logs_enabled=True,
            run_id="r",
            sigterm_flush=False,
        )
        handles.append(setup_telemetry(config, rank=0))
        return handles[-1]

    yield begin
    for handle in handles:
        handle.shutdown()


@pytest.fixture
def printed():
    """The messages that a handler of the application at the root logger prints."""
    messages = []

    class Printing(logging.Handler):
        def emit(self, record):
            messages.append(record.getMessage())

    handler = Printing()
    logging.getLogger().addHandler(handler)
    yield messages
    logging.getLogger().removeHandler(handler)


def test_a_level_that_was_asked_for_is_exported_and_not_printed(
    clean_environment, set_up, tmp_path, printed
):
    """OTEL_PYTHON_LOG_LEVEL opens the root logger; handlers print what they did before."""
    clean_environment(OTEL_PYTHON_LOG_LEVEL="Debug")
    root = logging.getLogger()
    before = root.level
    handle = set_up()
    logging.getLogger("qa").debug("fine")
    logging.getLogger("qa").warning("loud")
    handle.shutdown()
    assert _bodies(tmp_path) == ["fine", "loud"]
    assert printed == ["loud"]
    assert root.level == before


def test_a_higher_level_that_was_asked_for_exports_less_and_prints_the_same(
    clean_environment, set_up, tmp_path, printed, caplog
):
    """Nor does anybody complain that nothing was exported."""
    clean_environment(OTEL_PYTHON_LOG_LEVEL="error")
    handle = set_up()
    logging.getLogger("qa").warning("loud")
    handle.shutdown()
    assert _bodies(tmp_path) == []
    assert printed == ["loud"]
    assert caplog.messages == ["loud"]


def test_garbage_for_the_level_is_a_warning_and_the_loggers_level(
    clean_environment, set_up, caplog
):
    """As for every variable of OpenTelemetry."""
    clean_environment(OTEL_PYTHON_LOG_LEVEL="loud")
    set_up()
    assert "OTEL_PYTHON_LOG_LEVEL: 'loud'. Expected one of" in caplog.text
    assert logging.getLogger().level == logging.WARNING


def test_that_no_record_was_exported_is_told_where_the_level_may_be_why(set_up, caplog):
    """Somebody switched logs on and looks for them."""
    handle = set_up()
    logging.getLogger("qa").info("dropped by the logger")
    handle.shutdown()
    (line,) = caplog.messages
    assert "the root logger drops what is below WARNING" in line
    assert "OTEL_PYTHON_LOG_LEVEL=info" in line


@pytest.mark.parametrize(
    "act", [setup_logging_bridge, partial(logging.getLogger("qa").error, "one")]
)
def test_nobody_is_told_where_records_came_or_the_level_was_opened(set_up, caplog, act):
    """A job in which nothing happens has nothing to log."""
    handle = set_up()
    act()
    handle.shutdown()
    assert [line for line in caplog.messages if line != "one"] == []


def test_shutdown_brings_the_functions_of_logging_back(set_up, monkeypatch):
    """Those that another library has replaced meanwhile stay."""
    before = logging.basicConfig, logging.config.dictConfigClass, logging.config.fileConfig
    handle = set_up()
    assert logging.config.fileConfig is not before[2]
    assert logging.config.dictConfigClass is not before[1]
    handle.shutdown()
    after = logging.basicConfig, logging.config.dictConfigClass, logging.config.fileConfig
    assert after == before
    handle = set_up()

    def of_another_library(**_options):
        """Replace the function for good."""

    monkeypatch.setattr(logging, "basicConfig", of_another_library)
    handle.shutdown()
    assert logging.basicConfig is of_another_library


def test_a_configuration_that_fails_leaves_the_handler_in_place(set_up):
    """The error is the application's; its records are exported on."""
    set_up()
    with pytest.raises(ValueError, match="version"):
        logging.config.dictConfig({})
    assert [h for h in logging.getLogger().handlers if isinstance(h, LensLogHandler)]


def test_of_two_exporting_handlers_one_prints_for_both(set_up, capsys, monkeypatch):
    """A logger with a handler of its own passes its records on to the root logger's."""
    set_up()
    setup_logging_bridge("qa.both", logging.ERROR)
    exporting = [h for h in logging.getLogger().handlers if isinstance(h, LensLogHandler)]
    with monkeypatch.context() as patch:
        patch.setattr(logging.getLogger(), "handlers", exporting)
        logging.getLogger("qa.both").warning("once")
    assert capsys.readouterr().err == "once\n"
