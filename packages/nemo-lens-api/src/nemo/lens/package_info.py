# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The version of `nemo-lens-api` and where it comes from.

`__version__` is read from the metadata of the installed distribution at its first use, because
reading metadata costs more than importing all of `nemo.lens`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    __version__: str

__package_name__ = "nemo_lens"
__contact_names__ = "NVIDIA"
__contact_emails__ = "nemo-toolkit@nvidia.com"
__homepage__ = "https://docs.nvidia.com/nemo/lens"
__repository_url__ = "https://github.com/NVIDIA-NeMo/Lens"
__download_url__ = "https://github.com/NVIDIA-NeMo/Lens/releases"

_DISTRIBUTION = "nemo-lens-api"
_UNKNOWN_VERSION = "0+unknown"


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Threads may race; all of them get the same object.
    return str(globals().setdefault("__version__", _installed_version()))


def __dir__() -> list[str]:
    return sorted({*globals(), "__version__"})


def _installed_version() -> str:
    from importlib import metadata

    try:
        return metadata.version(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        # Sources on sys.path that nobody installed: every span still needs a scope version.
        return _UNKNOWN_VERSION
