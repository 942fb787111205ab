# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""The report of a run as one HTML file: no script, no request, no other file.

`findings` asks the analyses, the figures and tables turn the answers into elements, `document`
puts them together. Everything that a run can name goes through `markup`, which escapes it.
"""
