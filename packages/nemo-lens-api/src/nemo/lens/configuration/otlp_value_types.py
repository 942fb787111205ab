# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Where an OTLP exporter sends to, and with which headers, as OpenTelemetry's variables say it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nemo.lens.configuration.value_types import Text

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[ !#-+\--:<-\[\]-~]*")
_GRPC_NAME: Final = re.compile(r"[0-9a-z_.-]+")


class Endpoint(Text):
    """A URL, or another target that gRPC connects to.

    What follows a scheme of another kind, or a host without one, is for the exporter to
    understand: gRPC takes `host:port`, `unix:/path` and more.
    """

    fault = "Invalid endpoint"

    def __init__(self) -> None:
        super().__init__("an 'http://' or 'https://' URL, or over gRPC a target like 'host:port'")

    def parse(self, text: str) -> str:
        """Give the endpoint without the blanks around it."""
        from urllib.parse import urlsplit

        endpoint = text.strip()
        if not endpoint.isprintable() or " " in endpoint:
            raise ValueError(text)
        parts = urlsplit(endpoint)
        has_host = parts.hostname is not None and parts.port != 0  # raises when it is no port
        if parts.scheme in {"http", "https"} and not has_host:
            raise ValueError(text)
        return endpoint


def is_http_url(endpoint: str) -> bool:
    """Say whether an endpoint that `Endpoint` accepts is one for HTTP too."""
    return endpoint.lower().startswith(("http://", "https://"))


class Headers(Text):
    """Headers as `name=value` pairs, which may be secrets and are never shown."""

    fault = "Invalid headers"
    secret = True

    def __init__(self) -> None:
        super().__init__("'name=value' pairs with commas between them, other characters as '%20'")

    def parse(self, text: str) -> str:
        """Give the text, which the exporter takes apart itself."""
        if self.remains(text) != text:
            raise ValueError(text)
        return text

    def remains(self, text: str) -> str:
        """Give the pairs that can be sent over HTTP, and thus `text` itself if all can."""
        return _pairs_with(text, _fits_http)


def headers_for_grpc(text: str) -> str:
    """Give the pairs that gRPC can send too: its names and values are narrower than HTTP's."""
    return _pairs_with(text, _fits_grpc)


def _pairs_with(text: str, fits: Callable[[str], bool]) -> str:
    pairs = text.split(",")
    good = [pair for pair in pairs if not pair.strip() or fits(pair)]
    return text if len(good) == len(pairs) else ",".join(good)


def _fits_http(pair: str) -> bool:
    raw_name, equals, raw_value = pair.partition("=")
    if not equals or not _TOKEN.fullmatch(raw_name.strip()):
        return False
    if not _VALUE.fullmatch(raw_value.strip()):
        return False
    name, value = _decoded(pair)
    return bool(_TOKEN.fullmatch(name)) and value.isprintable() and _is_latin(value)


def _fits_grpc(pair: str) -> bool:
    if not _fits_http(pair):
        return False
    name, value = _decoded(pair)
    return bool(_GRPC_NAME.fullmatch(name)) and not name.endswith("-bin") and value.isascii()


def _decoded(pair: str) -> tuple[str, str]:
    from urllib.parse import unquote

    name, _, value = pair.partition("=")
    return unquote(name).strip().lower(), unquote(value).strip()


def _is_latin(text: str) -> bool:
    return all(character <= "\xff" for character in text)
