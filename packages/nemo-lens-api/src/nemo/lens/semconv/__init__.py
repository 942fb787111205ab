# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Semantic conventions: attribute names as constants."""

from nemo.lens.semconv.attributes import *  # noqa: F403
