# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The application configures `logging` as if our handler at the root logger were not there.

`basicConfig` does nothing once the root logger has a handler, and `dictConfig` and `fileConfig`
throw its handlers away. The OpenTelemetry SDK replaces them for its own handler too.
"""

from __future__ import annotations

import functools
import logging
import logging.config
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_CONFIGURING = (
    (logging, "basicConfig"),
    (logging.config, "fileConfig"),
)
# What `dictConfig` calls, in whatever module somebody has imported that function into by name.
_CONFIGURATOR = (logging.config, "dictConfigClass")


def keep_through_configuration(handler: logging.Handler) -> Callable[[], None]:
    """Set a handler of the root logger aside whenever the application configures `logging`.

    Args:
        handler: The handler; it is put back when the configuration is over.

    Returns:
        What brings the functions of `logging` back, where nobody has replaced them since.
    """
    replaced = (*_CONFIGURING, _CONFIGURATOR)
    before = [(module, name, getattr(module, name)) for module, name in replaced]
    ours = [
        *(_setting_aside(handler, getattr(module, name)) for module, name in _CONFIGURING),
        _configurator(handler, before[-1][2]),
    ]
    for (module, name, _), replacement in zip(before, ours, strict=True):
        setattr(module, name, replacement)

    def bring_back() -> None:
        for (module, name, configure), replacement in zip(before, ours, strict=True):
            if getattr(module, name) is replacement:
                setattr(module, name, configure)

    return bring_back


def _setting_aside(handler: logging.Handler, configure: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(configure)
    def configure_without(*arguments: Any, **options: Any) -> Any:
        root = logging.getLogger()
        is_attached = handler in root.handlers
        root.removeHandler(handler)
        try:
            return configure(*arguments, **options)
        finally:
            if is_attached:
                root.addHandler(handler)

    return configure_without


def _configurator(handler: logging.Handler, before: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(before)
    def configurator(*arguments: Any, **options: Any) -> Any:
        made = before(*arguments, **options)
        made.configure = _setting_aside(handler, made.configure)
        return made

    return configurator
