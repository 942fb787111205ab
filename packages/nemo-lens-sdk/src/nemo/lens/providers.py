# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Compatibility path of `nemo.lens.sdk.providers`."""

from nemo.lens.sdk.providers import build_providers as build_providers
