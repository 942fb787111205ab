# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Compatibility path of `nemo.lens.sdk.strategies`."""

from nemo.lens.sdk.strategies import *
