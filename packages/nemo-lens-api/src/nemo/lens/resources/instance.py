# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`service.instance.id`: one readable name for each process of a run."""

from __future__ import annotations

import os
import re
import sys

__all__ = ["child_instance_id", "instance_id", "started_by_multiprocessing"]

_MAIN_ROLE = "trainer"
_PID = re.compile(r"-p\d+$")


def instance_id(
    run_id: str, rank: int, *, role: str | None = None, attempt: str = "", child: bool = False
) -> str:
    """Name a process of a run.

    Args:
        run_id: The id of the run, which all its processes share.
        rank: The rank of the process, or of the process that started it.
        role: What the process does. The trainer of a rank, and a process without a role, is the
            one that the plain name belongs to.
        attempt: What tells this attempt from the others, as in `Identity.attempt`.
        child: Whether the process only inherited its rank; it is told apart by its pid then.

    Returns:
        `<run id>-rank<N>` with `-<role>`, `-r<attempt>` and `-p<pid>` appended where they apply.
    """
    name = f"{run_id}-rank{rank}"
    if role and role != _MAIN_ROLE:
        name += f"-{role}"
    if attempt:
        name += f"-r{attempt}"
    return name + _own_pid() if child else name


def child_instance_id(parent: str) -> str:
    """Name this process by the name of the one that started it, and its own pid.

    Args:
        parent: The name of the other process; the pid of its own that it ends in is left out.
    """
    return _PID.sub("", parent) + _own_pid()


def _own_pid() -> str:
    return f"-p{os.getpid()}"


def started_by_multiprocessing() -> bool:
    """Say whether `multiprocessing` started this process, without importing it."""
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None
