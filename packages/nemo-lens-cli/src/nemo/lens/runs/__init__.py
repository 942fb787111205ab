# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Read and analyse recorded runs; imports no OpenTelemetry.

```python
from nemo.lens.runs import Run, analyse_ranks, analyse_steps, summarise

run = Run("nemo-lens-runs")          # a run folder, or a folder that holds exactly one run
print(analyse_ranks(run).verdict)    # who is slow
print(analyse_steps(run).duration_s) # where the time goes
print(summarise(run).to_json())      # everything at a glance
```

`find_runs(path)` lists the runs below a folder. A path that is no run raises `RunError`, a
`ValueError` with one clear line; what is damaged inside a run becomes a line in `problems`.
"""
