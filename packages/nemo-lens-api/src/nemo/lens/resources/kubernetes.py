# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The Kubernetes pod that a process runs in.

Kubernetes tells a container about its pod only where the specification of the pod asks for it: as
variables or as files of the downward API. See
https://kubernetes.io/docs/concepts/workloads/pods/downward-api/.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from nemo.lens import semconv
from nemo.lens.resources import variables
from nemo.lens.resources.environment import clean_text, environment_of, read_file, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["detect_kubernetes"]

SECRETS = "/var/run/secrets/kubernetes.io"
"""The folder that each pod with a service account has."""
PODINFO = "/etc/podinfo"
"""The usual mount point of a downward API volume."""
HOSTS = "/etc/hosts"
CGROUP = "/proc/self/cgroup"
MOUNTINFO = "/proc/self/mountinfo"

_PODINFO_FILES = {
    semconv.K8S_NAMESPACE_NAME: ("namespace", "pod_namespace"),
    semconv.K8S_POD_NAME: ("name", "pod_name"),
    semconv.K8S_POD_UID: ("uid", "pod_uid"),
}
_JOB_LABEL = re.compile(r'^(?:batch\.kubernetes\.io/)?job-name="([^"\\]+)"$', re.MULTILINE)

# What the kubelet leaves in place when it does not know the variable that a template names.
_UNEXPANDED = ("$(", "${")

_POD_HOST_NAME = re.compile(r"(?!ip-\d+-\d+-\d+-\d+$)[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_HOST_NETWORK = "(host network)"

_CONTAINER_ID = re.compile(r"[/-]([0-9a-f]{64})(?:\.scope)?$", re.MULTILINE)
_CONTAINER_MOUNT = re.compile(r"/(?:containers|overlay-containers)/([0-9a-f]{64})/")


def detect_kubernetes(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Detect the pod of this process.

    The variables `K8S_*` (and the common `POD_NAME`, `POD_NAMESPACE`, `POD_UID`, `NODE_NAME`) come
    first, then the files of `/etc/podinfo`, then what the container shows by itself. Templates
    that were never expanded, such as `$(POD_NAME)`, count as absent. `HOSTNAME` is taken as the
    name of the pod only when it looks like one: not under host networking, and not when it is the
    name of the node.

    Args:
        environ: The environment; that of this process by default.

    Returns:
        `k8s.*` and `container.id` as far as they are known; empty outside of Kubernetes.
    """
    environment = environment_of(environ)
    if not _in_kubernetes(environment):
        return {}
    known = {**_from_container(), **_from_podinfo(), **_from_variables(environment)}
    if semconv.K8S_POD_NAME not in known:
        pod = _pod_host_name(environment, known.get(semconv.K8S_NODE_NAME))
        known |= {semconv.K8S_POD_NAME: pod} if pod else {}
    return known


def _in_kubernetes(environ: Mapping[str, str]) -> bool:
    return bool(read_text(environ, *variables.KUBERNETES_HOST)) or os.path.exists(SECRETS)  # noqa: PTH110 - pathlib costs an import at start-up


def _from_variables(environ: Mapping[str, str]) -> dict[str, str]:
    expanded = {
        variable: value
        for spellings in variables.KUBERNETES_TEXTS.values()
        for variable in spellings
        if not any(mark in (value := environ.get(variable, "")) for mark in _UNEXPANDED)
    }
    values = {
        name: read_text(expanded, *spellings)
        for name, spellings in variables.KUBERNETES_TEXTS.items()
    }
    return {name: value for name, value in values.items() if value}


def _from_podinfo() -> dict[str, str]:
    values = {
        name: next(filter(None, (_line(f"{PODINFO}/{file}") for file in files)), "")
        for name, files in _PODINFO_FILES.items()
    }
    label = _JOB_LABEL.search(read_file(f"{PODINFO}/labels"))
    values[semconv.K8S_JOB_NAME] = clean_text(label.group(1)) if label else ""
    return {name: value for name, value in values.items() if value}


def _from_container() -> dict[str, str]:
    container = _CONTAINER_ID.search(read_file(CGROUP))
    container = container or _CONTAINER_MOUNT.search(read_file(MOUNTINFO))
    values = {
        semconv.K8S_NAMESPACE_NAME: _line(f"{SECRETS}/serviceaccount/namespace"),
        semconv.CONTAINER_ID: container.group(1) if container else "",
    }
    return {name: value for name, value in values.items() if value}


def _pod_host_name(environ: Mapping[str, str], node: str | None) -> str | None:
    name = read_text(environ, *variables.HOSTNAME)
    if name is None or name in {node, "localhost"} or not _POD_HOST_NAME.fullmatch(name):
        return None
    # The kubelet writes this into the hosts file of a pod that shares the network of its node.
    shares_host = _HOST_NETWORK in read_file(HOSTS, 256).partition("\n")[0]
    return None if shares_host else name


def _line(path: str) -> str:
    return clean_text(read_file(path, 1024).strip().partition("\n")[0])
