# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The whole resource of a process, composed in one order of precedence.

The caller wins over the configuration, the configuration over the environment, and the environment
over what is detected. Defaults come last.
"""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING, Any, Protocol

from nemo.lens import semconv
from nemo.lens.resources.attribute_values import clean_attributes
from nemo.lens.resources.attributes import get_otel_resource_attributes
from nemo.lens.resources.detection import detect_resource
from nemo.lens.resources.environment import environment_of, parse_count, read_text
from nemo.lens.resources.identity import Identity, detect_identity
from nemo.lens.semconv.resources import SLURM_RESOURCE_TYPES, normalize_resource_attributes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nemo.lens.resources.attributes import ResourceAttributeValue

    Attributes = dict[str, ResourceAttributeValue]

__all__ = ["ResourceConfig", "compose_resource"]

# The name under which set-up is known to everybody who filters its messages.
_log = logging.getLogger("nemo.lens.providers")

_DEFAULT_SERVICE_NAME = "nemo"
_MAIN_ROLE = "trainer"
_IDENTITY = (semconv.NV_DL_RANK, semconv.NV_DL_WORLD_SIZE, semconv.NV_DL_LOCAL_RANK)
_NEVER_EMPTY = (semconv.SERVICE_NAME, semconv.SERVICE_INSTANCE_ID)


class ResourceConfig(Protocol):
    """The fields of `NemoLensConfig` that describe the process.

    A service name that nobody chose is a subclass of `str`; see `NemoLensConfig`.
    """

    @property
    def service_name(self) -> str: ...
    @property
    def service_version(self) -> str: ...
    @property
    def run_id(self) -> str: ...
    @property
    def user(self) -> str: ...
    @property
    def wandb_entity(self) -> str: ...
    @property
    def wandb_project(self) -> str: ...


def compose_resource(
    config: ResourceConfig,
    *,
    rank: int | str | None = None,
    world_size: int | str | None = None,
    resource_attributes: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    child: bool | None = None,
) -> dict[str, str | bool | int | float]:
    """Compose the resource of this process.

    The caller (`resource_attributes`, `rank`, `world_size`) wins over the configuration, that over
    the environment (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `DEPLOYMENT_ENV` or
    `ENVIRONMENT`), that over detection (`detect_resource`, `detect_identity`).

    A rank that is handed over shows as `dl.rank` and `nv.dl.rank`; a rank from anywhere else as
    `nv.dl.rank` only. With a rank and a run id, `service.instance.id` is `<run id>-rank<N>`, to
    which roles other than trainer, attempts after the first and child processes append `-<role>`,
    `-r<restart>` and `-p<pid>`; an id that the caller or the environment gives stays. Without a
    rank one WARNING says how to give one.

    Args:
        config: The configuration; its run id should be filled already.
        rank: The rank of this process, 0 or more, as an int or as digits. Anything else counts as
            not given, with a WARNING.
        world_size: The number of ranks, likewise, 1 or more.
        resource_attributes: Attributes of the caller. None values count as not given; values
            that a resource cannot hold are left out with a WARNING.
        environ: The environment; that of this process by default.
        child: Whether this process only inherited its rank, as forked and spawned workers do. By
            default a process that `multiprocessing` started counts as one, unless the caller gives
            the rank.

    Returns:
        Attributes by name, every value fit for export.

    Raises:
        TypeError: When `resource_attributes` is not a mapping.
    """
    environment = environment_of(environ)
    identity = detect_identity(environment)
    caller = _from_caller(resource_attributes, rank, world_size)
    published = _from_environment(environment)
    resource: Attributes = {
        semconv.SERVICE_NAME: _DEFAULT_SERVICE_NAME,
        **detect_resource(environment),
        **published,
        **_from_config(config),
        **caller,
    }
    _complete_identity(resource, identity)
    if _valid_identity(semconv.DL_RANK, rank) is not None and semconv.NV_DL_WORLD_SIZE in resource:
        resource[semconv.DL_WORLD_SIZE] = resource[semconv.NV_DL_WORLD_SIZE]
    if semconv.SERVICE_INSTANCE_ID not in resource:
        inherited = semconv.NV_DL_RANK not in caller
        suffix_pid = (inherited and _started_by_multiprocessing()) if child is None else child
        _name_instance(resource, identity, suffix_pid=suffix_pid)
    _warn_without_rank(resource)
    return resource
