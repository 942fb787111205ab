# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Runs whose answer is known, written as run files or as a collector would write them.

A `Scenario` says how many ranks do how many steps, how long each phase takes and what goes wrong;
`restarted` makes the next attempt of the same job; `draw` makes one of many shapes from a seed.
`play` simulates it (ranks wait for each other in every step, clocks are wrong), `make_run` puts it
on disk and returns the right answer beside it:

```python
first = Scenario(killed={2: 31}, checkpoint_every=10, checkpoint_by="all", init_s=1.0, job=True)
path, truth = make_run(tmp_path, first, restarted(first, first_step=31, begins_s=60.0))
```
"""

from synthetic_runs.black_boxes import BoxedSpan, add_black_boxes, box_bytes
from synthetic_runs.draws import TROUBLES, draw
from synthetic_runs.otlp_lines import (
    BATCH,
    key_values,
    lines,
    log_line,
    metric_line,
    request,
    resource,
    span_json,
)
from synthetic_runs.run_files import (
    TORN,
    Made,
    make_run,
    manifest,
    process_folder,
    write_collector_file,
    write_run,
)
from synthetic_runs.scenario import EPOCH, NANO, Scenario, heavy, normal, quiet, restarted
from synthetic_runs.simulation import (
    Activity,
    OpenSpan,
    Rank,
    SpanRow,
    job_id,
    play,
    simulate,
)
from synthetic_runs.truth import BUCKETS, Slow, Truth

__all__ = [
    "BATCH",
    "BUCKETS",
    "EPOCH",
    "NANO",
    "TORN",
    "TROUBLES",
    "Activity",
    "BoxedSpan",
    "Made",
    "OpenSpan",
    "Rank",
    "Scenario",
    "Slow",
    "SpanRow",
    "Truth",
    "add_black_boxes",
    "box_bytes",
    "draw",
    "heavy",
    "job_id",
    "key_values",
    "lines",
    "log_line",
    "make_run",
    "manifest",
    "metric_line",
    "normal",
    "play",
    "process_folder",
    "quiet",
    "request",
    "resource",
    "restarted",
    "simulate",
    "span_json",
    "write_collector_file",
    "write_run",
]
