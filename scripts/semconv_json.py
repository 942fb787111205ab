# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The model of the semantic conventions as JSON, which `nemo-lens schema` reads."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generate_semconv import Manifest, Namespace

PAGE = Path("packages/nemo-lens-cli/src/nemo/lens/cli/schema/attributes.json")


def render_json(namespaces: Sequence[Namespace], manifest: Manifest) -> str:
    """Render all records, each with its namespace, below the versions of the conventions."""
    records = [
        {"namespace": ", ".join(namespace.prefixes), **asdict(attribute)}
        for namespace in namespaces
        for attribute in namespace.attributes
    ]
    return json.dumps({**asdict(manifest), "attributes": records}, indent=1) + "\n"
