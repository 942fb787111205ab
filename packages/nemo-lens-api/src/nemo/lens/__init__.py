# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""NeMo Lens: shared OpenTelemetry instrumentation for distributed AI training."""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)
