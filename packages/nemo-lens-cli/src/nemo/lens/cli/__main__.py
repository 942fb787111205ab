# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Makes `python -m nemo.lens.cli` the same as `nemo-lens`."""

import sys

from nemo.lens.cli import main

if __name__ == "__main__":
    sys.exit(main())
