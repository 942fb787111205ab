# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The one message for a process that wants to export without `nemo-lens-sdk`."""

from __future__ import annotations


def missing_sdk_error(what: str) -> ImportError:
    """Return the error to raise when `what` needs the sdk and the sdk is not installed.

    Args:
        what: The name or action that needs it, for example `nemo.lens.ExportStrategy`.
    """
    return ImportError(
        f"{what} needs the NeMo Lens sdk and the OpenTelemetry SDK, which are not installed. "
        f"Install them with: pip install nemo-lens-sdk  (or: pip install 'nemo-lens[sdk]')",
        name="nemo.lens.sdk",
    )
