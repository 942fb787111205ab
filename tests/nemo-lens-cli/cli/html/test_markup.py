# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Whatever a run names is text on the page, never an element."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.cli.html.markup import element, join, percent

TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "&lt;", "</title>", "]]>"]
)


class Seen(HTMLParser):
    """What a parser finds."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        """An element begins."""
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        """Text."""
        self.texts.append(data)


@given(TEXTS, TEXTS)
def test_text_and_attributes_come_back_as_they_were(content, value):
    """But for control characters, which become visible."""
    seen = Seen(element("p", content, title=value))
    assert seen.tags == ["p"]
    assert [name for name, _value in seen.attributes] == ["title"]
    printable = content.isprintable() and value.isprintable()
    if printable:
        assert "".join(seen.texts) == content
        assert seen.attributes[0][1] == value


def test_invisible_characters_are_shown():
    """A name cannot hide a zero byte or turn the line around."""
    assert element("p", "a\x00b\u202ec") == "<p>a\\x00b\\x202ec</p>"


def test_content_nests_and_none_is_left_out():
    """Elements stay elements, and nothing is nothing."""
    inner = element("b", "x")
    assert element("p", None, ["a<", inner], class_="c") == '<p class="c">a&lt;<b>x</b></p>'
    assert join(["a", None, [inner]]) == "a<b>x</b>"


def test_attributes_follow_python_names():
    """Underscores are dashes, True has no value, None and False are no attributes."""
    assert element("link", aria_label="a", hidden=True, id=None, open=False) == (
        '<link aria-label="a" hidden/>'
    )


def test_shares_are_short():
    """No trailing zeros."""
    assert [percent(share) for share in (0, 0.5, 1 / 3, 1)] == ["0%", "50%", "33.333%", "100%"]
