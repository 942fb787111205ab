# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`CUDA_VISIBLE_DEVICES` as the CUDA runtime reads it."""

from __future__ import annotations

import re

from nemo.lens.resources.variables import VISIBLE_DEVICES

(CUDA_VISIBLE_DEVICES,) = VISIBLE_DEVICES

_LEADING_ORDINAL = re.compile(r"\+?[0-9]{1,18}")


def visible_devices(value: str) -> tuple[str, ...]:
    """List the devices that a process with this value can see, in its own numbering.

    The list ends at the first entry that is invalid, so `0,1,-1,2` shows two devices, and an empty
    value, `-1` or `NoDevFiles` shows none. The first entry says what the list is made of: ordinals,
    UUIDs (`GPU-...`) or MIG devices (`MIG-...`); an entry of another kind ends it. A device that is
    named twice makes the runtime show none. Of several MIG devices a process sees the first only.
    Whether the machine has the devices is left to CUDA.

    Args:
        value: The value of `CUDA_VISIBLE_DEVICES`.

    Returns:
        Ordinals as plain digits, other devices as they were written.
    """
    entries = [entry.strip() for entry in value.split(",")]
    if entries[0].startswith("MIG-"):
        return (entries[0],) if len(entries[0]) > len("MIG-") else ()
    valid = _uuid if entries[0].startswith("GPU-") else _ordinal
    devices: list[str] = []
    for entry in entries:
        device = valid(entry)
        if device is None:
            break
        if device in devices:
            return ()
        devices.append(device)
    return tuple(devices)


def _uuid(entry: str) -> str | None:
    return entry if entry.startswith("GPU-") and len(entry) > len("GPU-") else None


def _ordinal(entry: str) -> str | None:
    # The runtime parses with strtoul: digits count, and what follows them does not.
    match = _LEADING_ORDINAL.match(entry)
    return None if match is None else str(int(match.group()))
