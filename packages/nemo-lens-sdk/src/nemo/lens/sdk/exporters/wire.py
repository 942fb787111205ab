# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What became of one attempt to send: whether it reached the wire, and what came back.

Official OTLP exporters answer "success" or "failure". Whether trying again makes sense, and
whether the batch could be encoded at all, is seen where they call their HTTP session or gRPC stub.
"""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any

import requests

if TYPE_CHECKING:
    from collections.abc import Callable

_FIRST_HTTP_ERROR = 400
_RETRYABLE_HTTP = frozenset({408, 429, 502, 503, 504})
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


class Attempt:
    """The last attempt of one exporter.

    Args:
        on_failure: Called after each answer that is a failure, also between the retries that the
            exporter makes on its own.
    """

    def __init__(self, on_failure: Callable[[], object] = lambda: None) -> None:
        self._on_failure = on_failure
        self.begin()

    def begin(self) -> None:
        """Forget the attempt before."""
        self.was_sent = False
        self.can_be_retried = True
        self.reason = "no answer"

    def answered_http(self, status: int) -> None:
        """Note an HTTP answer."""
        self.reason = f"HTTP status {status}"
        self.can_be_retried = status in _RETRYABLE_HTTP
        if status >= _FIRST_HTTP_ERROR:
            self._on_failure()

    def failed(self, error: BaseException) -> None:
        """Note that no answer came."""
        self.reason = f"{type(error).__name__}: {error}"
        self.can_be_retried = True
        self._on_failure()

    def answered_grpc(self, code: str, details: str) -> None:
        """Note a gRPC status."""
        self.reason = f"{code}: {details}"
        self.can_be_retried = code in _RETRYABLE_GRPC
        self._on_failure()


class WatchedSession(requests.Session):
    """The HTTP session of an official exporter, which notes what comes back.

    Args:
        attempt: Where to note it.
        to_json: Turns a protobuf request body into OTLP-JSON, for the protocol `http/json`.
    """

    def __init__(self, attempt: Attempt, to_json: Callable[[bytes], bytes] | None = None) -> None:
        super().__init__()
        self._attempt = attempt
        self._to_json = to_json

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        """Send a prepared request."""
        self._attempt.was_sent = True
        if isinstance(self.verify, str):
            # Newer exporters set the file of OTEL_EXPORTER_OTLP_CERTIFICATE on the session, where
            # `requests` lets REQUESTS_CA_BUNDLE, which many machines set, win over it.
            options["verify"] = self.verify
        if self._to_json is not None:
            _replace_body(request, self._to_json)
        try:
            response = super().send(request, **options)
        except Exception as error:
            self._attempt.failed(error)
            raise
        self._attempt.answered_http(response.status_code)
        return response


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
            return self._stub.Export(request, **options)
        except Exception as error:
            code: Any = getattr(error, "code", None)
            if callable(code):
                status: Any = code()
                self._attempt.answered_grpc(status.name, str(_details(error)))
            else:
                self._attempt.failed(error)
            raise


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
