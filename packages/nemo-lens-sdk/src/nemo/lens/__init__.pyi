# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
# For type checkers in this checkout, not shipped: nemo.lens goes on in other folders.
__path__ = __import__("pkgutil").extend_path(__path__, __name__)
