# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""One strict JSON object per line on standard output, for spans, metrics and logs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from nemo.lens.sdk.export_queue import Outcome, Sink
from nemo.lens.sdk.noise import warn_once_a_minute

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO


class ConsoleSink(Sink):
    """Prints what `to_json` of the OpenTelemetry SDK gives, on one line each.

    Args:
        repair: Makes a batch printable that is not, for instance with numbers of other libraries.
        stream: Where to print; the `sys.stdout` of this moment when not given.
    """

    def __init__(
        self, repair: Callable[[Sequence[Any]], Sequence[Any]], stream: TextIO | None = None
    ) -> None:
        self._repair = repair
        self._stream = stream or sys.stdout

    def send(self, batch: Sequence[Any]) -> Outcome:
        """Print a batch; a closed or broken stream loses it and says so once a minute."""
        try:
            self._stream.write("".join(map(self._line, batch)))
            self._stream.flush()
        except (OSError, ValueError) as error:
            warn_once_a_minute("console", "printing telemetry failed and it is lost: %s", error)
            return Outcome.REFUSED
        return Outcome.DELIVERED

    def _line(self, item: Any) -> str:
        try:
            text = _one_line(item)
        except Exception:
            text = _one_line(self._repair([item])[0])
        return text + "\n"


def _one_line(item: Any) -> str:
    # Before OpenTelemetry 1.39 only the record inside of what a log exporter gets has `to_json`.
    printable = item if hasattr(item, "to_json") else item.log_record
    text: str = printable.to_json(indent=None)
    if "NaN" in text or "Infinity" in text or "\n" in text:
        text = json.dumps(json.loads(text, parse_constant=str), allow_nan=False)
    return text
