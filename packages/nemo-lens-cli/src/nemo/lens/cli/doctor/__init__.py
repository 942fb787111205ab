# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Why a job records nothing: what is set, what is installed, and what really arrives.

Each module of `checks` asks one question and answers with findings; `examination` runs them all.
"""
