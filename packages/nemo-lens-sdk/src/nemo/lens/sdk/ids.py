# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Trace and span ids that no training seed can repeat, and that never disturb a training's seed."""

from __future__ import annotations

import hashlib
import random
import weakref
from typing import TYPE_CHECKING, Any, Final

from opentelemetry.sdk.trace.id_generator import IdGenerator

from nemo.lens.configuration.entry_points import EntryPoints
from nemo.lens.configuration.foreign_variables import read_foreign_variable, warn_once

if TYPE_CHECKING:
    from nemo.lens.config import NemoLensConfig

_VARIABLE: Final = "OTEL_PYTHON_ID_GENERATOR"
_ENTRY_POINTS: Final = "opentelemetry_id_generator"
_OWN: Final = "random"

_generators: weakref.WeakSet[RandomIds] = weakref.WeakSet()


class RandomIds(IdGenerator):
    """Random ids from a private generator that the operating system seeds.

    Ranks that call `random.seed` with the same number still get different ids, and the global
    streams of `random` and numpy are not touched.
    """

    def __init__(self) -> None:
        self._random = random.Random()  # noqa: S311 - ids must be unique, not secret
        self.bits = self._random.getrandbits
        """Random bits as an integer; what the ids are made of."""
        _generators.add(self)

    def generate_span_id(self) -> int:
        """Return a span id of 64 bits, never zero."""
        return self._random.getrandbits(64) or 1

    def generate_trace_id(self) -> int:
        """Return a trace id of 128 bits, never zero."""
        return self._random.getrandbits(128) or 1

    def is_trace_id_random(self) -> bool:
        """Say that samplers may rely on the randomness of the trace id."""
        return True

    def reseed(self) -> None:
        """Take a new seed from the operating system."""
        self._random.seed()


class SharedTraceIds(RandomIds):
    """One trace id for every process of a run, derived from the run id with no communication.

    Args:
        run_id: The id that all ranks and restarts of the run share.
    """

    def __init__(self, run_id: str) -> None:
        super().__init__()
        digest = hashlib.sha256(run_id.encode("utf-8", "surrogatepass")).digest()
        self._trace_id = int.from_bytes(digest[:16], "big") or 1

    def generate_trace_id(self) -> int:
        """Return the trace id of the run."""
        return self._trace_id

    def is_trace_id_random(self) -> bool:
        """Say that the trace id is derived, not random."""
        return False


def generator_of(config: NemoLensConfig) -> IdGenerator:
    """Give what makes the ids: the one that `OTEL_PYTHON_ID_GENERATOR` names, else our own.

    A trace that all ranks share needs ours, whatever the variable says.
    """
    if config.single_trace_id:
        return SharedTraceIds(config.run_id)
    name: str | None = read_foreign_variable(_VARIABLE)
    if name in {None, _OWN}:
        return RandomIds()
    try:
        made: Any = EntryPoints(_ENTRY_POINTS).load(str(name))()
        if isinstance(made, IdGenerator):
            return made
        reason = f"it gave an object of type {type(made).__name__}, expected an IdGenerator"
    except Exception as error:
        reason = f"it raised {type(error).__name__}: {error}"
    warn_once(_VARIABLE, f"Invalid value for {_VARIABLE}: {name!r}; {reason}.")
    return RandomIds()


def reseed_all() -> None:
    """Reseed every generator; called in forked children, which inherit their parent's state."""
    for generator in list(_generators):
        generator.reseed()
