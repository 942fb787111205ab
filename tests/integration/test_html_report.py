# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The HTML report in a real browser: what a person sees, with a few ranks and with a thousand.

With `KEEP_SCREENSHOTS=FOLDER` in the environment the pictures are kept there, to be looked at.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "nemo-lens-cli" / "runs"))

import chromium
from synthetic_runs import Scenario, write_run

from nemo.lens.cli import main

pytestmark = pytest.mark.integration

HOSTILE = "<script>window.pwned = 1</script>\"'><img src=x onerror='window.pwned = 2'>"
VIEWS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]
# Text beside its own background, with the least contrast that WCAG AA asks for.
CONTRASTS = """
(() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(part => {
    part /= 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      const drawn = style.backgroundImage.match(/rgb\\([^)]*\\)/g);
      if (drawn) return drawn.map(parse);
      const plain = parse(style.backgroundColor);
      if (plain.length === 3 || plain[3] > 0.99) return [plain];
    }
    return [[255, 255, 255]];
  };
  const low = [];
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !parent.getClientRects().length) continue;
    const style = getComputedStyle(parent);
    const large = parseFloat(style.fontSize) >= 24
      || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    seen += 1;
    const ink = light(parse(style.color));
    for (const ground of behind(parent).map(light)) {
      const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
      if (ratio < (large ? 3 : 4.5)) low.push([walker.currentNode.data, ratio]);
    }
  }
  return {seen, low};
})()
"""


def small(folder):
    """Four ranks, one slow, with names that try to be elements."""
    scenario = Scenario(
        phases={"forward_backward": 0.002, HOSTILE: 0.04, "x" * 300: 0.01},
        slow={(2, HOSTILE): 1.6},
        checkpoint_every=20,
        killed={3: 55},
        job=True,
        run="few",
    )
    return write_run(folder, scenario)


def large(folder):
    """A thousand ranks."""
    scenario = Scenario(
        ranks=1024,
        steps=16,
        ranks_per_host=8,
        slow={(517, "forward_backward"): 1.5},
        stalls={(88, 9): 0.06},
        job=True,
        run="many",
    )
    return write_run(folder, scenario)


@pytest.fixture(scope="module")
def browser(tmp_path_factory, pytestconfig):
    """The browser, or the end of the test as CI wants it."""
    if chromium.binary() is None:
        capture = pytestconfig.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled():
            sys.stdout.write("\nNOT RUN: Chromium is not installed (package `chromium`)\n")
        if os.environ.get("CI_STRICT") == "1":
            pytest.fail("Chromium is missing and CI_STRICT=1")
        pytest.skip("Chromium is not installed")
    browser = chromium.Chromium(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="module", params=[small, large], ids=["few-ranks", "many-ranks"])
def page(request, tmp_path_factory):
    """A report."""
    folder = tmp_path_factory.mktemp(request.param.__name__)
    file = folder / f"{request.param.__name__}.html"
    assert main(["report", str(request.param(folder)), "--html", str(file)]) == 0
    return file


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_fits_is_legible_and_asks_for_nothing(browser, page, width, scheme):
    """On a laptop and on a phone, in both colour schemes."""
    browser.open(page.as_uri(), width, scheme)

    requested = [
        parameters["request"]["url"]
        for method, parameters in browser.events
        if method == "Network.requestWillBeSent"
    ]
    assert [url for url in requested if not url.startswith("data:")] == [page.as_uri()]
    complaints = {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}
    assert [event for event in browser.events if event[0] in complaints] == []
    assert browser.evaluate("window.pwned === undefined")
    assert browser.evaluate("document.scripts.length + document.images.length") == 0

    assert browser.evaluate("document.documentElement.scrollWidth") == width
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)" if scheme == "light" else "rgb(16, 20, 26)"
    )
    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    contrasts = browser.evaluate(CONTRASTS)
    assert contrasts["seen"] > 100
    assert contrasts["low"] == []

    browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = false)")
    if kept := os.environ.get("KEEP_SCREENSHOTS"):
        browser.screenshot(Path(kept) / f"{page.stem}-{width}-{scheme}.png")


def test_figures_are_drawn_and_named(browser, page):
    """They have a size, content, and words for whoever cannot see them."""
    browser.open(page.as_uri(), 1280, "light")
    figures = json.loads(
        browser.evaluate(
            "JSON.stringify([...document.querySelectorAll('[role=img]')].map(one => ["
            "one.getAttribute('aria-label'), one.getBoundingClientRect().height]))"
        )
    )
    assert len(figures) == 3
    assert all(name and height > 30 for name, height in figures)
    drawn = "[...document.querySelectorAll('svg path')].map(one => one.getBBox().width)"
    widths = browser.evaluate(drawn)
    assert len(widths) >= 5
    assert all(width > 0 for width in widths)
    tree = browser.call("Accessibility.getFullAXTree")["nodes"]
    images = [node for node in tree if node.get("role", {}).get("value") == "image"]
    assert len(images) == 3
    assert all(node["name"]["value"] for node in images)


def test_the_table_behind_the_map_opens_with_the_keyboard(browser, page):
    """Tab leads there, Enter opens it."""
    browser.open(page.as_uri(), 1280, "light")
    for _stop in range(20):
        press(browser, "Tab", 9)
        if browser.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    assert browser.evaluate("document.activeElement.tagName") == "SUMMARY"
    press(browser, "Enter", 13, text="\r")
    assert browser.evaluate("document.querySelector('details').open")
    rows = browser.evaluate("document.querySelectorAll('details tbody tr').length")
    assert rows == (1024 if page.stem == "large" else 4)


def press(browser, key, code, **more):
    """One key, down and up."""
    parameters = {"key": key, "code": key, "windowsVirtualKeyCode": code}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **parameters, **more)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **parameters)
