# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What became of one attempt to send: whether it reached the wire, and what came back.

Official OTLP exporters answer "success" or "failure". Whether trying again makes sense, and
whether the batch could be encoded at all, is seen where they call their HTTP session or gRPC stub.
The attempts that they would repeat by themselves end there: the export queue repeats them, and can
still be flushed and shut down meanwhile.
"""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any

from nemo.lens.configuration.foreign_variables import read_foreign_variable
from nemo.lens.sdk.export_queue import Outcome
from nemo.lens.sdk.exporters.answers import (
    PartialSuccess,
    partial_success,
    partial_success_of_body,
    wait_of_header,
    wait_of_trailers,
)
from nemo.lens.sdk.noise import ReportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    import requests

    from nemo.lens.sdk.exporters.otlp_variables import Signal

_SUCCESSES = range(200, 300)
_TOO_LARGE = 413
_RETRYABLE_HTTP = frozenset({408, 429, 502, 503, 504})
_RETRYABLE_GRPC_VARIABLE = "OTEL_PYTHON_EXPORTER_OTLP_GRPC_RETRYABLE_ERROR_CODES"
_RETRYABLE_GRPC = frozenset(
    {
        "CANCELLED",
        "DEADLINE_EXCEEDED",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNAVAILABLE",
        "DATA_LOSS",
        "RESOURCE_EXHAUSTED",
    }
)
_GRPC_SAYS_TOO_LARGE = "larger than max"


class AttemptFailedError(ReportedError):
    """Ends an export in which the official exporter would try again by itself."""


class Attempt:
    """The last attempt of one exporter.

    Args:
        signal: What is exported.
        on_problem: Called after each answer that is no plain success.

    Attributes:
        was_sent: Whether the batch could be encoded and was handed to the transport.
        outcome: What is to be done with the batch.
        reason: What came back, for people.
        rejected: Items that the collector did not keep of a batch that it accepted.
        retry_after_s: Seconds that the collector asks to wait.
    """

    def __init__(self, signal: Signal, on_problem: Callable[[], object] = lambda: None) -> None:
        self._signal: Signal = signal
        self._on_problem = on_problem
        self._retryable_over_grpc = _retryable_over_grpc()
        self.begin()

    def begin(self) -> None:
        """Forget the attempt before."""
        self.was_sent = False
        self.outcome = Outcome.RETRY
        self.reason = "no answer"
        self.rejected = 0
        self.retry_after_s = 0.0

    def answered_http(self, response: requests.Response) -> None:
        """Note an HTTP answer.

        Raises:
            AttemptFailedError: The batch is to be sent again later.
        """
        status = response.status_code
        if status in _SUCCESSES:
            kind = response.headers.get("Content-Type", "")
            self._accepted(partial_success_of_body(self._signal, response.content, kind))
            return
        self.retry_after_s = wait_of_header(response.headers.get("Retry-After"))
        outcome = Outcome.RETRY if status in _RETRYABLE_HTTP else Outcome.REFUSED
        self._failed(
            Outcome.TOO_LARGE if status == _TOO_LARGE else outcome, f"HTTP status {status}"
        )

    def answered_grpc(self, message: Any) -> None:
        """Note a response message."""
        self._accepted(partial_success(self._signal, message))

    def failed_over_grpc(self, error: Any) -> None:
        """Note a gRPC status.

        Raises:
            AttemptFailedError: The batch is to be sent again later.
        """
        code, details = error.code().name, str(_details(error))
        self.retry_after_s = wait_of_trailers(error)
        outcome = Outcome.RETRY if code in self._retryable_over_grpc else Outcome.REFUSED
        too_large = code == "RESOURCE_EXHAUSTED" and _GRPC_SAYS_TOO_LARGE in details
        self._failed(Outcome.TOO_LARGE if too_large else outcome, f"{code}: {details}")

    def failed(self, error: BaseException) -> None:
        """Note that no answer came.

        Raises:
            AttemptFailedError: Always.
        """
        self._failed(Outcome.RETRY, f"{type(error).__name__}: {error}")

    def could_not_encode(self, error: BaseException) -> None:
        """Note that nothing was sent."""
        self.outcome = Outcome.REFUSED
        self.reason = f"{type(error).__name__}: {error}"
        self._on_problem()

    def _accepted(self, told: PartialSuccess) -> None:
        self.outcome = Outcome.DELIVERED
        self.rejected, self.reason = told
        if told.rejected or told.message:
            self._on_problem()

    def _failed(self, outcome: Outcome, reason: str) -> None:
        self.outcome = outcome
        self.reason = reason
        self._on_problem()
        if outcome is not Outcome.REFUSED:
            raise AttemptFailedError(reason)


def watch_session(
    session: requests.Session,
    attempt: Attempt,
    to_json: Callable[[bytes], bytes] | None = None,
) -> requests.Session:
    """Have the HTTP session of an official exporter note what comes back.

    Args:
        session: The session, perhaps of a class that authenticates itself.
        attempt: Where to note it.
        to_json: Turns a protobuf request body into OTLP-JSON, for the protocol `http/json`.

    Returns:
        The session.
    """
    unwatched = session.send

    def send(request: requests.PreparedRequest, **options: Any) -> requests.Response:
        attempt.was_sent = True
        # A login page that answers in the place of the collector is no success.
        options["allow_redirects"] = False
        if isinstance(session.verify, str):
            # Newer exporters set the file of OTEL_EXPORTER_OTLP_CERTIFICATE on the session, where
            # `requests` lets REQUESTS_CA_BUNDLE, which many machines set, win over it.
            options["verify"] = session.verify
        if to_json is not None:
            _replace_body(request, to_json)
        try:
            response = unwatched(request, **options)
        except Exception as error:
            attempt.failed(error)
            raise
        attempt.answered_http(response)
        return response

    vars(session)["send"] = send
    return session


class WatchedStub:
    """The gRPC stub of an official exporter, which notes what comes back.

    Args:
        stub: The stub to call.
        attempt: Where to note it.
    """

    def __init__(self, stub: Any, attempt: Attempt) -> None:
        self._stub = stub
        self._attempt = attempt

    def Export(self, request: Any, **options: Any) -> Any:  # noqa: N802 - the service's name
        """Call the collector."""
        self._attempt.was_sent = True
        try:
            response = self._stub.Export(request, **options)
        except Exception as error:
            if callable(getattr(error, "code", None)):
                self._attempt.failed_over_grpc(error)
            else:
                self._attempt.failed(error)
            raise
        self._attempt.answered_grpc(response)
        return response


def _retryable_over_grpc() -> frozenset[str]:
    listed: str | None = read_foreign_variable(_RETRYABLE_GRPC_VARIABLE)
    return _RETRYABLE_GRPC if listed is None else frozenset(listed.upper().split(","))


def _details(error: Any) -> object:
    details = getattr(error, "details", None)
    return details() if callable(details) else error


def _replace_body(request: requests.PreparedRequest, to_json: Callable[[bytes], bytes]) -> None:
    body = request.body if isinstance(request.body, bytes) else b""
    encoding = request.headers.get("Content-Encoding", "").lower()
    if encoding == "gzip":
        body = gzip.compress(to_json(gzip.decompress(body)))
    elif encoding == "deflate":
        body = zlib.compress(to_json(zlib.decompress(body)))
    else:
        body = to_json(body)
    request.body = body
    request.headers["Content-Type"] = "application/json"
    request.headers["Content-Length"] = str(len(body))
