# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Spans at a fraction of the SDK's cost, with the same data.

A fast span is a real SDK span for every processor and exporter, and its own context manager. It is
made only for the case that training code is full of: the default options, a parent that is sampled
or none, and a sampler whose answer is known beforehand. Every other span is built by the SDK
itself, so it needs no second implementation of the rare cases.

| module | what it knows |
|---|---|
| `span` | what a fast span holds, and how it reads and changes |
| `opening` | entering and leaving it: ids, parent, context, clocks, processors |
| `sampling` | for which spans the sampler's answer is known beforehand |
| `eligibility` | which tracers can have fast spans, and why others cannot |
| `rehearsal` | whether the installed SDK is one that fast spans equal |
| `factory` | the span factory, its cache of span classes, installation |
"""
