# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Exit statuses of the command, and the errors that lead to them."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
PROBLEM: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130
OUTPUT_CLOSED: Final = 141


class UsageError(Exception):
    """The command was called in a way it does not accept; the message is one line for a person."""


class ProblemError(Exception):
    """The command cannot answer, e.g. nothing is readable; the message is one line for a person."""
