# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the guides name is really there: paths, commands, steps and links."""

import re

import ci
import dev
import pytest
import workspace

PAGES = [path for path in workspace.tracked_files("*.md") if "node_modules" not in path.parts]
# Start of a path in this repository; anything else in backticks is a name or a value.
TOP = r"(?:packages|tests|docs|examples|observability|skills|benchmarks|scripts|\.ci|\.github)/"
NAMED_PATH = re.compile(rf"`({TOP}[\w./-]*)`|(?<=\()({TOP}[\w./-]*)(?=[)#])")


def page_id(path):
    """The path of a page in the output of pytest."""
    return str(path.relative_to(workspace.ROOT))


@pytest.fixture(params=PAGES, ids=page_id)
def page(request):
    """Each Markdown page of the repository."""
    return request.param


def test_every_named_path_exists(page):
    """In AGENTS.md, README.md, the skills and all other pages."""
    named = {first or second for first, second in NAMED_PATH.findall(page.read_text())}
    missing = [name for name in sorted(named) if not (workspace.ROOT / name).exists()]
    assert missing == []


def test_every_relative_link_leads_to_a_file(page):
    """Links between pages, as a reader of the checkout follows them."""
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)[^)]*\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_named_launcher_command_exists(page):
    """`dev.py COMMAND`, and the steps after `dev.py ci`."""
    text = page.read_text()
    commands = set(re.findall(r"python3 dev\.py ([a-z]+)", text))
    assert commands <= {*dev.COMMANDS, "help"}
    steps = {
        step
        for line in re.findall(r"(?:dev\.py ci|\.ci/run)((?: [a-z]+)+)", text)
        for step in line.split()
    }
    known = {step.name for step in ci.STEPS}
    assert steps <= known


def test_the_routing_table_leads_somewhere():
    """Each row of the table in AGENTS.md names at least one path or section that exists."""
    table = (workspace.ROOT / "AGENTS.md").read_text().partition("## Where to look")[2]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 8
    for row in rows:
        targets = re.findall(r"`([^`]+)`", row.split("|")[2])
        assert targets
        assert (workspace.ROOT / targets[0]).exists()


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("CLAUDE.md", "AGENTS.md"),
        (".claude/skills", "../skills"),
        (".agents/skills", "../skills"),
    ],
)
def test_guidance_has_one_source(link, target):
    """Every harness reads the same text through a symbolic link."""
    path = workspace.ROOT / link
    assert path.is_symlink()
    assert str(path.readlink()) == target
    assert path.exists()


def test_every_skill_says_what_it_is_for():
    """A name that equals its folder and a description that a reader can choose by."""
    skills = sorted((workspace.ROOT / "skills").glob("*/SKILL.md"))
    assert skills
    for skill in skills:
        front = skill.read_text().split("---\n")[1]
        assert f"name: {skill.parent.name}\n" in front
        assert len(re.search(r"^description: (.+)$", front, re.MULTILINE)[1]) > 40


def test_workflows_call_the_steps_of_ci_and_nothing_else():
    """A job of a workflow is a step that a person can run, under the same name."""
    workflows = workspace.tracked_files(".github/workflows/*.yml")
    text = "".join(path.read_text() for path in workflows)
    called = re.findall(r"dev\.py ci ([a-z $\{\}.]+)", text)
    assert called
    named = set(re.findall(r"\b[a-z]+\b", re.sub(r"\$\{\{.*?\}\}", "", " ".join(called))))
    matrix = set(re.findall(r"[a-z]+", " ".join(re.findall(r"step: \[(.*?)\]", text, re.DOTALL))))
    steps = {step.name for step in ci.STEPS}
    assert named | matrix == steps
