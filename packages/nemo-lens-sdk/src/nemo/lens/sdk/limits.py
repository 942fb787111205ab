# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What the limits of OpenTelemetry cut off items that were delivered otherwise whole.

The limits are `OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT` and its sisters, 128 each unless they are set. The
SDK drops what is beyond them while it records, and keeps the numbers on the item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nemo.lens.sdk.counts import Counts

# What an item calls the number, and the reason under which it is counted. Log records have
# attributes only, and no number at all before OpenTelemetry 1.39.
_REASONS = (
    ("dropped_attributes", "attribute_limit"),
    ("dropped_events", "event_limit"),
    ("dropped_links", "link_limit"),
)


def count_what_limits_took(batch: Iterable[Any], counts: Counts) -> None:
    """Count the attributes, events and links that the items of a delivered batch lack.

    Runs in the worker thread, once for each item that was delivered; a recording thread pays
    nothing.

    Args:
        batch: Ended spans or log records.
        counts: The counts of the queue that they came through.
    """
    for item in batch:
        for name, reason in _REASONS:
            number = getattr(item, name, 0)
            if number:
                counts.lose(reason, number)
