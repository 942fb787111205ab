# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A training script with NeMo Lens in it: fits a line by gradient descent, in one process.

Records nothing by itself. To see its spans and its loss in files, and then a report::

    export NEMO_LENS_ENABLED=1 NEMO_LENS_EXPORTER=file NEMO_LENS_SPAN_GROUPS=per_step
    python examples/train_loop.py
    nemo-lens report nemo-lens-runs

A job of several ranks sets ``NEMO_LENS_EXPORT_STRATEGY=all_ranks`` as well, to record all of them.
"""

import random

from nemo import lens
from nemo.lens import SpanGroup

STEPS = 50
BATCH_SIZE = 32
LEARNING_RATE = 0.2
SLOPE, OFFSET = 3.0, -1.0


def next_batch(noise: random.Random) -> list[tuple[float, float]]:
    """Points near the line that the model has to find."""
    inputs = [noise.uniform(-1.0, 1.0) for _ in range(BATCH_SIZE)]
    return [(x, SLOPE * x + OFFSET + noise.gauss(0.0, 0.05)) for x in inputs]


@lens.trace_fn(SpanGroup.FORWARD_BACKWARD, "example.forward_backward")
def forward_backward(
    weights: tuple[float, float], batch: list[tuple[float, float]]
) -> tuple[float, tuple[float, float]]:
    """The mean squared error of the line on the batch, and its gradient."""
    slope, offset = weights
    errors = [(slope * x + offset - y, x) for x, y in batch]
    loss = sum(error**2 for error, _ in errors) / len(batch)
    gradient = (
        2 * sum(error * x for error, x in errors) / len(batch),
        2 * sum(error for error, _ in errors) / len(batch),
    )
    return loss, gradient


def train() -> float:
    """Fit the line and return the last loss."""
    loss_gauge = lens.get_meter().create_gauge(
        "example.loss", unit="1", description="Mean squared error on the batch of the step."
    )
    noise = random.Random(0)  # noqa: S311  # data, not a secret
    weights, loss = (0.0, 0.0), 0.0
    for step in range(STEPS):
        lens.set_step(step)
        with lens.managed_span(SpanGroup.STEP, "example.step", iteration=step):
            loss, gradient = forward_backward(weights, next_batch(noise))
            with lens.managed_span(SpanGroup.OPTIMIZER, "example.optimizer"):
                weights = (
                    weights[0] - LEARNING_RATE * gradient[0],
                    weights[1] - LEARNING_RATE * gradient[1],
                )
        loss_gauge.set(loss)
    return loss


def main() -> None:
    """Set telemetry up from the environment, train, and shut telemetry down."""
    config = lens.NemoLensConfig.from_env()
    telemetry = lens.setup_telemetry(config, rank=0, world_size=1)
    try:
        with lens.span_cm("example.job"):
            print(f"loss after {STEPS} steps: {train():.4f}")
    finally:
        telemetry.shutdown()


if __name__ == "__main__":
    main()
