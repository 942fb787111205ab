# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""PyTorch: traces over pipeline stages, spans of modules, device time, metrics of all ranks.

torch is never imported here; it is used where the application has it.
"""
