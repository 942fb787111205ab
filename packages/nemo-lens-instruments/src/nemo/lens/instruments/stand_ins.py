# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Meters that were asked for before set-up, and follow whichever provider is installed later.

OpenTelemetry hands out stand-ins then, whose classes have private names. What its API package
makes is one of these, or discards everything.
"""

from __future__ import annotations

from typing import Any

from nemo.lens.spans.text import real_type


def stands_in(part: object) -> bool:
    """Say whether a meter, or a provider, stands in for the one of a later set-up."""
    from opentelemetry.metrics import NoOpMeter, NoOpMeterProvider

    kind = real_type(part)
    module = str(type.__getattribute__(kind, "__module__"))  # past a metaclass that raises
    is_of_the_api = module.startswith("opentelemetry.metrics")
    return is_of_the_api and kind is not NoOpMeter and kind is not NoOpMeterProvider


def installed_provider() -> Any:
    """Return the global meter provider; a stand-in before there is one."""
    from opentelemetry.metrics import get_meter_provider

    return get_meter_provider()
