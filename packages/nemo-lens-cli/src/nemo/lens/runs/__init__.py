# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Read and analyse recorded runs; imports no OpenTelemetry.

```python
from nemo.lens.runs import Run, analyse_autopsy, analyse_goodput, analyse_ranks, analyse_steps
from nemo.lens.runs import summarise

run = Run("nemo-lens-runs")          # a run folder, or a folder that holds exactly one run
print(analyse_ranks(run).verdict)    # who is slow
print(analyse_steps(run).duration_s) # where the time goes
print(analyse_goodput(run).verdict)  # how much of the time brought the job forward
print(analyse_autopsy(run).verdict) # where every rank stood when it hung or died
print(summarise(run).to_json())      # everything at a glance
```

`find_runs(path)` lists the runs below a folder. A path that is no run raises `RunError`, a
`ValueError` with one clear line; what is damaged inside a run becomes a line in `problems`.
"""

from nemo.lens.runs.answers import (
    SCHEMA,
    Answer,
    EventRow,
    LogRow,
    MetricRow,
    Middle,
    PhaseRow,
    ProcessRow,
    RankRow,
    RanksReport,
    RunSummary,
    Spread,
    StepRow,
    StepsReport,
    Straggler,
    TruncatedRow,
)
from nemo.lens.runs.autopsy import analyse_autopsy
from nemo.lens.runs.autopsy_answers import AutopsyReport, StandGroup, StandRow, Suspect
from nemo.lens.runs.black_box import BlackBox, BoxSpan
from nemo.lens.runs.bucket_table import BucketTable
from nemo.lens.runs.collect import collect
from nemo.lens.runs.diff import compare_runs
from nemo.lens.runs.diff_answers import DiffReport, PartChange
from nemo.lens.runs.goodput import analyse_goodput
from nemo.lens.runs.goodput_answers import (
    AttemptRow,
    BucketRow,
    GoodputProcessRow,
    GoodputReport,
    PartRow,
)
from nemo.lens.runs.job_runs import runs_of_job
from nemo.lens.runs.locate import RunLocation, SeveralRunsError, find_runs
from nemo.lens.runs.number_ranges import NumberRanges
from nemo.lens.runs.overview import summarise
from nemo.lens.runs.problems import RunError
from nemo.lens.runs.process import Process
from nemo.lens.runs.ranks import analyse_ranks
from nemo.lens.runs.records import LogRecord, Point, Span
from nemo.lens.runs.run import Run
from nemo.lens.runs.step_records import ProcessRecord
from nemo.lens.runs.step_table import StepRecord, StepTable
from nemo.lens.runs.steps import analyse_steps
from nemo.lens.runs.timeline import TimelineReport, write_timeline

__all__ = [
    "SCHEMA",
    "Answer",
    "AttemptRow",
    "AutopsyReport",
    "BlackBox",
    "BoxSpan",
    "BucketRow",
    "BucketTable",
    "DiffReport",
    "EventRow",
    "GoodputProcessRow",
    "GoodputReport",
    "LogRecord",
    "LogRow",
    "MetricRow",
    "Middle",
    "NumberRanges",
    "PartChange",
    "PartRow",
    "PhaseRow",
    "Point",
    "Process",
    "ProcessRecord",
    "ProcessRow",
    "RankRow",
    "RanksReport",
    "Run",
    "RunError",
    "RunLocation",
    "RunSummary",
    "SeveralRunsError",
    "Span",
    "Spread",
    "StandGroup",
    "StandRow",
    "StepRecord",
    "StepRow",
    "StepTable",
    "StepsReport",
    "Straggler",
    "Suspect",
    "TimelineReport",
    "TruncatedRow",
    "analyse_autopsy",
    "analyse_goodput",
    "analyse_ranks",
    "analyse_steps",
    "collect",
    "compare_runs",
    "find_runs",
    "runs_of_job",
    "summarise",
    "write_timeline",
]
