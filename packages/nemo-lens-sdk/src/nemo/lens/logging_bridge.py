# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: INP001 - the package file of nemo.lens is in nemo-lens-api
"""Compatibility path of `nemo.lens.sdk.logging_bridge`."""

from nemo.lens.sdk.logging_bridge import setup_logging_bridge

__all__ = ["setup_logging_bridge"]
