# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One trace through Ray tasks and actors.

    @ray.remote
    class Generator:
        def __init__(self):
            setup_actor_telemetry("generator")

        @traced_remote_call
        def generate(self, prompts): ...

    generators = Generator.options(runtime_env=actor_runtime_env(config)).remote()
    reference = ray_dispatch_with_context(generators.generate, prompts)

Ray itself is imported only by `setup_actor_telemetry`, inside an actor, and by
`record_over_actors`, which gives the metrics of all actors as one.
"""

from nemo.lens.contrib.ray.actor_metrics import record_over_actors
from nemo.lens.contrib.ray.actor_setup import (
    KILL_LOSS_MS,
    actor_runtime_env,
    setup_actor_telemetry,
)
from nemo.lens.contrib.ray.dispatch import (
    CARRIER_KEYWORD,
    extract_ray_context,
    inject_ray_context,
    ray_dispatch_with_context,
)
from nemo.lens.contrib.ray.remote_calls import traced_remote_call

__all__ = [
    "CARRIER_KEYWORD",
    "KILL_LOSS_MS",
    "actor_runtime_env",
    "extract_ray_context",
    "inject_ray_context",
    "ray_dispatch_with_context",
    "record_over_actors",
    "setup_actor_telemetry",
    "traced_remote_call",
]
