# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reinforcement-learning metrics: rewards, losses and throughput of the policy's training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.durations import MINUTES_MS
from nemo.lens.instruments.metric_spec import MetricSpec
from nemo.lens.instruments.recording import record_row
from nemo.lens.instruments.registry import register_metric_group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import Meter

GROUP = "nemo.lens.rl"


def _gauge(key: str, name: str, description: str, unit: str = "1") -> MetricSpec:
    return MetricSpec(key, name, "gauge", unit, description, owner="nemo-lens")


def _duration(key: str, name: str, description: str) -> MetricSpec:
    return MetricSpec(
        key,
        name,
        "histogram",
        "ms",
        description,
        buckets=MINUTES_MS,
        owner="nemo-lens",
        seconds_name=name.removesuffix("_ms"),
    )


_SPECS = (
    _gauge("reward_mean", "rl.reward.mean", "Mean reward over the batch of rollouts."),
    _gauge("kl_divergence", "rl.kl_divergence", "KL divergence of the policy from its reference."),
    _gauge("policy_loss", "rl.policy_loss", "Loss of the policy in the last update."),
    _gauge("value_loss", "rl.value_loss", "Loss of the value function in the last update."),
    _gauge("entropy", "rl.entropy", "Mean entropy of the policy's token distribution."),
    _gauge(
        "response_length_mean",
        "rl.response_length.mean",
        "Mean length of the generated responses.",
        "{token}",
    ),
    _gauge("grad_norm", "rl.grad_norm", "Norm of the gradient before clipping."),
    _gauge("learning_rate", "rl.learning_rate", "Learning rate of the last update."),
    _gauge(
        "throughput_tokens_per_sec",
        "rl.throughput.tokens_per_sec",
        "Tokens trained on per second, over all ranks.",
        "{token}/s",
    ),
    _duration("generation_duration_ms", "rl.generation.duration_ms", "Duration of one generation."),
    _duration("rollout_duration_ms", "rl.rollout.duration_ms", "Duration of one rollout batch."),
    _gauge("tokens_per_sec", "rl.tokens_per_sec", "Tokens generated per second.", "{token}/s"),
)
_KEYS = tuple(spec.key for spec in _SPECS)

# The module may be imported again after it was dropped.
register_metric_group(GROUP, _SPECS, allow_override=True)


def record_rl_metrics(  # noqa: PLR0917 - the signature is the compatibility contract
    meter: Meter,
    reward_mean: float | None = None,
    kl_divergence: float | None = None,
    policy_loss: float | None = None,
    value_loss: float | None = None,
    entropy: float | None = None,
    response_length_mean: float | None = None,
    grad_norm: float | None = None,
    learning_rate: float | None = None,
    throughput_tokens_per_sec: float | None = None,
    generation_duration_ms: float | None = None,
    rollout_duration_ms: float | None = None,
    tokens_per_sec: float | None = None,
    *,
    attributes: Mapping[str, Any] | None = None,
) -> None:
    """Record the numbers of one policy update.

    Never raises; `None` values are left out, and what cannot be recorded is logged once. The
    gauges keep the last value; the two durations are histograms, in the unit that
    `NemoLensConfig.metric_durations` says. In an exporting process a call costs about a tenth of
    as many `gauge.set` calls: the values wait for the next collection.

    Args:
        meter: The meter of the handle.
        reward_mean: Mean reward over the batch of rollouts.
        kl_divergence: KL divergence of the policy from its reference.
        policy_loss: Loss of the policy.
        value_loss: Loss of the value function.
        entropy: Mean entropy of the policy.
        response_length_mean: Mean response length in tokens.
        grad_norm: Norm of the gradient.
        learning_rate: Learning rate.
        throughput_tokens_per_sec: Training throughput in tokens per second.
        generation_duration_ms: Duration of the generation in milliseconds.
        rollout_duration_ms: Duration of the rollout in milliseconds.
        tokens_per_sec: Generation throughput in tokens per second.
        attributes: Attributes of every point of this call.
    """
    values = (
        reward_mean,
        kl_divergence,
        policy_loss,
        value_loss,
        entropy,
        response_length_mean,
        grad_norm,
        learning_rate,
        throughput_tokens_per_sec,
        generation_duration_ms,
        rollout_duration_ms,
        tokens_per_sec,
    )
    record_row(meter, GROUP, _KEYS, values, attributes)
