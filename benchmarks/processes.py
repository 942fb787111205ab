# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""G8 and G16: what importing lens and a disabled process cost, each in fresh interpreters."""

from __future__ import annotations

import json
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
    """Compare the imports, with and without what Python's own namespace line needs.

    `nemo.lens` begins with the line that every part of a namespace package has; it imports
    `pkgutil`, which loads `typing` and `re`. OpenTelemetry, and any real program, loads these too.
    So they are loaded beforehand on both sides; the ratio without that is in the detail.
    """
    detail: dict[str, float | str] = {}
    for label, preload in (("cold", ""), ("warm", _NAMESPACE_LINE)):
        ours, theirs = _least_import_times(preload)
        detail |= {f"{label}_nemo_lens_ms": ours / 1e6, f"{label}_opentelemetry_ms": theirs / 1e6}
        detail[f"{label}_ratio"] = ours / theirs
    return Measurement(ours / theirs, detail)


def _least_import_times(preload: str) -> tuple[int, int]:
    """Return the least CPU time of each import: noise only ever adds."""
    ours, theirs = [], []
    for _ in range(IMPORT_ROUNDS):
        ours.append(_import_times("nemo.lens", preload))
        theirs.append(_import_times("opentelemetry.trace", preload))
    return min(ours), min(theirs)


def _disabled_process() -> Measurement:
    found: dict[str, int] = json.loads(_run(_DISABLED_PROCESS))
    return Measurement(float(sum(found.values())), dict(found))


ROWS = (
    Row("G8", "import nemo.lens / import opentelemetry.trace, pkgutil loaded", 0.15, _importing),
    Row(
        "G16",
        "disabled process: threads + global providers + SDK modules",
        0.0,
        _disabled_process,
    ),
)
