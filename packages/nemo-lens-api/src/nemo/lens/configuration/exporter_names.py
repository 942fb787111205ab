# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's own names of exporters, as `OTEL_TRACES_EXPORTER` and its sisters list them."""

from __future__ import annotations

from typing import Final

from nemo.lens.configuration.value_types import Words

NO_EXPORTER: Final = "none"


class ExporterNames(Words):
    """`none`, or a comma list of exporters, in any case."""

    def __init__(self) -> None:
        super().__init__("otlp", "console", NO_EXPORTER, fault="Unknown exporter", several=True)
        self.accepted = f"'{NO_EXPORTER}', or a comma list out of 'otlp', 'console'"

    def parse(self, text: str) -> str:
        """Give the names; `none` beside another one is refused."""
        names = super().parse(text)
        if NO_EXPORTER in names.split(",") and names != NO_EXPORTER:
            raise ValueError(text)
        return names
