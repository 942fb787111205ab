# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The bridge where the package of OpenTelemetry's log handler is missing, old or broken."""

from __future__ import annotations

import logging
import sys
import types
import warnings

import pytest

from nemo.lens.sdk import _otel_private
from nemo.lens.sdk.official_log_handler import exports_to, official_handler

MODULE = "opentelemetry.instrumentation.logging.handler"


class _Raising(logging.Handler):
    """Takes what the real handler takes, and fails at each record."""

    def __init__(self, logger_provider, log_code_attributes):
        super().__init__()

    def emit(self, record):
        raise RuntimeError


def _module(**content):
    module = types.ModuleType(MODULE)
    vars(module).update(content)
    return module


@pytest.mark.parametrize(
    "module",
    [None, _module(), _module(LoggingHandler=object), _module(LoggingHandler=_Raising)],
    ids=["missing", "without the handler", "of another shape", "that raises"],
)
def test_without_a_usable_handler_records_are_translated_here(nemo_lens_logs, monkeypatch, module):
    """A package that is missing, older or broken costs no record."""
    monkeypatch.setitem(sys.modules, MODULE, module)
    logging.getLogger("qa").warning("%d items", 3, extra={"shard": 7})
    (record,) = nemo_lens_logs.all()
    assert record.log_record.body == "3 items"
    assert record.log_record.attributes["shard"] == 7


def test_a_handler_that_does_not_take_a_provider_is_not_used(monkeypatch):
    """None, never an error."""
    monkeypatch.setitem(sys.modules, MODULE, _module(LoggingHandler=logging.NullHandler))
    assert official_handler(object()) is None


def test_a_handler_of_the_application_counts_when_it_feeds_our_provider():
    """That of the SDK, which newer releases deprecate: one of another provider does not count."""
    from opentelemetry.sdk import _logs

    provider, other = _logs.LoggerProvider(), _logs.LoggerProvider()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        handler = _logs.LoggingHandler(logger_provider=provider)
    assert exports_to(handler, provider)
    assert not exports_to(handler, other)
    assert not exports_to(logging.NullHandler(), provider)
    provider.shutdown()
    other.shutdown()


def test_a_handler_made_before_set_up_feeds_whatever_becomes_global():
    """OpenTelemetry hands out a proxy until a provider is installed."""
    from opentelemetry import _logs as logs_api
    from opentelemetry.sdk import _logs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        handler = _logs.LoggingHandler(logger_provider=logs_api.get_logger_provider())
    assert _otel_private.feeds_logger_provider(handler, object())
