# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The torch tests are collected where torch is installed: in the side environment of CI."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["test_torch_*.py"]
