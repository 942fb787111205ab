# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""Garbage in variables that OpenTelemetry reads while its modules are imported, in a new process."""

from __future__ import annotations

import pytest

from nemo.lens.configuration.foreign_table import FOREIGN_VARIABLES

_GARBAGE = {row.name: "garbage" for row in FOREIGN_VARIABLES if row.parsed_by_otel}

_USES = {
    "set-up": """
        from nemo.lens import NemoLensConfig, setup_telemetry
        handle = setup_telemetry(NemoLensConfig.from_env(), rank=0)
        assert handle.is_exporting
        handle.shutdown(100)
    """,
    "build_providers": """
        from nemo.lens import NemoLensConfig
        from nemo.lens.providers import build_providers
        assert build_providers(NemoLensConfig.from_env(), 0)[0] is not None
    """,
    "the sampler": """
        from nemo.lens.sampling import RankAwareSampler
        assert RankAwareSampler(0, 1, 1.0).is_selected
    """,
    "an exporter": """
        from nemo.lens.sdk.exporters.recorded import RecordedRequests
        RecordedRequests("traces").close()
    """,
}


@pytest.mark.parametrize("use", _USES)
def test_garbage_that_opentelemetry_reads_at_import_stops_nothing(run_python, tmp_path, use):
    """Each use is the first of the process; the SDK itself raises on some of it when imported."""
    environment = {
        **_GARBAGE,
        "NEMO_LENS_ENABLED": "1",
        "NEMO_LENS_EXPORTER": "file",
        "NEMO_LENS_DIR": str(tmp_path),
    }
    process = run_python(_USES[use], environment=environment)
    assert "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: 'garbage'" in process.stderr
    assert "Traceback" not in process.stderr
