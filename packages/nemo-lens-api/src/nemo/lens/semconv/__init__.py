# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Semantic conventions: attribute names as constants, so that no use site spells one out.

`from nemo.lens.semconv import DL_ITERATION` names an attribute of either vocabulary, the `dl.*`
names of the first generation and the `nv.dl.*` names of the second. The records behind the
constants, with types, units and meanings, are the YAML files in `model/`; the reference page of
the documentation is written from them. The model is not read at run time, and importing this
package imports no OpenTelemetry.
"""

from nemo.lens.semconv.attributes import *  # noqa: F403 - the constants are listed there
