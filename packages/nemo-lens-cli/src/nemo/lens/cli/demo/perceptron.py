# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A small neural network with hand-written gradients, and the optimizer that trains it."""

from __future__ import annotations

import math
import random
from array import array
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nemo.lens.cli.demo.penguins import Example

    Vector = list[float]
    Matrix = list[Vector]

_MOMENTUM = 0.9
_PEAK_LEARNING_RATE = 0.02
_WARM_UP_SHARE = 0.1


class BatchResult(NamedTuple):
    """What one pass over a batch yields; sums, so that ranks can add theirs up."""

    gradient: array[float]
    loss_sum: float


class Perceptron:
    """A fully connected network: tanh in the hidden layers, softmax at the end.

    Args:
        sizes: Width of each layer, from the features to the classes.
        seed: Makes the initial weights reproducible.
    """

    def __init__(self, sizes: Sequence[int], seed: int) -> None:
        source = random.Random(seed)  # noqa: S311 - reproducible weights, no secret
        self._layers: list[Matrix] = [
            # One row for each output: its weights, then its bias.
            [
                [source.gauss(0.0, fan_in**-0.5) for _ in range(fan_in)] + [0.0]
                for _ in range(fan_out)
            ]
            for fan_in, fan_out in pairwise(sizes)
        ]

    @property
    def parameters(self) -> array[float]:
        """All weights and biases as one flat vector (a copy)."""
        return _flatten(self._layers)

    @parameters.setter
    def parameters(self, flat: Sequence[float]) -> None:
        position = 0
        for layer in self._layers:
            width = len(layer[0])
            for index in range(len(layer)):
                layer[index] = list(flat[position : position + width])
                position += width

    def forward_backward(self, batch: Iterable[Example]) -> BatchResult:
        """Cross-entropy loss of a batch and its gradient.

        Args:
            batch: The examples to learn from.

        Returns:
            The sums over the batch of the losses and of the gradients by each parameter.
        """
        gradient: list[Matrix] = [[[0.0] * len(row) for row in layer] for layer in self._layers]
        loss_sum = 0.0
        for example in batch:
            activations = self._forward(example.features)
            probabilities = activations[-1]
            loss_sum -= math.log(max(probabilities[example.label], 1e-300))
            delta = probabilities.copy()
            delta[example.label] -= 1.0
            self._backward(activations, delta, gradient)
        return BatchResult(_flatten(gradient), loss_sum)

    def count_correct(self, examples: Iterable[Example]) -> int:
        """How many of ``examples`` the network assigns to their own species."""
        correct = 0
        for example in examples:
            probabilities = self._forward(example.features)[-1]
            correct += probabilities.index(max(probabilities)) == example.label
        return correct

    def _forward(self, features: Sequence[float]) -> list[Vector]:
        """The input with its bias unit, each hidden layer with its own, then the probabilities."""
        activations = [[*features, 1.0]]
        for layer in self._layers[:-1]:
            below = activations[-1]
            activations.append([*(math.tanh(sum(map(mul, row, below))) for row in layer), 1.0])
        scores = [sum(map(mul, row, activations[-1])) for row in self._layers[-1]]
        highest = max(scores)
        exponentials = [math.exp(score - highest) for score in scores]
        total = sum(exponentials)
        activations.append([value / total for value in exponentials])
        return activations

    def _backward(self, activations: list[Vector], delta: Vector, gradient: list[Matrix]) -> None:
        """Add one example's gradient; ``delta`` is the loss's slope by the last layer's scores."""
        for index in reversed(range(len(self._layers))):
            below = activations[index]
            rows = gradient[index]
            for output, slope in enumerate(delta):
                rows[output] = [g + slope * value for g, value in zip(rows[output], below)]  # noqa: B905 - hot
            if index:
                columns = zip(*self._layers[index])  # noqa: B905 - hot
                delta = [
                    sum(map(mul, column, delta)) * (1.0 - value * value)
                    for column, value in zip(columns, below[:-1])  # noqa: B905 - the bias unit drops out
                ]


class MomentumSGD:
    """Stochastic gradient descent with momentum, linear warm-up and cosine decay.

    Args:
        model: The network whose parameters are updated.
        total_steps: Steps of the whole training, which the learning rate decays over.
    """

    def __init__(self, model: Perceptron, total_steps: int) -> None:
        self._model = model
        self._total_steps = total_steps
        self.velocity: array[float] = array("d", bytes(8 * len(model.parameters)))

    def learning_rate(self, step: int) -> float:
        """The learning rate of ``step``, counted from 1."""
        warm_up = max(1, round(_WARM_UP_SHARE * self._total_steps))
        if step <= warm_up:
            return _PEAK_LEARNING_RATE * step / warm_up
        progress = (step - warm_up) / (self._total_steps - warm_up)
        return _PEAK_LEARNING_RATE * (0.01 + 0.99 * (1.0 + math.cos(math.pi * progress)) / 2)

    def step(self, mean_gradient: Sequence[float], step: int) -> None:
        """Move the parameters against ``mean_gradient``."""
        rate = self.learning_rate(step)
        self.velocity = array(
            "d",
            [_MOMENTUM * v + g for v, g in zip(self.velocity, mean_gradient, strict=True)],
        )
        parameters = self._model.parameters
        self._model.parameters = [
            p - rate * v for p, v in zip(parameters, self.velocity, strict=True)
        ]


def _flatten(layers: Iterable[Matrix]) -> array[float]:
    flat: array[float] = array("d")
    for layer in layers:
        for row in layer:
            flat.extend(row)
    return flat
