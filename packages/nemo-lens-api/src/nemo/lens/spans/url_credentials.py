# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Credentials inside the URLs of free text, which have no name that redaction could know."""

from __future__ import annotations

import re

from nemo.lens.spans.redaction import REDACTED

# Up to the last "@" before the path, as URL parsers read it. Passwords are also written as they
# are, with "/", "?" and "#" in them: so behind a user name and a colon, unless a port stands there,
# up to the last "@" of the word. Each form starts at a literal and cannot run across another one,
# so that the time stays linear on a long stack trace.
_USER_INFO = re.compile(
    r"""//(?:[^\s/?#:@\[]*:(?!\d{1,5}(?![^\s/?#'"]))(?:(?!//)\S)*|[^\s/?#]*)@"""
)


def without_url_credentials(text: str) -> str:
    """Return `text` with `user:password@` hidden in every URL."""
    return _USER_INFO.sub(f"//{REDACTED}@", text) if "//" in text else text
