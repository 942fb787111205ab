# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Environment-server metrics of NeMo-Gym: requests, rollouts and verification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.domain import Domain, duration_ms, gauge
from nemo.lens.semconv import GYM_VERIFY_SUCCESS_RATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import Meter

_GYM = Domain(
    "nemo.lens.gym",
    duration_ms(
        "server_request_duration_ms",
        "gym.server.request_duration_ms",
        "gym.server.request.duration",
        "Duration of one request to an environment server.",
    ),
    duration_ms(
        "rollout_duration_ms",
        "gym.rollout.duration_ms",
        "gym.rollout.duration",
        "Duration of one rollout.",
    ),
    duration_ms(
        "verify_duration_ms",
        "gym.verify.duration_ms",
        "gym.verify.duration",
        "Duration of one verification.",
    ),
    gauge(
        "verify_success_rate",
        GYM_VERIFY_SUCCESS_RATE,
        "1",
        "Share of verified rollouts that passed.",
    ),
    gauge(
        "active_servers",
        "gym.servers.active",
        "{server}",
        "Environment servers that answer.",
    ),
)


def record_gym_metrics(  # noqa: PLR0917 - the signature is the compatibility contract
    meter: Meter,
    server_request_duration_ms: float | None = None,
    rollout_duration_ms: float | None = None,
    verify_duration_ms: float | None = None,
    verify_success_rate: float | None = None,
    active_servers: int | None = None,
    *,
    attributes: Mapping[str, Any] | None = None,
) -> None:
    """Record what environment servers did.

    Never raises; `None` values are left out, and what cannot be recorded is logged once. The
    durations are histograms, in the unit that `NemoLensConfig.metric_durations` says. With a meter
    that exports nothing this costs a few look-ups.

    Args:
        meter: The meter of the handle.
        server_request_duration_ms: Duration of one server request in milliseconds.
        rollout_duration_ms: Duration of one rollout in milliseconds.
        verify_duration_ms: Duration of one verification in milliseconds.
        verify_success_rate: Share of verifications that passed, 0 to 1.
        active_servers: Number of servers that answer.
        attributes: Attributes of every point of this call.
    """
    values = (
        server_request_duration_ms,
        rollout_duration_ms,
        verify_duration_ms,
        verify_success_rate,
        active_servers,
    )
    _GYM.record(meter, values, attributes)
