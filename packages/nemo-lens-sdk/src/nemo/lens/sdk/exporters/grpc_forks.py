# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""gRPC that works in forked children, asked for without a trace in the environment."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from nemo.lens.sdk.otel_environment import with_variables

if TYPE_CHECKING:
    from collections.abc import Generator

_VARIABLE = "GRPC_ENABLE_FORK_SUPPORT"


@contextlib.contextmanager
def with_fork_support() -> Generator[None, None, None]:
    """Have gRPC handle forks, unless the user decided about that.

    gRPC reads the variable when it is imported and when the first channel is made. Without it a
    channel that is built in a forked child hangs on threads that only the parent has. Programs that
    are started later make their own choice.
    """
    asked = {} if _VARIABLE in os.environ else {_VARIABLE: "1"}
    with with_variables(asked):
        yield
