# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""How the helpers make a span: the parts behind `nemo.lens.helpers`.

A span goes through them in this order: `recording` settles name, attributes and options, the
`span_factory` opens it, `outcome` says how it ended. Nothing here runs while the group is off.
"""
