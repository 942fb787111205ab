# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The version and the metadata strings."""

from __future__ import annotations

import importlib
from importlib import metadata

import pytest

from nemo.lens import package_info


def test_the_version_is_that_of_the_installed_api():
    """It is read from the distribution's metadata."""
    assert package_info.__version__ == metadata.version("nemo-lens-api")


def test_the_metadata_strings_are_those_of_the_contract():
    """Clients show them in their own version reports."""
    assert package_info.__package_name__ == "nemo_lens"
    assert package_info.__contact_names__ == "NVIDIA"
    assert package_info.__contact_emails__ == "nemo-toolkit@nvidia.com"
    assert package_info.__homepage__.startswith("https://")
    assert package_info.__repository_url__ == "https://github.com/NVIDIA-NeMo/Lens"
    assert package_info.__download_url__ == package_info.__repository_url__ + "/releases"


def test_sources_that_nobody_installed_have_an_unknown_version(monkeypatch):
    """A bare checkout on the path still imports, and says that it does not know."""

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    fresh = importlib.reload(package_info)
    monkeypatch.delitem(vars(fresh), "__version__", raising=False)
    assert fresh.__version__ == "0+unknown"
    monkeypatch.undo()
    vars(package_info).pop("__version__", None)
    assert package_info.__version__ == metadata.version("nemo-lens-api")


def test_the_version_is_listed_before_it_is_read():
    """`dir()` shows it although it is lazy."""
    vars(package_info).pop("__version__", None)
    assert "__version__" in dir(package_info)


def test_an_unknown_name_is_an_attribute_error():
    """The lazy module is otherwise an ordinary one."""
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        package_info.nonsense  # noqa: B018
