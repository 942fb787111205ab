# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The black box: what a process was doing, in memory that outlives it.

A file is mapped into memory; what is stored there stays in the kernel's page cache when the process
is killed, whoever kills it. `docs/user-guide/run-files.md` describes the file.

| module | what it knows |
|---|---|
| `layout` | the bytes: header, tables, records |
| `recorder` | what is stored when a span starts and ends |
| `fast_hooks` | the way from fast spans to the recorder |
| `seats` | names of spans and threads, each stored once |
| `ring_file` | making, ending and packing up the file |
| `placement` | where it lies, and how many of dead processes are kept there |
| `route` | when all of this happens, and the pointer in the run folder |
"""
