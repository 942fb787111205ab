# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`import nemo.lens`: what it shows, what it loads, and when."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import nemo.lens
from nemo.lens import lazy_front

FRONT = Path(nemo.lens.__file__)
SDK_NAMES = {
    "ExportStrategy",
    "register_export_strategy",
    "registered_strategies",
    "unregister_export_strategy",
}
CONTRACT_NAMES = {
    # both generations of clients, in one process
    *("NemoLensConfig", "TelemetryHandle", "setup_telemetry", "SpanGroup", "managed_span"),
    *("span_cm", "trace_fn", "safe_set_span_attributes", "redact_value", "DEFAULT_REDACT_KEYS"),
    *("inject_context", "extract_context", "get_tracer", "get_meter", "is_span_group_enabled"),
    *("set_enabled_span_groups", "broadcast_trace_context", "create_linked_span"),
    *("__version__", "__package_name__", "__contact_names__", "__contact_emails__"),
    *("__homepage__", "__repository_url__", "__download_url__"),
    *("SpanRegistry", "span_attributes", "ensure_run_id", "enabled_span_groups"),
    *("pending_span_groups", "derive_nv_dl_run_uuid"),
    # and the new ones
    *("SpanOptions", "set_step", "set_span_group_spec", "set_step_sampling", "current_step"),
    *("SpanHandle", "open_span", "mark", "attached_context"),
}
SDK_IS_INSTALLED = lazy_front._sdk_is_installed("nemo.lens")
LIGHT_MODULES = ("state", "groups", "vocabulary", "helpers", "fallbacks", "config", "testing")


def run(code: str) -> str:
    """Run code in a fresh interpreter and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_statement_after_the_docstring_extends_the_path():
    """Type checkers and the other distributions rely on exactly this spelling."""
    source = FRONT.read_text(encoding="utf-8")
    docstring, first, *_ = ast.parse(source).body
    assert isinstance(docstring, ast.Expr)
    assert (
        ast.get_source_segment(source, first)
        == '__path__ = __import__("pkgutil").extend_path(__path__, __name__)'
    )


def test_every_name_of_the_contract_is_listed():
    """Both generations, and the sdk's names only where the sdk is installed."""
    names = set(nemo.lens.__all__)
    assert names >= CONTRACT_NAMES
    assert names & SDK_NAMES == (SDK_NAMES if SDK_IS_INSTALLED else set())
    assert names <= set(dir(nemo.lens))
    assert len(nemo.lens.__all__) == len(names)


def test_dir_shows_the_public_names_and_nothing_else():
    """No submodule that happens to be loaded, nothing that makes the front work."""
    out = run("""
        import nemo.lens, nemo.lens.fork_safety
        print([n for n in dir(nemo.lens) if not n.startswith("__") and n not in nemo.lens.__all__])
    """)
    assert out == "[]\n"


@pytest.mark.parametrize("name", sorted(set(lazy_front._MODULE_OF) - SDK_NAMES))
def test_every_name_is_found_in_its_module(name):
    """The front hands out the very object of the module that owns it."""
    module = importlib.import_module(f"nemo.lens.{lazy_front._MODULE_OF[name]}")
    assert getattr(nemo.lens, name) is getattr(module, name)


def test_type_checkers_see_the_names_that_exist_at_run_time():
    """The block for type checkers imports each name from the same module as the lazy front."""
    tree = ast.parse(FRONT.read_text(encoding="utf-8"))
    seen = {
        alias.name: node.module.removeprefix("nemo.lens.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != "nemo.lens.lazy_front"
        for alias in node.names
    }
    assert seen == lazy_front._MODULE_OF
    (listed,) = (
        ast.literal_eval(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert listed == sorted(lazy_front._MODULE_OF)


def test_a_name_is_an_ordinary_attribute_after_its_first_use():
    """The second use costs no lookup in the front."""
    vars(nemo.lens).pop("SpanRegistry", None)
    first = nemo.lens.SpanRegistry
    assert vars(nemo.lens)["SpanRegistry"] is first


def test_a_submodule_can_be_used_as_an_attribute():
    """`nemo.lens.state` works without importing it by name, as it did when nothing was lazy."""
    assert run("import nemo.lens; print(nemo.lens.state.is_span_group_enabled('x'))") == "False\n"


@pytest.mark.parametrize("name", ["nonsense", "_private", "__wrapped__"])
def test_an_unknown_name_is_an_attribute_error(name):
    """`hasattr` says no, and `from nemo.lens import` gives an ImportError."""
    assert not hasattr(nemo.lens, name)
    with pytest.raises(AttributeError, match=f"'nemo.lens' has no attribute '{name}'"):
        getattr(nemo.lens, name)
    with pytest.raises(ImportError):
        exec(f"from nemo.lens import {name}")


def test_a_star_import_binds_every_listed_name():
    """It works with the api alone."""
    namespace = {}
    exec("from nemo.lens import *", namespace)
    assert set(nemo.lens.__all__) <= set(namespace)


def test_importing_the_gate_and_the_helpers_loads_no_opentelemetry():
    """Neither does calling them while their group is off."""
    modules = ", ".join(f"nemo.lens.{name}" for name in LIGHT_MODULES)
    out = run(
        f"""
        import sys, threading
        import nemo.lens, {modules}
        @nemo.lens.trace_fn("step", "f")
        def f():
            with nemo.lens.managed_span("step", "x", k=1) as span:
                return span
        assert f() is None
        nemo.lens.set_step(1)
        nemo.lens.set_span_group_spec("")
        print([m for m in sys.modules if m.startswith("opentelemetry")], threading.active_count())
        """
    )
    assert out == "[] 1\n"


def test_importing_the_front_loads_only_the_front():
    """Everything else waits for its first use."""
    out = run(
        """
        import nemo.lens, sys
        print([m for m in sys.modules if m.startswith("nemo.lens")])
        """
    )
    assert out == "['nemo.lens']\n"


def test_threads_that_race_for_the_names_get_the_same_objects():
    """First uses from many threads at once neither fail nor differ."""
    out = run(
        f"""
        import threading, nemo.lens
        names = {sorted(CONTRACT_NAMES)!r}
        barrier = threading.Barrier(8)
        seen = [{{}} for _ in range(8)]
        def work(mine, shift):
            barrier.wait()
            for name in names[shift:] + names[:shift]:
                mine[name] = getattr(nemo.lens, name)
        threads = [
            threading.Thread(target=work, args=(mine, 4 * n)) for n, mine in enumerate(seen)
        ]
        [t.start() for t in threads]
        [t.join() for t in threads]
        print([n for n in names for s in seen if s[n] is not seen[0][n]])
        """
    )
    assert out == "[]\n"


def test_modules_may_be_dropped_and_imported_again():
    """The fresh copy is complete, and the old objects go on working."""
    out = run(
        """
        import os, sys
        import nemo.lens
        from nemo.lens import SpanRegistry, managed_span, set_enabled_span_groups
        old, old_registry = nemo.lens, SpanRegistry
        old_registry.register("old", ["step"])
        for name in [name for name in sys.modules if name.startswith("nemo")]:
            del sys.modules[name]
        import nemo.lens
        assert nemo.lens is not old
        from nemo.lens import SpanRegistry, is_span_group_enabled, set_span_group_spec
        SpanRegistry.register("new", ["layer"])
        set_span_group_spec("all")
        assert is_span_group_enabled("layer") and not is_span_group_enabled("step")
        assert old_registry.namespaces() == ["old"]
        with managed_span("step", "x") as span:
            assert span is None
        assert old.trace_fn and nemo.lens.trace_fn
        pid = os.fork()
        if pid == 0:
            SpanRegistry.clear()
            old_registry.clear()
            os._exit(0)
        print(os.waitpid(pid, 0)[1])
        """
    )
    assert out == "0\n"


def test_only_the_package_itself_may_be_dropped_too():
    """Its modules stay loaded, and the new front finds them."""
    out = run(
        """
        import sys, nemo.lens.state
        state = nemo.lens.state
        del sys.modules["nemo.lens"]
        import nemo.lens
        print(nemo.lens.state is state, nemo.lens.is_span_group_enabled is state.is_span_group_enabled)
        """
    )
    assert out == "True True\n"


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("managed_span", "nemo.lens.helpers"),
        ("safe_set_span_attributes", "nemo.lens.helpers"),
        ("is_span_group_enabled", "nemo.lens.state"),
    ],
)
def test_functions_say_where_clients_import_them_from(name, module):
    """Clients tell the real helpers from no-ops by `__module__`."""
    assert getattr(nemo.lens, name).__module__ == module


BLOCK_THE_SDK = """
    import sys
    class Block:
        def find_spec(self, name, path=None, target=None):
            if name in ("nemo.lens.strategies", "nemo.lens.sdk"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    sys.meta_path.insert(0, Block())
    import nemo.lens
"""


@pytest.mark.parametrize("name", sorted(SDK_NAMES))
def test_without_the_sdk_its_names_say_what_to_install(name):
    """The error names the distribution and the extra that clients know."""
    out = run(
        BLOCK_THE_SDK
        + f"""
    try:
        from nemo.lens import {name}
    except ImportError as error:
        print(error)
    """
    )
    assert "nemo-lens-sdk" in out
    assert "nemo-lens[sdk]" in out
    assert f"nemo.lens.{name}" in out


def test_without_the_sdk_its_names_are_not_listed_and_a_star_import_works():
    """`__all__` and `dir()` are true in every environment."""
    out = run(
        BLOCK_THE_SDK
        + f"""
    from nemo.lens import *
    listed = set(nemo.lens.__all__) | set(dir(nemo.lens))
    print(listed & {SDK_NAMES!r}, managed_span.__name__)
    """
    )
    assert out == "set() managed_span\n"


def test_a_broken_sdk_is_not_reported_as_a_missing_one():
    """An ImportError from inside the sdk reaches the caller as it is."""
    out = run(
        """
        import sys, types, importlib.util
        class Broken:
            def find_spec(self, name, path=None, target=None):
                if name == "nemo.lens.strategies":
                    return importlib.util.spec_from_loader(name, self)
            def create_module(self, spec):
                return None
            def exec_module(self, module):
                import a_module_that_the_sdk_needs
        sys.meta_path.insert(0, Broken())
        import nemo.lens
        try:
            nemo.lens.ExportStrategy
        except ImportError as error:
            print(error.name)
        """
    )
    assert out == "a_module_that_the_sdk_needs\n"


def test_the_look_ups_of_the_global_providers(nemo_lens_recorder):
    """`get_tracer` has one versioned scope by default; a caller's scope stays its own."""
    default = nemo.lens.get_tracer()
    default.start_span("a").end()
    nemo.lens.get_tracer("mine").start_span("b").end()
    ours = nemo_lens_recorder.span("a").instrumentation_scope
    assert ours.name == "nemo.lens"
    assert ours.version == nemo.lens.__version__
    assert ours.schema_url.startswith("https://docs.nvidia.com/nemo/lens/semconv/")
    theirs = nemo_lens_recorder.span("b").instrumentation_scope
    assert (theirs.name, theirs.version, theirs.schema_url) == ("mine", None, None)


def test_a_meter_of_the_global_provider_is_handed_out():
    """Before set-up it is a proxy that records nothing and does not fail."""
    for meter in (nemo.lens.get_meter(), nemo.lens.get_meter("mine")):
        meter.create_gauge("rl.reward").set(1.0)
    assert nemo.lens.get_meter("mine").name == "mine"
    assert nemo.lens.get_meter().schema_url.startswith("https://docs.nvidia.com/nemo/lens/")


def test_look_ups_take_a_name_only():
    """The signature of the contract."""
    for function in (nemo.lens.get_tracer, nemo.lens.get_meter):
        assert str(inspect.signature(function)).startswith("(name: 'str' = 'nemo.lens')")


def test_racing_for_one_lazy_name_in_this_process_is_harmless():
    """Dropping the stored value while others read it never shows an AttributeError."""
    failures = []

    def read():
        for _ in range(200):
            vars(nemo.lens).pop("SpanGroup", None)
            if nemo.lens.SpanGroup.STEP != "step":
                failures.append("wrong object")

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
