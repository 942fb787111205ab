# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""What makes `import nemo.lens` cheap: names are found in their modules at first use (PEP 562)."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from nemo.lens.fork_safety import forks_wait

_NAMES_BY_MODULE = {
    "config": ("NemoLensConfig", "ensure_run_id"),
    "distributed": ("broadcast_trace_context", "create_linked_span"),
    "global_providers": ("get_meter", "get_tracer"),
    "groups": ("SpanGroup", "SpanRegistry"),
    "handle": ("TelemetryHandle", "setup_telemetry"),
    "helpers": (
        "DEFAULT_REDACT_KEYS",
        "SpanHandle",
        "SpanOptions",
        "attached_context",
        "managed_span",
        "mark",
        "open_span",
        "redact_value",
        "safe_set_span_attributes",
        "span_attributes",
        "span_cm",
        "trace_fn",
    ),
    "package_info": (
        "__contact_emails__",
        "__contact_names__",
        "__download_url__",
        "__homepage__",
        "__package_name__",
        "__repository_url__",
        "__version__",
    ),
    "propagation": ("extract_context", "inject_context"),
    "resources.slurm": ("derive_nv_dl_run_uuid",),
    "state": (
        "current_step",
        "enabled_span_groups",
        "is_span_group_enabled",
        "pending_span_groups",
        "set_enabled_span_groups",
        "set_span_group_spec",
        "set_step",
        "set_step_sampling",
    ),
}
_SDK_MODULE = "strategies"
_SDK_NAMES = (
    "ExportStrategy",
    "register_export_strategy",
    "registered_strategies",
    "unregister_export_strategy",
)
_MODULE_OF = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}
_MODULE_OF.update(dict.fromkeys(_SDK_NAMES, _SDK_MODULE))


def find_attribute(namespace: dict[str, object], name: str) -> object:
    """Be the `__getattr__` of the package whose globals are `namespace`.

    A name found is stored in `namespace`, so that the next use of it is an ordinary attribute.
    Threads may race for a name: the import system makes them wait for the one module, and all of
    them store the same object.
    """
    package = str(namespace["__name__"])
    if name == "__all__":
        return _public_names(package)
    module_name = _MODULE_OF.get(name)
    if module_name is None:
        return _submodule(package, name)
    value = getattr(_module(package, module_name, wanted=name), name)
    namespace[name] = value
    return value


def list_attributes(namespace: dict[str, object]) -> list[str]:
    """Be the `__dir__` of the package whose globals are `namespace`.

    Submodules that happen to be loaded are left out: which those are is nobody's interface.
    """
    special = {name for name in namespace if name.startswith("__")}
    return sorted({*special, *_public_names(str(namespace["__name__"]))})


def _public_names(package: str) -> list[str]:
    names = _MODULE_OF if _sdk_is_installed(package) else _MODULE_OF.keys() - set(_SDK_NAMES)
    return sorted(names)


def _sdk_is_installed(package: str) -> bool:
    try:
        return find_spec(f"{package}.{_SDK_MODULE}") is not None
    except (ImportError, ValueError):  # an import hook may refuse; a test may have put None there
        return False


def _module(package: str, name: str, *, wanted: str) -> object:
    if name != _SDK_MODULE:
        return _imported(f"{package}.{name}")
    from nemo.lens.missing_sdk import needing_sdk

    with needing_sdk(f"{package}.{wanted}"):
        return _imported(f"{package}.{name}")


def _submodule(package: str, name: str) -> object:
    """Import a submodule that is used as an attribute, as if the package had imported it itself."""
    path = f"{package}.{name}"
    if not name.startswith("_"):
        try:
            return _imported(path)
        except ModuleNotFoundError as error:
            if error.name != path:
                raise
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def _imported(path: str) -> object:
    with forks_wait():
        return import_module(path)
