# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The one message for a process that wants to export without `nemo-lens-sdk`."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

_PARTS_OF_THE_SDK = ("nemo.lens.", "opentelemetry")


@contextmanager
def needing_sdk(what: str) -> Generator[None]:
    """Import parts of the sdk in the body, and tell a missing sdk from a broken one.

    Args:
        what: The name or action that needs it, for example `nemo.lens.ExportStrategy`.

    Raises:
        ImportError: The sdk, or the OpenTelemetry SDK below it, is not installed; the text says
            what to install. Any other failure of the body is raised as it is.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(_PARTS_OF_THE_SDK):
            raise
        raise ImportError(
            f"{what} needs the NeMo Lens sdk and the OpenTelemetry SDK, which are not installed. "
            "Install them with: pip install nemo-lens-sdk  (or: pip install 'nemo-lens[sdk]')",
            name="nemo.lens.sdk",
        ) from error
