# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The whole resource of a process, composed in one order of precedence.

The caller wins over the configuration, the configuration over the environment, and the environment
over what is detected.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from nemo.lens import semconv
from nemo.lens.configuration.value_types import DefaultText
from nemo.lens.resources.attributes import get_otel_resource_attributes
from nemo.lens.resources.detection import detect_resource
from nemo.lens.resources.environment import environment_of, read_text
from nemo.lens.resources.identity import Identity, detect_identity
from nemo.lens.resources.instance import instance_id, started_by_multiprocessing
from nemo.lens.semconv.resources import (
    SLURM_RESOURCE_TYPES,
    convert_integer,
    normalize_resource_attributes,
)
from nemo.lens.spans.conversion import Unrecordable, converted
from nemo.lens.spans.text import as_text

if TYPE_CHECKING:
    from nemo.lens.resources.attributes import ResourceAttributeValue

    Attributes = dict[str, ResourceAttributeValue]

__all__ = ["ResourceConfig", "compose_resource"]

# The name under which consumers filter the messages about the resource.
_log = logging.getLogger("nemo.lens.providers")

_LEAST = {semconv.NV_DL_RANK: 0, semconv.NV_DL_WORLD_SIZE: 1, semconv.NV_DL_LOCAL_RANK: 0}
_NEVER_EMPTY = (semconv.SERVICE_NAME, semconv.SERVICE_INSTANCE_ID)


class ResourceConfig(Protocol):
    """The fields of `NemoLensConfig` that describe the process; empty ones are left out.

    A `service_name` that nobody chose is a `DefaultText`: the environment wins over it.
    """

    service_name: str
    service_version: str
    run_id: str
    user: str
    wandb_entity: str
    wandb_project: str


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

    The caller (`rank`, `world_size`, `resource_attributes`) wins over the configuration, that over
    the environment (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `DEPLOYMENT_ENV` or
    `ENVIRONMENT`), and that over detection (`detect_resource`, `detect_identity`).

    A rank that is handed over shows as `dl.rank` and `nv.dl.rank`, a rank from anywhere else as
    `nv.dl.rank` only. With a rank and a run id, `service.instance.id` is `<run id>-rank<N>`, to
    which roles other than trainer, attempts after the first and child processes append `-<role>`,
    `-r<attempt>` and `-p<pid>`; an id that the caller or the environment gives stays. Without a
    rank one WARNING says how to give one.

    Args:
        config: The configuration; its run id should be filled already.
        rank: The rank of this process, 0 or more, as an int or as digits. Anything else counts as
            not given, with a WARNING.
        world_size: The number of ranks, 1 or more, likewise.
        resource_attributes: Attributes of the caller. None values count as not given; values that
            no exporter could take are left out with a WARNING.
        environ: The environment; that of this process by default.
        child: Whether this process only inherited its rank, as forked and spawned workers do. By
            default a process that `multiprocessing` started counts as one, unless the caller hands
            its rank over.

    Returns:
        Attributes by name, every value fit for export.

    Raises:
        TypeError: When `resource_attributes` is not a mapping.
    """
    _refuse_other_than_mapping(resource_attributes)
    environment = environment_of(environ)
    identity = detect_identity(environment)
    caller = _from_caller(resource_attributes, rank, world_size)
    resource = {
        **_defaults(config),
        **detect_resource(environment),
        **_from_environment(environment),
        **_from_config(config),
        **caller,
    }
    _complete_identity(resource, identity)
    named = semconv.SERVICE_INSTANCE_ID in resource
    if semconv.NV_DL_RANK not in resource:
        _report_missing_rank(logging.DEBUG if named else logging.WARNING)
    elif not named:
        if child is None:
            child = semconv.NV_DL_RANK not in caller and started_by_multiprocessing()
        _name_instance(resource, identity.attempt, child=child)
    return resource


def _defaults(config: ResourceConfig) -> Attributes:
    from nemo.lens.package_info import __version__

    return {
        semconv.SERVICE_NAME: as_text(config.service_name) or "nemo",
        semconv.NEMO_LENS_VERSION: __version__,
    }


def _from_environment(environ: Mapping[str, str]) -> Attributes:
    published = {
        key: value
        for key, value in get_otel_resource_attributes(environ=environ).items()
        if key not in SLURM_RESOURCE_TYPES  # detect_slurm has decided about them
    }
    service_name = read_text(environ, "OTEL_SERVICE_NAME")
    if service_name is not None:
        published[semconv.SERVICE_NAME] = service_name
    attributes: Attributes = {}
    deployment = read_text(environ, "DEPLOYMENT_ENV", "ENVIRONMENT")
    if deployment is not None:
        attributes[semconv.DEPLOYMENT_ENVIRONMENT_NAME] = deployment
    return _with_both_deployment_names(attributes) | _exportable(published)


def _from_config(config: ResourceConfig) -> Attributes:
    chosen_name = None if isinstance(config.service_name, DefaultText) else config.service_name
    values = {
        semconv.SERVICE_NAME: chosen_name,
        semconv.SERVICE_VERSION: config.service_version,
        semconv.NEMO_RUN_ID: config.run_id,
        semconv.NEMO_USER_ID: config.user,
        semconv.WANDB_ENTITY: config.wandb_entity,
        semconv.WANDB_PROJECT: config.wandb_project,
    }
    return _exportable({name: value for name, value in values.items() if value})


def _refuse_other_than_mapping(given: object) -> None:
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(
            "resource_attributes must be a mapping of attribute names to values, got "
            f"{type(given).__name__}. Pass a dict such as {{'nv.dl.role': 'generator'}}."
        )


def _from_caller(
    given: Mapping[str, Any] | None, rank: int | str | None, world_size: int | str | None
) -> Attributes:
    # Handed over one by one, they are as explicit as the mapping and newer than it.
    identity = _exportable({semconv.NV_DL_RANK: rank, semconv.NV_DL_WORLD_SIZE: world_size})
    attributes = _exportable(given or {}) | identity
    for old, new in (
        (semconv.DL_RANK, semconv.NV_DL_RANK),
        (semconv.DL_WORLD_SIZE, semconv.NV_DL_WORLD_SIZE),
    ):
        if new in identity:
            attributes[old] = identity[new]
    return attributes


def _exportable(attributes: Mapping[Any, Any]) -> Attributes:
    """Keep what exporters take, in the types of the model, and only a usable identity."""
    values: dict[str, Any] = {}
    for key, value in attributes.items():
        if value is None or (key in _NEVER_EMPTY and not value):
            continue
        try:
            values[_key(key)] = converted(value)
        except Exception as reason:  # conversion runs methods of foreign objects
            _log.warning(
                "Resource attribute %s is left out (%s): text, a boolean, a number or a list of "
                "one of them is expected, got %s.",
                as_text(key),
                reason if isinstance(reason, Unrecordable) else type(reason).__name__,
                type(value).__name__,
            )
    usable = {key: value for key, value in values.items() if _is_usable(key, value)}
    return _with_both_deployment_names(normalize_resource_attributes(usable))


def _key(key: Any) -> str:
    if not isinstance(key, str) or not key:
        raise Unrecordable("its name is not text")
    return as_text(key)


def _is_usable(key: str, value: Any) -> bool:
    """Refuse a rank or size that is none: a wrong identity is worse than no identity."""
    if key not in _LEAST:
        return True
    try:
        if convert_integer(value) >= _LEAST[key]:
            return True
    except ValueError:
        pass
    _log.warning(
        "Resource attribute %s requires a base-10 integer of %d or more, got %r: it is left out.",
        key,
        _LEAST[key],
        value,
    )
    return False


def _with_both_deployment_names(attributes: Attributes) -> Attributes:
    """Emit the former name beside the new one, and the new one for who still sets the former."""
    names = (semconv.DEPLOYMENT_ENVIRONMENT_NAME, semconv.DEPLOYMENT_ENVIRONMENT)
    given = [attributes[name] for name in names if name in attributes]
    if given:
        for name in names:
            attributes.setdefault(name, given[0])
    return attributes


def _complete_identity(resource: Attributes, identity: Identity) -> None:
    """Add what the launcher tells, unless it tells it about another rank."""
    if identity.rank is not None:
        resource.setdefault(semconv.NV_DL_RANK, identity.rank)
        if resource[semconv.NV_DL_RANK] != identity.rank:
            return
    if identity.world_size is not None:
        resource.setdefault(semconv.NV_DL_WORLD_SIZE, identity.world_size)
    if identity.local_rank is not None:
        resource.setdefault(semconv.NV_DL_LOCAL_RANK, identity.local_rank)
    if semconv.DL_RANK in resource and semconv.NV_DL_WORLD_SIZE in resource:
        resource.setdefault(semconv.DL_WORLD_SIZE, resource[semconv.NV_DL_WORLD_SIZE])


def _name_instance(resource: Attributes, attempt: str, *, child: bool) -> None:
    run_id = resource.get(semconv.NEMO_RUN_ID)
    rank = resource[semconv.NV_DL_RANK]
    role = resource.get(semconv.NV_DL_ROLE)
    if run_id:
        resource[semconv.SERVICE_INSTANCE_ID] = instance_id(
            str(run_id),
            int(rank),
            role=None if role is None else str(role),
            attempt=attempt,
            child=child,
        )


def _report_missing_rank(level: int) -> None:
    _log.log(
        level,
        "No nv.dl.rank resource attribute was supplied, and no launcher names a rank: the telemetry "
        "of this process cannot be filtered by rank, and its service.instance.id is not "
        "rank-derived. Pass rank= to setup_telemetry, or resource_attributes={'nv.dl.rank': rank}, "
        "or set OTEL_RESOURCE_ATTRIBUTES=nv.dl.rank=<rank>.",
    )
