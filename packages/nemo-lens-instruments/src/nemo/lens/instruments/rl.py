# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Reinforcement-learning metrics: rewards, losses and throughput of the policy's training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nemo.lens.instruments.domain import Domain, duration_ms, gauge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.metrics import Meter

_RL = Domain(
    "nemo.lens.rl",
    gauge("reward_mean", "rl.reward.mean", "1", "Mean reward over the batch of rollouts."),
    gauge(
        "kl_divergence", "rl.kl_divergence", "1", "KL divergence of the policy from its reference."
    ),
    gauge("policy_loss", "rl.policy_loss", "1", "Loss of the policy in the last update."),
    gauge("value_loss", "rl.value_loss", "1", "Loss of the value function in the last update."),
    gauge("entropy", "rl.entropy", "1", "Mean entropy of the policy's token distribution."),
    gauge(
        "response_length_mean",
        "rl.response_length.mean",
        "{token}",
        "Mean length of the generated responses.",
    ),
    gauge("grad_norm", "rl.grad_norm", "1", "Norm of the gradient before clipping."),
    gauge("learning_rate", "rl.learning_rate", "1", "Learning rate of the last update."),
    gauge(
        "throughput_tokens_per_sec",
        "rl.throughput.tokens_per_sec",
        "{token}/s",
        "Tokens trained on per second, over all ranks.",
    ),
    duration_ms(
        "generation_duration_ms",
        "rl.generation.duration_ms",
        "rl.generation.duration",
        "Duration of one generation.",
    ),
    duration_ms(
        "rollout_duration_ms",
        "rl.rollout.duration_ms",
        "rl.rollout.duration",
        "Duration of one rollout batch.",
    ),
    gauge("tokens_per_sec", "rl.tokens_per_sec", "{token}/s", "Tokens generated per second."),
)


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
    `NemoLensConfig.metric_durations` says. In an exporting process a call costs a small part of as
    many `gauge.set` calls: the values wait for the next collection, whose thread does the rest.
    With a meter that exports nothing it costs a few look-ups.

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
    _RL.record(meter, values, attributes)
