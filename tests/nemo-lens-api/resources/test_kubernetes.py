# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The Kubernetes pod of a process."""

from __future__ import annotations

import pytest

from nemo.lens.resources import detect_kubernetes

POD = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
CONTAINER = "a3bf90e006b2e7ae1a4f2c6d9c0f0a43fcf5ddfe2f6ffb6b4a6f6a2f3a1d9c11"


def _podinfo(machine, **files):
    folder = machine / "podinfo"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)


def test_nothing_is_detected_outside_of_kubernetes():
    """Variables with fitting names are not enough."""
    assert detect_kubernetes({"K8S_POD_NAME": "a", "KUBERNETES_SERVICE_HOST": ""}) == {}


def test_a_service_account_shows_a_pod(machine):
    """Services may be switched off, the folder stays, and it names the namespace."""
    account = machine / "secrets" / "serviceaccount"
    account.mkdir(parents=True)
    (account / "namespace").write_text("training\n")
    assert detect_kubernetes({}) == {"k8s.namespace.name": "training"}


def test_the_variables_of_the_downward_api_are_read():
    """The names that the documentation of NeMo Lens gives."""
    environ = {
        **POD,
        "K8S_NAMESPACE": "training",
        "K8S_POD_NAME": "w-0",
        "K8S_POD_UID": "275ecb36",
        "K8S_NODE_NAME": "dgx-1",
        "K8S_CONTAINER_NAME": "trainer",
        "K8S_JOB_NAME": "pretrain",
        "HOSTNAME": "other",
    }
    assert detect_kubernetes(environ) == {
        "k8s.namespace.name": "training",
        "k8s.pod.name": "w-0",
        "k8s.pod.uid": "275ecb36",
        "k8s.node.name": "dgx-1",
        "k8s.container.name": "trainer",
        "k8s.job.name": "pretrain",
    }


def test_the_names_of_common_manifests_are_read_too():
    """Our own names win over them."""
    environ = {**POD, "POD_NAME": "a", "POD_NAMESPACE": "b", "POD_UID": "c", "NODE_NAME": "d"}
    assert set(detect_kubernetes(environ).values()) == {"a", "b", "c", "d"}
    assert detect_kubernetes({**environ, "K8S_POD_NAME": "x"})["k8s.pod.name"] == "x"


@pytest.mark.parametrize("template", ["$(POD_NAME)", "pod-$(POD_NAME)", "${POD_NAME}", "  ", ""])
def test_a_template_that_was_not_expanded_is_absent(template):
    """The next source counts."""
    environ = {**POD, "K8S_POD_NAME": template, "POD_NAME": "w-1"}
    assert detect_kubernetes(environ)["k8s.pod.name"] == "w-1"


def test_podinfo_files_count_where_no_variable_does(machine):
    """A downward API volume needs no variables."""
    _podinfo(
        machine,
        name="w-2\n",
        namespace="batch",
        pod_uid="275ecb36",
        labels='app="x"\nbatch.kubernetes.io/job-name="pretrain"\njob-name="pretrain"\n',
    )
    assert detect_kubernetes({**POD, "K8S_POD_NAME": "w-3"}) == {
        "k8s.pod.name": "w-3",
        "k8s.namespace.name": "batch",
        "k8s.pod.uid": "275ecb36",
        "k8s.job.name": "pretrain",
    }


@pytest.mark.parametrize("name", ["node-7", "pretrain-worker-0", "pretrain-7d9f8b6c5-x2x9k", "a"])
def test_a_host_name_that_looks_like_a_pod_is_the_pod(name):
    """Inside a pod the host name is the name of the pod."""
    assert detect_kubernetes({**POD, "HOSTNAME": name})["k8s.pod.name"] == name


@pytest.mark.parametrize(
    "name",
    ["", "localhost", "dgx-1.cluster.local", "ip-10-0-1-5", "DGX-1", "a_b", "-a", "a-", "x" * 64],
)
def test_a_host_name_that_is_no_pod_name_is_not_taken(name):
    """Machines are named otherwise than pods."""
    assert "k8s.pod.name" not in detect_kubernetes({**POD, "HOSTNAME": name})


def test_the_name_of_the_node_is_not_the_name_of_the_pod():
    """Under host networking both are the same text."""
    environ = {**POD, "HOSTNAME": "dgx-1", "K8S_NODE_NAME": "dgx-1"}
    assert detect_kubernetes(environ) == {"k8s.node.name": "dgx-1"}


@pytest.mark.parametrize(("mark", "names_pod"), [(" (host network)", False), ("", True)])
def test_the_hosts_file_of_the_kubelet_tells_host_networking(machine, mark, names_pod):
    """The kubelet marks the file of a pod that shares the network of its node."""
    (machine / "hosts").write_text(f"# Kubernetes-managed hosts file{mark}.\n127.0.0.1 localhost\n")
    assert ("k8s.pod.name" in detect_kubernetes({**POD, "HOSTNAME": "dgx-1"})) is names_pod


@pytest.mark.parametrize(
    "line",
    [
        f"11:cpu:/kubepods/burstable/pod275ecb36/{CONTAINER}",
        f"0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-{CONTAINER}.scope",
        f"1:name=systemd:/docker/{CONTAINER}",
    ],
)
def test_the_container_is_read_from_its_control_group(machine, line):
    """With version 1, and with version 2 outside of a namespace."""
    (machine / "cgroup").write_text(f"12:x:/\n{line}\n9:y:/\n")
    assert detect_kubernetes(POD)["container.id"] == CONTAINER


def test_the_container_is_read_from_its_mounts_otherwise(machine):
    """With version 2 inside of a namespace the control group says nothing."""
    (machine / "cgroup").write_text("0::/\n")
    (machine / "mountinfo").write_text(
        f"1 2 8:1 /var/lib/docker/containers/{CONTAINER}/hostname /etc/hostname rw - ext4 x rw\n"
    )
    assert detect_kubernetes(POD) == {"container.id": CONTAINER}


def test_undecodable_and_huge_files_do_no_harm(machine):
    """Files of the pod may hold anything."""
    _podinfo(machine, namespace="x" * 100_000)
    (machine / "podinfo" / "name").write_bytes(b"\xff\xfe\n")
    (machine / "podinfo" / "labels").write_bytes(b"\xff" * 200_000)
    attributes = detect_kubernetes(POD)
    assert attributes["k8s.pod.name"] == "\ufffd\ufffd"
    assert len(attributes["k8s.namespace.name"]) == 1024
