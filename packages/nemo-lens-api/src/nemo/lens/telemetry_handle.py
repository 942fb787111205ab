# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What set-up gives: the telemetry of this process, to record with and to shut down."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, Protocol

from nemo.lens.spans.discards import discarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.metrics import Meter
    from opentelemetry.trace import Tracer

    from nemo.lens.setup_arguments import SetupArguments

DEFAULT_TIMEOUT_MS = 5000.0
_LONGEST_TIMEOUT_MS = 24 * 3600 * 1000.0
_log = logging.getLogger("nemo.lens.handle")


class Runtime(Protocol):
    """What the sdk runs for a set-up."""

    exports: bool

    @property
    def tracer(self) -> Tracer:
        """The tracer of the scope `nemo.lens`."""
        ...

    @property
    def meter(self) -> Meter:
        """The meter of the scope `nemo.lens`."""
        ...

    def flush(self, timeout_ms: float) -> bool:
        """Export what is finished."""
        ...

    def shutdown(self, timeout_ms: float) -> bool:
        """Export and end."""
        ...

    def stats(self) -> dict[str, Any]:
        """What was delivered and lost."""
        ...


def _belongs_to_nobody(_handle: TelemetryHandle) -> None:
    """Be what is called at the shutdown of a handle that set-up does not know."""


class TelemetryHandle:
    """Telemetry of this process: its tracer, its meter, and its end.

    No method raises, and each may be called any number of times and from signal handlers.

    Attributes:
        is_exporting: True when spans, metrics or logs of this process are really exported.
        library: The prefix of the library that set telemetry up.
        runtime: What the sdk runs for it; None when nothing is exported.
        arguments: What it was set up with; None for a handle that set telemetry up for nobody.
    """

    __module__ = "nemo.lens.handle"  # where clients import it from

    def __init__(
        self,
        tracer: Tracer | None = None,
        meter: Meter | None = None,
        is_exporting: bool = False,
        *,
        _runtime: Runtime | None = None,
        _library: str = "",
        _arguments: SetupArguments | None = None,
        _owner: TelemetryHandle | None = None,
        _release: Callable[[TelemetryHandle], object] = _belongs_to_nobody,
    ) -> None:
        self.is_exporting = is_exporting
        self._tracer = tracer
        self._meter = meter
        self.runtime = _runtime
        self.library = _library
        self.arguments = _arguments
        self._owner = _owner
        self._release = _release

    @property
    def tracer(self) -> Tracer:
        """The tracer of the scope `nemo.lens`; one that records nothing when nothing is exported."""
        if self._tracer is None:
            from opentelemetry.trace import NoOpTracer

            self._tracer = NoOpTracer()
        return self._tracer

    @property
    def meter(self) -> Meter:
        """The meter of the scope `nemo.lens`; one that records nothing when nothing is exported."""
        if self._meter is None:
            from opentelemetry.metrics import NoOpMeter

            self._meter = NoOpMeter("nemo.lens")
        return self._meter

    def flush(self, timeout_ms: float = DEFAULT_TIMEOUT_MS) -> bool:
        """Export everything that is finished.

        Args:
            timeout_ms: Longest wait in milliseconds, at most a day; kept whatever an exporter does.

        Returns:
            True when all of it was delivered in time and nothing was lost since the flush before,
            or nothing is exported here. Lost is what found a queue full, what a collector refused,
            and what could not be sent; `stats` says how much. Of metrics it is this collection
            that counts.
        """
        try:
            return self.runtime is None or self.runtime.flush(_usable(timeout_ms))
        except Exception:
            _log.debug("flush failed", exc_info=True)
            return False

    def shutdown(self, timeout_ms: float = DEFAULT_TIMEOUT_MS) -> bool:
        """Export everything, spans that are still open included, and end telemetry.

        The gate closes: spans of any group cost nothing from now on. Set-up may be called again
        afterwards. The handle of a second library only flushes: the first one owns telemetry.

        Args:
            timeout_ms: Longest wait in milliseconds, at most a day; kept whatever an exporter does. What is not
                delivered by then is counted and given up.

        Returns:
            True when everything was delivered that was recorded since set-up, or nothing is
            exported here. Of metrics it is the last collection that counts.
        """
        try:
            if self._owner is not None:
                return self.flush(timeout_ms)
            self._release(self)
            return self.runtime is None or self.runtime.shutdown(_usable(timeout_ms))
        except Exception:
            _log.debug("shutdown failed", exc_info=True)
            return False

    def stats(self) -> dict[str, Any]:
        """Say what was delivered, what waits and what was lost, by reason.

        Returns:
            `{"queues": {<signal and exporter>: {"delivered": int, "pending": int, "lost": {reason:
            int}}}, "lost": {reason: int}, "discarded": {kind: int}}`. The first two are empty when
            nothing is exported here. The last counts what could not be recorded in this process at
            all, by the kind of mistake; the first of each kind was logged.
        """
        stats: dict[str, Any] = {"queues": {}, "lost": {}, "discarded": {}}
        try:
            stats["discarded"] = discarded()
            if self.runtime is not None:
                stats |= self.runtime.stats()
        except Exception:
            _log.debug("stats failed", exc_info=True)
        return stats


def _usable(timeout_ms: Any) -> float:
    """A wait that threads can make; the default, and a warning, for what is no number."""
    try:
        number = float(timeout_ms)
    except OverflowError:
        number = math.inf
    except Exception:
        number = math.nan
    if math.isnan(number):
        _log.warning(
            "timeout_ms is no number of milliseconds but of type %s or NaN; %.0f is used",
            type(timeout_ms).__name__,
            DEFAULT_TIMEOUT_MS,
        )
        return DEFAULT_TIMEOUT_MS
    return min(max(number, 0.0), _LONGEST_TIMEOUT_MS)
