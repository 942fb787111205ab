# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""A meter that keeps what is recorded, on the OpenTelemetry API alone, and a fresh registry."""

from __future__ import annotations

import pytest
from opentelemetry.metrics import NoOpMeter

from nemo.lens.instruments import schema
from nemo.lens.instruments.problems import forget_problems
from nemo.lens.instruments.registry import registered_metric_groups, unregister_metric_group

schema()  # declares the groups of the package, which are not to be forgotten with those of a test


class RecordingInstrument:
    """Keeps every (value, attributes) that reaches it."""

    def __init__(self, name, options):
        self.name = name
        self.options = options
        self.points = []

        self.contexts = []

    def record(self, value, attributes=None, context=None):
        """Keep one point, whatever the method's name is on the real instrument."""
        self.points.append((value, dict(attributes or {})))
        self.contexts.append(context)

    set = add = record


class RecordingMeter(NoOpMeter):
    """Counts the instruments made and gives access to their points by name."""

    def __init__(self):
        super().__init__("test")
        self.instruments = {}
        self.refused = set()
        self.made = 0

    def recorded(self):
        """Return the points of every instrument that has some, by name."""
        return {
            name: instrument.points
            for name, instrument in self.instruments.items()
            if instrument.points
        }

    def collect(self):
        """Call every callback, as a reader does first; return the observations by name."""
        return {
            name: [
                (observation.value, dict(observation.attributes or {}))
                for callback in instrument.options["callbacks"]
                for observation in callback(None)
            ]
            for name, instrument in list(self.instruments.items())
            if "callbacks" in instrument.options
        }

    def points(self, name):
        """Return the points recorded under an instrument's name."""
        return self.instruments[name].points

    def _create(self, name, **options):
        if name in self.refused:
            raise ValueError(f"cannot make {name}")
        self.made += 1
        self.instruments[name] = RecordingInstrument(name, options)
        return self.instruments[name]

    create_gauge = create_counter = create_histogram = create_up_down_counter = _create
    create_observable_gauge = create_observable_counter = _create
    create_observable_up_down_counter = _create


@pytest.fixture
def meter():
    """Give a meter that keeps its points."""
    return RecordingMeter()


@pytest.fixture(autouse=True)
def _own_registry():
    before = registered_metric_groups()
    yield
    for group in registered_metric_groups().keys() - before.keys():
        unregister_metric_group(group)
    forget_problems()
