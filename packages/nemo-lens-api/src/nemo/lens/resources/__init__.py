# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Resource detection: what describes this process, read from its environment.

Detection reads environment variables and a few small files. It starts no subprocess, talks to no
network, takes less than 5 ms, and never raises: what cannot be read is left out. Importing this
package imports no OpenTelemetry.
"""

from __future__ import annotations

from nemo.lens.resources.attributes import (
    extend_otel_resource_attributes,
    publish_otel_resource_attributes,
)
from nemo.lens.resources.detection import detect_resource
from nemo.lens.resources.gpu import detect_gpu
from nemo.lens.resources.kubernetes import detect_kubernetes
from nemo.lens.resources.local import detect_local
from nemo.lens.resources.slurm import detect_slurm

__all__ = [
    "detect_gpu",
    "detect_kubernetes",
    "detect_local",
    "detect_resource",
    "detect_slurm",
    "extend_otel_resource_attributes",
    "publish_otel_resource_attributes",
]
