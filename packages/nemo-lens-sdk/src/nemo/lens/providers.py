# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: INP001 - the package file of nemo.lens is in nemo-lens-api
"""Compatibility path of `nemo.lens.sdk.providers`."""

from nemo.lens.sdk.providers import build_providers

__all__ = ["build_providers"]
