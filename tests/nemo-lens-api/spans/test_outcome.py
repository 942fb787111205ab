# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What a span says about the exception that ended its work, and that the caller sees the same."""

import asyncio
import concurrent.futures
import gc
import os
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.trace import StatusCode

from nemo.lens.helpers import managed_span, span_cm, trace_fn
from nemo.lens.spans import redaction
from nemo.lens.spans.outcome import MAX_MESSAGE_CHARACTERS, exception_message


@pytest.fixture
def spans(nemo_lens_recorder, nemo_lens_groups):
    """Record spans of the group `step`."""
    nemo_lens_groups("step")
    return nemo_lens_recorder


def raise_it(error):
    """Raise `error`."""
    raise error


def recorded(spans, error, name="a"):
    """Let `error` leave a span and return that span, sure that the caller got the same object."""
    with pytest.raises(type(error)) as caught, managed_span("step", name):
        raise error
    assert caught.value is error
    return spans.span(name)


class TestKinds:
    """One row of the table each."""

    def test_an_exception_is_an_event_and_an_error(self, spans):
        """With type, message and stack trace."""
        span = recorded(spans, ValueError("boom"))
        (event,) = span.events
        assert event.name == "exception"
        assert event.attributes["exception.type"] == "ValueError"
        assert event.attributes["exception.message"] == "boom"
        assert "ValueError: boom" in event.attributes["exception.stacktrace"]
        assert "in recorded" in event.attributes["exception.stacktrace"]
        assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "boom")

    def test_an_exception_without_text_is_described_by_its_type(self, spans):
        """The status always says something."""
        assert recorded(spans, KeyError()).status.description == "KeyError"

    @pytest.mark.parametrize(
        "error",
        [asyncio.CancelledError(), concurrent.futures.CancelledError(), KeyboardInterrupt()],
    )
    def test_cancellations_and_interrupts_are_marked(self, spans, error):
        """They are told from failures by an attribute."""
        span = recorded(spans, error)
        assert span.attributes == {"nemo.span.cancelled": True}
        assert [event.name for event in span.events] == ["exception"]
        assert span.status.status_code is StatusCode.ERROR

    @pytest.mark.parametrize(
        ("code", "status"), [(3, 3), ("cannot go on", 1), (-1, 255), (object(), 1)]
    )
    def test_an_exit_with_an_error_tells_the_code(self, spans, code, status):
        """As the interpreter will exit."""
        span = recorded(spans, SystemExit(code))
        assert span.attributes == {"nemo.exit.code": status}
        assert [event.name for event in span.events] == ["exception"]
        assert span.status.status_code is StatusCode.ERROR

    @pytest.mark.parametrize("error", [SystemExit(), SystemExit(0), SystemExit(False)])
    def test_an_orderly_exit_is_no_error(self, spans, error):
        """An event and an attribute, no status."""
        span = recorded(spans, error)
        assert span.attributes == {"nemo.exit.code": 0}
        assert [event.name for event in span.events] == ["nemo.exit"]
        assert span.status.status_code is StatusCode.UNSET

    def test_a_consumer_that_stops_is_no_error(self, spans):
        """GeneratorExit."""
        span = recorded(spans, GeneratorExit())
        assert span.attributes == {"nemo.span.cancelled": True}
        assert [event.name for event in span.events] == ["nemo.span.cancelled"]
        assert span.status.status_code is StatusCode.UNSET

    def test_other_base_exceptions_are_errors(self, spans):
        """Frameworks derive from BaseException directly."""

        class Abort(BaseException):
            pass

        assert recorded(spans, Abort("stop")).status.status_code is StatusCode.ERROR

    @pytest.mark.parametrize("error", [StopIteration(4), StopAsyncIteration()])
    def test_stop_iteration_does_not_become_a_runtime_error(self, spans, error):
        """As it does with generator-based context managers."""
        recorded(spans, error)


class TestHostileExceptions:
    """Telemetry never changes which exception the caller sees."""

    def test_a_broken_str_reaches_nobody(self, spans):
        """managed_span, span_cm and trace_fn alike."""

        class BadError(Exception):
            def __str__(self):
                raise RuntimeError("no text for you")

            __repr__ = __str__

        for manager in (managed_span("step", "m"), span_cm("s")):
            with pytest.raises(BadError), manager:
                raise BadError
        with pytest.raises(BadError):
            trace_fn("step", "t")(raise_it)(BadError())
        assert spans.names() == ["m", "s", "t"]
        for span in spans.spans:
            assert span.events[0].attributes["exception.type"].endswith("BadError")
            assert "cannot be read" in span.status.description

    @pytest.mark.parametrize("raised", [SystemExit, KeyboardInterrupt, MemoryError])
    def test_a_str_that_asks_to_exit_does_not_replace_the_exception(self, spans, raised):
        """Whatever it raises."""

        class BadError(Exception):
            def __str__(self):
                raise raised

        with pytest.raises(BadError), managed_span("step", "m"):
            raise BadError
        (event,) = spans.span("m").events
        assert "cannot be read" in event.attributes["exception.message"]

    def test_an_exit_whose_code_cannot_be_read_counts_as_a_failure(self, spans):
        """As it does for the interpreter."""

        class BadExit(SystemExit):
            @property
            def code(self):
                raise RuntimeError("no code for you")

        span = recorded(spans, BadExit())
        assert span.attributes == {"nemo.exit.code": 1}
        assert span.status.status_code is StatusCode.ERROR

    def test_a_class_that_cannot_be_read_is_still_an_error(self, spans):
        """A metaclass may refuse every question."""

        class Meta(type):
            def __getattribute__(cls, name):
                raise RuntimeError("no name for you")

        class BadError(Exception, metaclass=Meta):
            pass

        error = BadError("text")
        with pytest.raises(Exception) as caught, managed_span("step", "m"):
            raise error
        assert caught.value is error
        assert spans.names() == ["m"]

    def test_lone_surrogates_are_written_out(self, spans):
        """A file name that is no UTF-8 would lose the whole batch."""
        span = recorded(spans, OSError("cannot read " + os.fsdecode(b"caf\xe9")))
        for text in (span.status.description, *span.events[0].attributes.values()):
            text.encode("utf-8")
        assert span.events[0].attributes["exception.message"] == "cannot read caf\\udce9"

    def test_a_huge_message_is_cut(self, spans):
        """Beginning and end are kept, and how much is missing."""
        span = recorded(spans, MemoryError("x" * 5_000_000 + " the end"))
        message = span.events[0].attributes["exception.message"]
        assert len(message) < MAX_MESSAGE_CHARACTERS + 100
        assert message.endswith("the end")
        assert "characters cut" in message

    @pytest.mark.parametrize(
        "secret",
        [
            "http://user:{}@host/path",
            "http://host/path?password={}&x=1",
            "api_key='a b {} c'",
            "token: {}",
        ],
    )
    @settings(max_examples=30)
    @given(distance=st.integers(0, 80), is_at_the_end=st.booleans())
    def test_a_secret_at_the_cut_is_hidden(self, secret, distance, is_at_the_end):
        """Neither half of it looks like one by itself."""
        text = secret.format("ZY" * 20)
        near = "z " * (MAX_MESSAGE_CHARACTERS // 4 - 40) + "z" * distance + " "
        far = " z" * MAX_MESSAGE_CHARACTERS
        whole = f"{far} {text} {near}" if is_at_the_end else f"{near}{text}{far}"
        message = exception_message(ValueError(whole))
        assert "characters cut" in message
        assert "ZY" not in message
        assert "YZ" not in message

    def test_the_rest_of_a_url_at_the_cut_is_left_out(self):
        """What stood before it said what it was."""
        url = "http://host/path?" + "Q" * MAX_MESSAGE_CHARACTERS
        message = exception_message(ValueError("z " * MAX_MESSAGE_CHARACTERS + url + " the end"))
        assert message.endswith("cut ...\nthe end")
        assert "Q" not in message

    def test_the_exception_and_its_frames_are_not_kept_alive(self, spans):
        """They hold tensors."""

        class Big:
            pass

        references = []

        def body():
            big = Big()
            references.append(weakref.ref(big))
            raise ValueError

        def run():
            with pytest.raises(ValueError), managed_span("step", "m"):
                body()
            with pytest.raises(ValueError):
                trace_fn("step", "t")(body)()

        run()
        gc.collect()
        assert [reference() for reference in references] == [None, None]


class TestRedaction:
    """Messages and stack traces follow the redaction rule."""

    @pytest.mark.parametrize(
        "message",
        [
            "login failed: password=hunter2",
            "bad header Authorization: Bearer hunter2",
            "{'api_key': 'hunter2', 'n': 1}",
            "Config(prompt='hunter2')",
            "DB_PASSWORD=hunter2;",
        ],
    )
    def test_secrets_inside_texts_are_masked(self, spans, message):
        """In the status, the message and the stack trace."""
        span = recorded(spans, ValueError(message))
        assert "hunter2" not in span.status.description
        assert "[REDACTED]" in span.status.description
        assert "hunter2" not in span.events[0].attributes["exception.stacktrace"].splitlines()[-1]

    @pytest.mark.parametrize("message", ["missing key: layer.0.weight", "text = decode(ids)"])
    def test_ordinary_prose_is_left_alone(self, spans, message):
        """Words such as "key" and "text" are no secrets in a sentence."""
        assert recorded(spans, ValueError(message)).status.description == message

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("GET https://u:pw@h/x failed", "GET https://[REDACTED]@h/x failed"),
            ("redis://:hunter2@10.0.0.1:6379/0", "redis://[REDACTED]@10.0.0.1:6379/0"),
            ("s3+http://AKIA@bucket", "s3+http://[REDACTED]@bucket"),
            ("postgresql://u:p@ss@db/x, then", "postgresql://[REDACTED]@db/x, then"),
            ("connect to http://u:it's@h/x", "connect to http://[REDACTED]@h/x"),
            ("http://u:a/b?c#d@h/x", "http://[REDACTED]@h/x"),
            ("//u:pw@h/x", "//[REDACTED]@h/x"),
            ("http://host:80/users/a@b", "http://host:80/users/a@b"),
            ("http://host/path?to=a@b", "http://host/path?to=a@b"),
            (
                "mail me@example.com about http://host:80",
                "mail me@example.com about http://host:80",
            ),
        ],
    )
    def test_credentials_in_urls_are_masked(self, spans, text, expected):
        """In the message, the stack trace and the status."""
        span = recorded(spans, ValueError(text))
        attributes = span.events[0].attributes
        assert attributes["exception.message"] == span.status.description == expected
        assert expected in attributes["exception.stacktrace"]

    def test_the_message_key_hides_the_message_everywhere(self, spans):
        """`<PREFIX>_REDACT_KEYS=exception.message`."""
        redaction.set_added_redact_keys(["exception.message"])
        span = recorded(spans, ValueError("private"))
        assert span.status.description == "[REDACTED]"
        assert span.events[0].attributes["exception.message"] == "[REDACTED]"
        stacktrace = span.events[0].attributes["exception.stacktrace"]
        assert stacktrace.rstrip().endswith("ValueError")
        assert "in recorded" in stacktrace

    def test_the_stacktrace_key_hides_the_stack_trace(self, spans):
        """`<PREFIX>_REDACT_KEYS=exception.stacktrace`."""
        redaction.set_added_redact_keys(["exception.stacktrace"])
        attributes = recorded(spans, ValueError("shown")).events[0].attributes
        assert attributes["exception.stacktrace"] == "[REDACTED]"
        assert attributes["exception.message"] == "shown"
