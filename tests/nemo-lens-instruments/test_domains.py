# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The domain functions record the reference's metrics under the reference's names."""

import inspect
import subprocess
import sys

import pytest
from opentelemetry.metrics import NoOpMeter

import nemo.lens.instruments
from nemo.lens.instruments import record_inference_metrics
from nemo.lens.instruments.gym import record_gym_metrics
from nemo.lens.instruments.rl import record_rl_metrics

from .conftest import RecordingMeter
from .test_recording import Hostile


def test_rl_values_arrive_under_their_names(meter):
    """Each named parameter has its series; None is left out."""
    keys = [
        key
        for key in inspect.signature(record_rl_metrics).parameters
        if key not in ("meter", "attributes")
    ]
    record_rl_metrics(meter, **{key: index for index, key in enumerate(keys)})
    recorded = {name: points[0][0] for name, points in meter.recorded().items()}
    assert recorded == {
        "rl.reward.mean": 0,
        "rl.kl_divergence": 1,
        "rl.policy_loss": 2,
        "rl.value_loss": 3,
        "rl.entropy": 4,
        "rl.response_length.mean": 5,
        "rl.grad_norm": 6,
        "rl.learning_rate": 7,
        "rl.throughput.tokens_per_sec": 8,
        "rl.generation.duration_ms": 9,
        "rl.rollout.duration_ms": 10,
        "rl.tokens_per_sec": 11,
    }


def test_gym_values_arrive_under_their_names(meter):
    """Durations are histograms in milliseconds, states are gauges."""
    record_gym_metrics(meter, 1, 2, 3, 0.5, 4, attributes={"gym.server.name": "math"})
    recorded = meter.recorded()
    attributes = {"gym.server.name": "math"}
    assert recorded == {
        "gym.server.request_duration_ms": [(1, attributes)],
        "gym.rollout.duration_ms": [(2, attributes)],
        "gym.verify.duration_ms": [(3, attributes)],
        "gym.verify.success_rate": [(0.5, attributes)],
        "gym.servers.active": [(4, attributes)],
    }


def test_inference_follows_the_generative_ai_conventions(meter):
    """One duration point, and one token point for each direction."""
    record_inference_metrics(meter, 0.25, "nemotron", input_tokens=0, output_tokens=7)
    common = {
        "gen_ai.operation.name": "text_completion",
        "gen_ai.provider.name": "nemo",
        "gen_ai.request.model": "nemotron",
    }
    assert meter.points("gen_ai.server.request.duration") == [(0.25, common)]
    assert meter.points("gen_ai.client.token.usage") == [
        (0, {**common, "gen_ai.token.type": "input"}),
        (7, {**common, "gen_ai.token.type": "output"}),
    ]


@pytest.mark.parametrize(
    "model", [["a"], {"b": 1}, b"x", 5, "m" * 100_000, "bad\udcff", "", Hostile]
)
def test_odd_model_names_hurt_nothing(meter, model):
    """The duration is recorded with attributes that any exporter takes."""
    name = Hostile() if model is Hostile else model
    record_inference_metrics(meter, request_duration_s=1.0, model=name)
    ((value, attributes),) = meter.points("gen_ai.server.request.duration")
    assert value == 1.0
    hash(frozenset(attributes.items()))
    str(attributes.get("gen_ai.request.model", "")).encode("utf-8")


def test_a_model_name_of_an_odd_text_type_is_its_text(meter):
    """What the subclass makes of slices and truth does not matter."""

    class Odd(str):
        __slots__ = ()

        def __getitem__(self, index):
            raise RuntimeError("slice")

        __str__ = __bool__ = __getitem__

    record_inference_metrics(meter, 1.0, Odd("nemotron"))
    ((_, attributes),) = meter.points("gen_ai.server.request.duration")
    assert attributes["gen_ai.request.model"] == "nemotron"


def test_the_package_front_stays_small():
    """Consumers import rl and gym through their modules only."""
    assert not hasattr(nemo.lens.instruments, "record_rl_metrics")
    assert not hasattr(nemo.lens.instruments, "record_gym_metrics")


def test_importing_the_instruments_loads_no_sdk():
    """A library that declares metrics pays for no exporter."""
    code = (
        "import sys, nemo.lens.instruments.rl, nemo.lens.instruments.gym\n"
        "sys.exit(any(name.startswith('opentelemetry.sdk') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("attributes", [5, "x", [("a", 1)], {1: object(), "a": {}}, {}, Hostile])
@pytest.mark.parametrize("record", [record_rl_metrics, record_gym_metrics])
def test_odd_attributes_cost_only_themselves(meter, record, attributes):
    """The values are recorded without them."""
    odd = Hostile() if attributes is Hostile else attributes
    record(meter, 1.0, attributes=odd)
    record_inference_metrics(meter, 1.0, attributes=odd)
    assert [points for points in meter.recorded().values() if points[0][1] == {}]
    assert "gen_ai.server.request.duration" in meter.recorded()


def test_attributes_of_the_caller_are_kept_beside_those_of_the_conventions(meter):
    """The conventions win where both name the same."""
    record_inference_metrics(
        meter, 1.0, "m", attributes={"mylib.tier": "gold", "gen_ai.request.model": "other"}
    )
    ((_, attributes),) = meter.points("gen_ai.server.request.duration")
    assert attributes["mylib.tier"] == "gold"
    assert attributes["gen_ai.request.model"] == "m"


@pytest.mark.parametrize(
    "record",
    [
        lambda meter, given: record_inference_metrics(meter, 0.5, "m", 3, attributes=given),
        lambda meter, given: record_rl_metrics(meter, reward_mean=1.0, attributes=given),
        lambda meter, given: record_gym_metrics(meter, active_servers=1, attributes=given),
    ],
)
def test_where_nothing_is_exported_attributes_are_not_even_read(record):
    """A rank that does not export pays for no series that nobody sees."""
    read = []

    class Watched(dict):
        def items(self):
            read.append(self)
            return super().items()

        keys = __iter__ = items

    record(NoOpMeter("nothing"), Watched(a=1))
    assert read == []
    record(RecordingMeter(), Watched(a=1))
    assert read
