# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Compatibility path of `nemo.lens.sdk.logging_bridge`."""

from nemo.lens.sdk.logging_bridge import setup_logging_bridge as setup_logging_bridge
