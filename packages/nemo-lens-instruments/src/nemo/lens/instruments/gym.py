# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Environment-server metrics of NeMo-Gym: requests, rollouts and verification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.durations import MINUTES_MS
from nemo.lens.instruments.metric_spec import MetricSpec
from nemo.lens.instruments.recording import record_row
from nemo.lens.instruments.registry import register_metric_group
from nemo.lens.semconv import GYM_VERIFY_SUCCESS_RATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import Meter

GROUP = "nemo.lens.gym"


def _duration(key: str, name: str, seconds_name: str, description: str) -> MetricSpec:
    return MetricSpec(
        key,
        name,
        "histogram",
        "ms",
        description,
        buckets=MINUTES_MS,
        owner="nemo-lens",
        seconds_name=seconds_name,
    )


_SPECS = (
    _duration(
        "server_request_duration_ms",
        "gym.server.request_duration_ms",
        "gym.server.request.duration",
        "Duration of one request to an environment server.",
    ),
    _duration(
        "rollout_duration_ms",
        "gym.rollout.duration_ms",
        "gym.rollout.duration",
        "Duration of one rollout.",
    ),
    _duration(
        "verify_duration_ms",
        "gym.verify.duration_ms",
        "gym.verify.duration",
        "Duration of one verification.",
    ),
    MetricSpec(
        "verify_success_rate",
        GYM_VERIFY_SUCCESS_RATE,
        "gauge",
        "1",
        "Share of verified rollouts that passed.",
        owner="nemo-lens",
    ),
    MetricSpec(
        "active_servers",
        "gym.servers.active",
        "gauge",
        "{server}",
        "Environment servers that answer.",
        owner="nemo-lens",
    ),
)
_KEYS = tuple(spec.key for spec in _SPECS)

# The module may be imported again after it was dropped.
register_metric_group(GROUP, _SPECS, allow_override=True)


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
    durations are histograms, in the unit that `NemoLensConfig.metric_durations` says.

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
    record_row(meter, GROUP, _KEYS, values, attributes)
