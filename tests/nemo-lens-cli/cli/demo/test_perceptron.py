# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The model of the demo and its optimizer."""

from __future__ import annotations

import math

import pytest

from nemo.lens.cli.demo import penguins
from nemo.lens.cli.demo.perceptron import MomentumSGD, Perceptron


def examples(count):
    return [penguins.decode(record) for record in penguins.read_records()[:count]]


@pytest.mark.parametrize("sizes", [(4, 3), (4, 5, 3), (4, 6, 5, 3)])
def test_the_gradient_is_the_slope_of_the_loss(sizes):
    """Every component agrees with the difference quotient of the loss."""
    model = Perceptron(sizes, seed=3)
    batch = examples(6)
    start = model.parameters
    gradient = model.forward_backward(batch).gradient
    step = 1e-5

    for index in range(len(start)):
        losses = []
        for sign in (1, -1):
            moved = list(start)
            moved[index] += sign * step
            model.parameters = moved
            losses.append(model.forward_backward(batch).loss_sum)
        assert math.isclose(gradient[index], (losses[0] - losses[1]) / (2 * step), abs_tol=1e-6)


def test_parameters_survive_being_taken_and_given():
    """The flat vector has one place for each weight and bias, in a fixed order."""
    source, copy = Perceptron((4, 5, 3), seed=1), Perceptron((4, 5, 3), seed=2)

    copy.parameters = source.parameters

    assert len(source.parameters) == 5 * 5 + 6 * 3
    assert copy.parameters == source.parameters
    assert copy.forward_backward(examples(8)) == source.forward_backward(examples(8))


def test_an_untrained_network_has_the_loss_of_guessing():
    """Small initial weights mean roughly equal probabilities of the three species."""
    loss = Perceptron((4, 48, 48, 3), seed=2).forward_backward(examples(342)).loss_sum / 342

    assert 0.7 < loss < 1.6


def test_training_finds_the_species():
    """Sixty steps are enough to recognise nearly every held-out penguin."""
    records = penguins.read_records()
    batches = penguins.batches(penguins.training_records(records), 64, seed=0)
    held_out = [penguins.decode(record) for record in penguins.held_out_records(records)]
    model = Perceptron((4, 16, 3), seed=2)
    optimizer = MomentumSGD(model, 60)

    for step in range(1, 61):
        gradient = model.forward_backward(next(batches)).gradient
        optimizer.step([value / 64 for value in gradient], step)

    assert model.count_correct(held_out) >= 65


@pytest.mark.parametrize("steps", [1, 2, 5, 60, 1000])
def test_the_learning_rate_rises_then_falls_and_stays_positive(steps):
    """Warm-up is linear to the peak, then the rate only falls; short trainings work too."""
    optimizer = MomentumSGD(Perceptron((4, 3), seed=0), steps)
    rates = [optimizer.learning_rate(step) for step in range(1, steps + 1)]

    peak = rates.index(max(rates))
    assert rates[: peak + 1] == sorted(rates[: peak + 1])
    assert rates[peak:] == sorted(rates[peak:], reverse=True)
    assert all(0 < rate <= 0.02 for rate in rates)


def test_momentum_keeps_moving_after_the_gradient_is_gone():
    """A second step with a zero gradient still moves, in the same direction and less far."""
    model = Perceptron((4, 3), seed=0)
    optimizer = MomentumSGD(model, 1000)
    positions = [model.parameters[0]]
    for value in (1.0, 0.0):
        optimizer.step([value] * len(model.parameters), 100)
        positions.append(model.parameters[0])

    first, second = positions[1] - positions[0], positions[2] - positions[1]
    assert first < second < 0
