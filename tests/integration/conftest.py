# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Tests of large frameworks are collected where those are installed: in side environments of CI."""

from importlib.util import find_spec

_TESTS = {"ray": "test_ray.py", "torch": "test_torch_*.py"}

collect_ignore_glob = [tests for framework, tests in _TESTS.items() if not find_spec(framework)]
