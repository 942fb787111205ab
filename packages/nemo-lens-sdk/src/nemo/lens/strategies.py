# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: INP001 - the package file of nemo.lens is in nemo-lens-api
"""Compatibility path of `nemo.lens.sdk.strategies`."""

from nemo.lens.sdk.strategies import *  # noqa: F403 - its __all__ is the list
from nemo.lens.sdk.strategies import __all__ as __all__  # noqa: PLC0414
