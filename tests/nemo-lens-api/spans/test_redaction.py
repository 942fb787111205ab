# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Which keys hide their values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.spans.attributes import cleaned
from nemo.lens.spans.redaction import (
    DEFAULT_REDACT_KEYS,
    SECRET_SUFFIXES,
    is_redacted,
    masked,
    redact_value,
    set_added_redact_keys,
)

HIDDEN = [
    "prompt",
    "PASSWORD",
    "key",
    "gen_ai.prompt",
    "user.token",
    "db.password",
    "db_password",
    "Authorization",
    "http.request.header.authorization",
    "x-api-key",
    "X_API_KEY",
    "openai.api_key",
    "apiKey",
    "client_secret",
    "Set-Cookie",
    "oauth_access_token",
    "hf-auth-token",
]
SHOWN = [
    "token.count",
    "gen_ai.token.type",
    "cache_key",
    "prompt_length",
    "keyboard",
    "text_column",
    "passwords_checked",
    "nocookie",
    "max_tokens",
    "secretary",
    "",
]


@pytest.mark.parametrize("key", HIDDEN)
def test_secret_keys_are_hit(key):
    """In any case, as a whole key, a last dotted part or a last segment."""
    assert is_redacted(key)
    assert redact_value(key, "v") == "[REDACTED]"
    assert cleaned({key: "v"}) == {key: "[REDACTED]"}


@pytest.mark.parametrize("key", SHOWN)
def test_harmless_keys_are_not_hit(key):
    """Counting tokens is no secret."""
    assert not is_redacted(key)
    assert redact_value(key, "v") == "v"


def test_the_default_keys_are_those_of_the_contract():
    """Eight of them."""
    assert (
        frozenset(
            {"prompt", "input_text", "output_text", "text", "password", "token", "secret", "key"}
        )
        == DEFAULT_REDACT_KEYS
    )


def test_texts_and_sequences_are_hidden_and_numbers_kept():
    """Also a list of token ids is the prompt in clear."""
    attributes = {"prompt": ["a", "b"], "text": (1, 2), "token": 5, "password": b"p", "key": True}
    assert cleaned(attributes) == {
        "prompt": "[REDACTED]",
        "text": "[REDACTED]",
        "token": 5,
        "password": "[REDACTED]",
        "key": True,
    }


def test_added_keys_are_hidden_from_then_on():
    """Even when the key was found harmless before."""
    assert cleaned({"sample": "s", "a.document": "d"}) == {"sample": "s", "a.document": "d"}
    set_added_redact_keys(["Document", "sample"])
    assert cleaned({"sample": "s", "a.document": "d"}) == {
        "sample": "[REDACTED]",
        "a.document": "[REDACTED]",
    }
    assert masked("document=d") == "document=[REDACTED]"
    set_added_redact_keys(())
    assert cleaned({"sample": "s"}) == {"sample": "s"}


def test_an_empty_collection_switches_redaction_off():
    """And a collection of one's own replaces the default keys, not the names of secrets."""
    assert redact_value("password", "v", frozenset()) == "v"
    assert redact_value("prompt", "v", {"mine"}) == "v"
    assert redact_value("Mine", "v", {"mine"}) == "[REDACTED]"
    assert redact_value("db.password", "v", {"mine"}) == "[REDACTED]"


@given(
    prefix=st.from_regex(r"([a-z]{1,6}[._-]){0,3}", fullmatch=True),
    name=st.sampled_from(SECRET_SUFFIXES),
    upper=st.booleans(),
)
def test_a_secret_at_the_end_of_any_key_is_hidden(prefix, name, upper):
    """Whatever comes before it as whole segments."""
    key = prefix + name
    assert is_redacted(key.upper() if upper else key)


@given(st.text(st.characters(codec=None)))
def test_masking_any_text_never_raises(text):
    """And it leaves nothing behind a secret's name."""
    masked(text)
    assert "hunter2" not in masked(f"{text}\npassword=hunter2")


_PIECES = st.sampled_from(
    [
        *("password", "API-Key", "token", "key", "pa\u017f\u017fword", "my.own", "text", "x"),
        *("=", ":", " = ", "': ", "\t:\n", " " * 300, "'", '"', "-", "_", "hunter2", ", ", "\n"),
    ]
)


@given(st.lists(_PIECES, max_size=12).map("".join), st.booleans())
def test_the_quick_look_misses_no_secret(text, adds_keys):
    """A text that the quick look lets pass is one that the pattern would not have changed."""
    from nemo.lens.spans import redaction

    set_added_redact_keys(("my.own", "pass-phrase") if adds_keys else ())
    try:
        pattern = redaction._compiled_secrets()
        assert masked(text) == pattern.sub(r"\g<name>[REDACTED]", text)
    finally:
        set_added_redact_keys(())
