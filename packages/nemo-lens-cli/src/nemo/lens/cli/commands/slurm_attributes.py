# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens set-slurm-resource-attrs`: hand the SLURM job's attributes to what a script starts."""

from __future__ import annotations

import os
import shlex
import socket
from typing import TYPE_CHECKING, Any, Final

from nemo.lens.cli import exits

if TYPE_CHECKING:
    import argparse

    from nemo.lens.cli.screen import Screen

NAME = "set-slurm-resource-attrs"
SUMMARY = "print the resource attributes of a SLURM job for eval"
DESCRIPTION = (
    "Print one line for eval that adds the attributes of the SLURM job to "
    "OTEL_RESOURCE_ATTRIBUTES, so that every process started afterwards reports them, in whatever "
    "language it is written. What the variable says already stays and wins. Outside of SLURM the "
    "line keeps the variable as it is, so that scripts run there too."
)
EPILOG = """\
examples:
  nemo-lens set-slurm-resource-attrs --stage sbatch
  nemo-lens set-slurm-resource-attrs --stage task --container-image IMAGE
  nemo-lens set-slurm-resource-attrs --stage task --json

in a script, first in the batch script and then in each task:
  eval "$(nemo-lens set-slurm-resource-attrs --stage sbatch)"

exit status:
  0 the line was printed, 2 wrong usage (nothing is printed then)
"""

SBATCH: Final = "sbatch"
TASK: Final = "task"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--stage",
        choices=(SBATCH, TASK),
        required=True,
        metavar="STAGE",
        help="sbatch: the batch script, whose node says nothing about the tasks; "
        "task: a task of srun, which adds host.name",
    )
    parser.add_argument(
        "--container-image",
        metavar="IMAGE",
        default=None,
        help="the image that the task runs in (nv.dl.launch.container.image)",
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Print the line."""
    from nemo.lens.resources.attributes import (
        OTEL_RESOURCE_ATTRIBUTES,
        extend_otel_resource_attributes,
        parse_otel_resource_attributes,
    )

    if arguments.container_image is not None and arguments.stage != TASK:
        arguments.parser.error("--container-image requires --stage task")
    text = extend_otel_resource_attributes(
        os.environ.get(OTEL_RESOURCE_ATTRIBUTES),
        defaults=_attributes(arguments.stage, arguments.container_image),
    )
    if arguments.json:
        attributes = parse_otel_resource_attributes(text)
        screen.json({"schema": 1, "run": None, "value": text, "attributes": attributes})
    else:
        screen.write(f"export {OTEL_RESOURCE_ATTRIBUTES}={shlex.quote(text)}")
    return exits.DONE


def _attributes(stage: str, container_image: str | None) -> dict[str, Any]:
    from nemo.lens import semconv
    from nemo.lens.resources.slurm import derive_slurm_resource_attributes

    attributes: dict[str, Any] = dict(derive_slurm_resource_attributes())
    if stage == TASK:
        attributes[semconv.HOST_NAME] = socket.gethostname()
        # An empty name is no image: `--container-image "$IMAGE"` works where there is none.
        attributes[semconv.NV_DL_LAUNCH_CONTAINER_IMAGE] = container_image or None
    else:
        # They describe the node that runs the batch script, and every task would inherit them.
        for name in (semconv.SLURM_TOPOLOGY_ADDR, semconv.SLURM_TOPOLOGY_ADDR_PATTERN):
            attributes.pop(name, None)
    return attributes
