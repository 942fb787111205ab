# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G8 and G16: what importing lens and a disabled process cost, each in fresh interpreters."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

from benchmarks.children import clean_environment
from benchmarks.rows import Measurement, NotMeasurableError, Row

IMPORT_ROUNDS = 20
_NAMESPACE_LINE = "import pkgutil"

_IMPORT = """
import sys, time
spawned = []
sys.addaudithook(lambda event, _: event in {"subprocess.Popen", "os.fork", "os.posix_spawn",
    "os.system", "os.exec"} and spawned.append(event))
PRELOAD
begin = time.process_time_ns()
import MODULE
print(time.process_time_ns() - begin, len(spawned))
"""

_DISABLED_PROCESS = """
import json, sys, threading
before = threading.active_count()
from nemo.lens import NemoLensConfig, managed_span, setup_telemetry, trace_fn
handle = setup_telemetry(NemoLensConfig(enabled=False), rank=0, world_size=1)
with managed_span("step", "lib.step", n=1):
    trace_fn("step", "lib.inner")(int)()
threads = threading.active_count() - before
sdk_modules = [name for name in sys.modules if name.startswith("opentelemetry.sdk")]
from opentelemetry import metrics, trace
providers = [
    provider for provider in (trace.get_tracer_provider(), metrics.get_meter_provider())
    if "Proxy" not in type(provider).__name__
]
handle.shutdown()
print(json.dumps({"threads": threads, "global_providers": len(providers),
    "opentelemetry_sdk_modules": len(sdk_modules)}))
"""


def _run(program: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", program],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise NotMeasurableError(result.stderr.strip().splitlines()[-1])
    return result.stdout


def _import_times(module: str, preload: str) -> int:
    """Return the CPU time of one import in a fresh interpreter, and the processes it started."""
    program = _IMPORT.replace("MODULE", module).replace("PRELOAD", preload)
    taken_ns, spawned = _run(program).split()
    if int(spawned):
        raise AssertionError(f"import {module} started {spawned} processes")
    return int(taken_ns)


def _importing() -> Measurement:
    """Compare the imports; the detail says what remains where `pkgutil` is loaded already.

    The first line of a namespace package imports `pkgutil`, which loads `typing` and `re` on
    Python 3.11 and 3.12. OpenTelemetry, and any real program, loads these too.
    """
    value, detail = _import_ratio(preload="")
    with_pkgutil, _ = _import_ratio(preload=_NAMESPACE_LINE)
    return Measurement(value, {**detail, "ratio_with_pkgutil_loaded": with_pkgutil})


def _import_ratio(preload: str) -> tuple[float, dict[str, float | str]]:
    """Return the median ratio of paired imports, and the median CPU time of each."""
    pairs = [
        (_import_times("nemo.lens", preload), _import_times("opentelemetry.trace", preload))
        for _ in range(IMPORT_ROUNDS)
    ]
    medians: dict[str, float | str] = {
        "nemo_lens_ms": statistics.median(ours for ours, _ in pairs) / 1e6,
        "opentelemetry_ms": statistics.median(theirs for _, theirs in pairs) / 1e6,
    }
    return statistics.median(ours / theirs for ours, theirs in pairs), medians


def _disabled_process() -> Measurement:
    found: dict[str, int] = json.loads(_run(_DISABLED_PROCESS))
    return Measurement(float(sum(found.values())), dict(found))


ROWS = (
    Row("G8", "import nemo.lens / import opentelemetry.trace", 0.15, _importing, "2.3 to 2.6"),
    Row(
        "G16",
        "disabled process: threads + global providers + SDK modules",
        0.0,
        _disabled_process,
    ),
)
