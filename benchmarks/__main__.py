# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks`: print the table, exit with 1 if a row is past its limit."""

from __future__ import annotations

import sys

from benchmarks.report import main

if __name__ == "__main__":
    sys.exit(main())
