# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The wheel check names each way in which an archive can be wrong."""

import tarfile
import zipfile

import check_wheels
import pytest
import workspace

METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: 1.0
License-Expression: Apache-2.0
Requires-Python: >=3.10
{more}
What it is.
"""


def files_of(distribution, more=""):
    """What a correct wheel of the distribution holds, by path."""
    info = f"{distribution.name.replace('-', '_')}-1.0.dist-info"
    owned = [name if name.endswith(".py") else f"{name}py.typed" for name in distribution.owns]
    front = ["nemo/lens/__init__.py"] if distribution is workspace.API else []
    return {
        **dict.fromkeys([*owned, *front], ""),
        f"{info}/METADATA": METADATA.format(name=distribution.name, more=more),
        f"{info}/licenses/LICENSE": "Apache License",
    }


def write(folder, distribution, files, sdist_names=("LICENSE", "README.md", "pyproject.toml")):
    """Write wheel, wheel from the tree and sdist of one distribution."""
    stem = f"{distribution.name.replace('-', '_')}-1.0"
    for place in (folder, folder / "tree"):
        place.mkdir(exist_ok=True)
        with zipfile.ZipFile(place / f"{stem}-py3-none-any.whl", "w") as wheel:
            for name, text in files.items():
                wheel.writestr(name, text)
    with tarfile.open(folder / f"{stem}.tar.gz", "w:gz") as sdist:
        for name in sdist_names:
            sdist.addfile(tarfile.TarInfo(f"{stem}/{name}"))


@pytest.fixture
def archives(tmp_path):
    """A folder with correct archives of all distributions."""
    for distribution in workspace.DISTRIBUTIONS:
        write(tmp_path, distribution, files_of(distribution))
    return tmp_path


def test_correct_archives_pass(archives):
    """Nothing is reported for what is right."""
    assert check_wheels.problems_in(archives) == []


@pytest.mark.parametrize(
    ("distribution", "name", "problem"),
    [
        (workspace.SDK, "nemo/lens/state.py", "belongs to another distribution"),
        (workspace.API, "nemo/lens/sdk/x.py", "belongs to another distribution"),
        (workspace.API, "nemo/__init__.py", "belongs to another distribution"),
        (workspace.META, "nemo/lens/x.py", "belongs to another distribution"),
        (workspace.CLI, "nemo/lens/__init__.py", "is shipped by nemo-lens-api only"),
        (workspace.SDK, "nemo/lens/__init__.pyi", "is a stub for editable installs"),
        (workspace.API, "nemo/lens/.editable", "is a hidden file or a cache"),
        (workspace.API, "nemo/lens/__pycache__/x.pyc", "is a hidden file or a cache"),
        (workspace.CONTRIB, "tests/test_x.py", "belongs to another distribution"),
    ],
)
def test_a_file_that_does_not_belong_is_named(archives, distribution, name, problem):
    """A foreign, hidden or generated file in a wheel fails the check."""
    write(archives, distribution, {**files_of(distribution), name: ""})
    assert any(f"{name} {problem}" in each for each in check_wheels.problems_in(archives))


def test_a_file_in_two_wheels_is_named(archives):
    """Installing both would let one overwrite the other."""
    write(
        archives, workspace.CONTRIB, {**files_of(workspace.CONTRIB), "nemo/lens/cli/py.typed": ""}
    )
    found = check_wheels.problems_in(archives)
    assert any(each.startswith("nemo/lens/cli/py.typed is in nemo_lens_contrib") for each in found)


@pytest.mark.parametrize("missing", ["py.typed", "LICENSE", "nemo/lens/__init__.py"])
def test_a_missing_file_is_named(archives, missing):
    """Marker, licence and front must be there."""
    files = {name: text for name, text in files_of(workspace.API).items() if missing not in name}
    write(archives, workspace.API, files)
    assert any(f"{missing} is missing" in each for each in check_wheels.problems_in(archives))


@pytest.mark.parametrize(
    "requirement", ["nemo-lens-api", "nemo-lens-api>=1.0", "nemo-lens-api==0.9"]
)
def test_a_loose_sibling_requirement_is_named(archives, requirement):
    """Siblings are pinned to the same version in the metadata itself."""
    write(archives, workspace.SDK, files_of(workspace.SDK, f"Requires-Dist: {requirement}\n"))
    assert f"{requirement} is not pinned" in " ".join(check_wheels.problems_in(archives))


def test_a_wheel_that_differs_from_its_sdist_is_named(archives):
    """What is built from the sdist must be what is built from the tree."""
    write(archives / "tree", workspace.API, {**files_of(workspace.API), "nemo/lens/new.py": ""})
    found = check_wheels.problems_in(archives)
    assert any("differs from the wheel from the tree" in each for each in found)


def test_an_incomplete_or_linking_sdist_is_named(archives):
    """A licence that is a link breaks the source archive."""
    write(archives, workspace.API, files_of(workspace.API), ("README.md", "pyproject.toml"))
    assert "lacks LICENSE" in " ".join(check_wheels.problems_in(archives))
    with tarfile.open(archives / "nemo_lens_api-1.0.tar.gz", "w:gz") as sdist:
        link = tarfile.TarInfo("nemo_lens_api-1.0/LICENSE")
        link.type = tarfile.SYMTYPE
        sdist.addfile(link)
    assert "holds the link" in " ".join(check_wheels.problems_in(archives))
