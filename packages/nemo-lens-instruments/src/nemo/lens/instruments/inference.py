# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Inference metrics, after the OpenTelemetry conventions for generative AI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.domain import Domain, distribution
from nemo.lens.instruments.durations import REQUEST_S
from nemo.lens.instruments.points import point_attributes
from nemo.lens.semconv import (
    GENAI_OPERATION_NAME,
    GENAI_PROVIDER_NAME,
    GENAI_REQUEST_MODEL,
    GENAI_TOKEN_TYPE,
)
from nemo.lens.spans.text import real_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import Meter

_COMMON_ATTRIBUTES = (GENAI_OPERATION_NAME, GENAI_PROVIDER_NAME, GENAI_REQUEST_MODEL)
_LONGEST_ATTRIBUTE = 256
_TOKENS = tuple(4**power for power in range(14))
"""The bounds that the conventions advise."""

_INFERENCE = Domain(
    "nemo.lens.inference",
    distribution(
        "request_duration_s",
        "gen_ai.server.request.duration",
        "s",
        "Time from receiving a generation request to its last token.",
        REQUEST_S,
        _COMMON_ATTRIBUTES,
    ),
    distribution(
        "tokens",
        "gen_ai.client.token.usage",
        "{token}",
        "Tokens of one request, read or written.",
        _TOKENS,
        (*_COMMON_ATTRIBUTES, GENAI_TOKEN_TYPE),
    ),
)


def record_inference_metrics(  # noqa: PLR0917 - the signature is the compatibility contract
    meter: Meter,
    request_duration_s: float | None = None,
    model: str | None = None,
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    provider_name: str = "nemo",
    operation_name: str = "text_completion",
    *,
    attributes: Mapping[str, Any] | None = None,
) -> None:
    """Record what one inference request took.

    Never raises; `None` values are left out, and what cannot be recorded is logged once. With a
    meter that exports nothing this costs a few look-ups.

    Args:
        meter: The meter of the handle.
        request_duration_s: Duration of the request in seconds.
        model: Name of the model that was asked for; left out when empty.
        input_tokens: Tokens read.
        output_tokens: Tokens written.
        provider_name: `gen_ai.provider.name`.
        operation_name: `gen_ai.operation.name`, such as `chat` or `text_completion`.
        attributes: Further attributes of the points.
    """
    if _INFERENCE.is_discarded(meter):
        return
    common: dict[str, Any] = {
        **(point_attributes(attributes, _INFERENCE.group) or {}),
        GENAI_OPERATION_NAME: operation_name,
        GENAI_PROVIDER_NAME: provider_name,
        GENAI_REQUEST_MODEL: _model_name(model),
    }
    if request_duration_s is not None:
        _INFERENCE.record(meter, (request_duration_s, None), common)
    for token_type, tokens in (("input", input_tokens), ("output", output_tokens)):
        if tokens is not None:
            _INFERENCE.record(meter, (None, tokens), {**common, GENAI_TOKEN_TYPE: token_type})


def _model_name(model: Any) -> Any:
    """Return no name, which is left out, for an empty one, and the head of an endless one."""
    if not issubclass(real_type(model), str):
        return model
    return str.__str__(model)[:_LONGEST_ATTRIBUTE] or None
