# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""NeMo Lens: shared OpenTelemetry instrumentation for distributed AI training.

Every name is loaded at its first use, so that importing this package costs next to nothing and
loads no OpenTelemetry. `__all__` and `dir()` list the names of `nemo-lens-sdk` only where it is
installed.
"""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nemo.lens.config import NemoLensConfig, ensure_run_id
    from nemo.lens.distributed import broadcast_trace_context, create_linked_span
    from nemo.lens.global_providers import get_meter, get_tracer
    from nemo.lens.groups import SpanGroup, SpanRegistry
    from nemo.lens.handle import TelemetryHandle, setup_telemetry
    from nemo.lens.helpers import (
        DEFAULT_REDACT_KEYS,
        SpanHandle,
        SpanOptions,
        attached_context,
        managed_span,
        mark,
        open_span,
        redact_value,
        safe_set_span_attributes,
        span_attributes,
        span_cm,
        trace_fn,
    )
    from nemo.lens.package_info import (
        __contact_emails__,
        __contact_names__,
        __download_url__,
        __homepage__,
        __package_name__,
        __repository_url__,
        __version__,
    )
    from nemo.lens.propagation import extract_context, inject_context
    from nemo.lens.resources.slurm import derive_nv_dl_run_uuid
    from nemo.lens.state import (
        current_step,
        enabled_span_groups,
        is_span_group_enabled,
        pending_span_groups,
        set_enabled_span_groups,
        set_span_group_spec,
        set_step,
        set_step_sampling,
    )
    from nemo.lens.strategies import (
        ExportStrategy,
        register_export_strategy,
        registered_strategies,
        unregister_export_strategy,
    )

    __all__ = [
        "DEFAULT_REDACT_KEYS",
        "ExportStrategy",
        "NemoLensConfig",
        "SpanGroup",
        "SpanHandle",
        "SpanOptions",
        "SpanRegistry",
        "TelemetryHandle",
        "__contact_emails__",
        "__contact_names__",
        "__download_url__",
        "__homepage__",
        "__package_name__",
        "__repository_url__",
        "__version__",
        "attached_context",
        "broadcast_trace_context",
        "create_linked_span",
        "current_step",
        "derive_nv_dl_run_uuid",
        "enabled_span_groups",
        "ensure_run_id",
        "extract_context",
        "get_meter",
        "get_tracer",
        "inject_context",
        "is_span_group_enabled",
        "managed_span",
        "mark",
        "open_span",
        "pending_span_groups",
        "redact_value",
        "register_export_strategy",
        "registered_strategies",
        "safe_set_span_attributes",
        "set_enabled_span_groups",
        "set_span_group_spec",
        "set_step",
        "set_step_sampling",
        "setup_telemetry",
        "span_attributes",
        "span_cm",
        "trace_fn",
        "unregister_export_strategy",
    ]
else:

    def __getattr__(name: str) -> object:
        from nemo.lens.lazy_front import find_attribute

        return find_attribute(globals(), name)

    def __dir__() -> list[str]:
        from nemo.lens.lazy_front import list_attributes

        return list_attributes(globals())
