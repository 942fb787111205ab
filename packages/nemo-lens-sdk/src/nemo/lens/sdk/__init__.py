# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Providers, exporters and export decisions on the OpenTelemetry SDK; importing this package imports nothing."""
