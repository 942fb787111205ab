# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Compatibility path of `nemo.lens.sdk.sampling`, loaded at first use: it needs the SDK."""

from nemo.lens.sdk.lazy_sampling import __getattr__ as __getattr__
