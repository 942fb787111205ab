# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`NemoLensConfig`: building, changing, checking and handing on a configuration."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import logging
import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemo.lens.config import NemoLensConfig
from nemo.lens.configuration.settings import SETTINGS
from nemo.lens.groups import SpanRegistry
from nemo.lens.vocabulary import SpanGroup

any_text = st.text() | st.text(alphabet=st.characters(categories=["Cs", "Cc", "Zs", "Lu"]))
switches = st.booleans()
names = st.lists(st.text().filter(lambda name: "," not in name), max_size=4)
metric_names = st.from_regex(r"[a-z][a-z0-9_./-]{0,9}", fullmatch=True)
bounds = st.lists(
    st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5, unique=True
).map(sorted)
counts = st.integers(min_value=1, max_value=2**31 - 1)

configurations = st.builds(
    NemoLensConfig,
    enabled=switches,
    service_name=any_text,
    service_version=any_text,
    exporter=st.lists(st.sampled_from(["otlp", "Console", " file "]), min_size=1, max_size=4).map(
        ",".join
    ),
    span_groups=any_text | st.sampled_from(["", ",", "all,-step"]),
    export_strategy=any_text,
    export_rank=st.integers(min_value=-(2**31) + 1, max_value=2**31 - 1),
    export_sample_rate=st.floats(min_value=0, max_value=1),
    sampler_enabled=switches,
    traces_enabled=switches,
    metrics_enabled=switches,
    logs_enabled=switches,
    run_id=any_text,
    user=any_text,
    wandb_entity=any_text,
    wandb_project=any_text | st.just("  "),
    single_trace_id=switches,
    directory=any_text,
    blackbox=st.none() | switches,
    redact_keys=names,
    step_sampling=counts,
    sigterm_flush=switches,
    flush_signals=st.lists(st.sampled_from(["SIGUSR1", "usr2", "SIGHUP"])),
    queue_size=counts,
    metric_buckets=st.dictionaries(metric_names, bounds, max_size=3),
    metric_drop=st.lists(st.sampled_from(["rl.*", "*", "gym.verify.?"]), unique=True),
    metric_attributes=st.dictionaries(
        metric_names, st.lists(st.sampled_from(["a", "gen_ai.token.type", "é"])), max_size=3
    ),
)

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda config: pickle.loads(pickle.dumps(config)),
    "replace": dataclasses.replace,
    "asdict": lambda config: NemoLensConfig(**dataclasses.asdict(config)),
}

BAD_VALUES = {
    "enabled": "false",
    "service_name": 7,
    "exporter": "pigeon",
    "export_rank": "last",
    "export_sample_rate": 1.5,
    "logs_enabled": 2,
    "directory": b"runs",
    "blackbox": "auto",
    "redact_keys": "api_key",
    "step_sampling": 0,
    "flush_signals": ("SIGKILL",),
    "queue_size": 1.0,
    "metric_buckets": "rl.reward=1,2",
    "metric_drop": ("rl reward",),
    "metric_attributes": {"rl.reward": "rank"},
}


def from_env(prefix="NEMO_LENS", fallback_prefix=None, **variables):
    """Build a configuration from nothing but these variables."""
    return NemoLensConfig.from_env(prefix, fallback_prefix, environ=variables)


def test_from_env_keeps_the_signature_that_clients_call():
    """Three positional parameters with these names and defaults."""
    parameters = inspect.signature(NemoLensConfig.from_env).parameters.values()
    positional = [(p.name, p.default) for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == [
        ("prefix", "NEMO_LENS"),
        ("fallback_prefix", None),
        ("span_group_cls", None),
    ]


def test_an_empty_environment_gives_the_defaults():
    """Nothing is on unless somebody says so."""
    assert from_env() == NemoLensConfig()
    assert not NemoLensConfig().enabled


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.field)
def test_every_field_can_be_read_and_assigned_by_name(setting):
    """Clients use `hasattr`, `getattr` and assignment between `from_env` and set-up."""
    config = from_env()
    assert hasattr(config, setting.field)
    setattr(config, setting.field, setting.default)
    assert getattr(config, setting.field) == setting.default


def test_from_env_reads_the_variables_of_the_process_by_default(monkeypatch):
    """Without `environ` it is `os.environ` that counts."""
    monkeypatch.setenv("NEMO_LENS_USER_ID", " ada ")
    assert NemoLensConfig.from_env().user == "ada"


def test_the_variables_of_a_library_win_over_the_fallback():
    """The prefix comes first, and an empty variable does not count."""
    config = from_env(
        "MEGATRON_OTEL",
        "NEMO_LENS",
        MEGATRON_OTEL_EXPORTER="console",
        NEMO_LENS_EXPORTER="file",
        MEGATRON_OTEL_USER_ID="  ",
        NEMO_LENS_USER_ID="grace",
    )
    assert (config.exporter, config.user) == ("console", "grace")


def test_without_a_fallback_prefix_other_prefixes_do_not_count():
    """`NEMO_LENS_*` is nothing to a library that does not ask for it."""
    assert from_env("MEGATRON_OTEL", NEMO_LENS_EXPORTER="file").exporter == "otlp"


@pytest.mark.parametrize(
    ("variables", "run_id"),
    [
        ({"MEGATRON_OTEL_RUN_ID": "a", "NEMO_LENS_RUN_ID": "b"}, "a"),
        ({"NEMO_LENS_RUN_ID": "b"}, "b"),
        ({"SLURM_JOB_ID": "7"}, ""),
    ],
)
def test_the_run_id_comes_from_the_prefix_then_from_nemo_lens(variables, run_id):
    """A parent hands its run id to children of any prefix; the scheduler's is set-up's to ask."""
    assert from_env("MEGATRON_OTEL", **variables).run_id == run_id


@pytest.mark.parametrize(
    "variable",
    ["ENABLE_SINGLE_TRACEID", "NEMO_LENS_ENABLE_SINGLE_TRACEID", "NEMO_LENS_SINGLE_TRACE_ID"],
)
def test_the_single_trace_has_three_spellings(variable):
    """The bare variable of the reference and both prefixed ones."""
    assert from_env(**{variable: "1"}).single_trace_id


def test_a_prefixed_switch_wins_over_the_bare_one():
    """What is said for the library counts more than what is said for everybody."""
    config = from_env(NEMO_LENS_SINGLE_TRACE_ID="0", ENABLE_SINGLE_TRACEID="1")
    assert not config.single_trace_id


def test_the_service_name_is_stripped_and_blanks_are_none():
    """OpenTelemetry's own variable, read as it reads it."""
    assert from_env(OTEL_SERVICE_NAME=" trainer ").service_name == "trainer"
    assert from_env(OTEL_SERVICE_NAME="  ").service_name == "nemo"


def test_weights_and_biases_names_are_taken_verbatim():
    """Blanks are part of them."""
    assert from_env(WANDB_PROJECT=" p ").wandb_project == " p "


def test_values_in_code_are_stored_as_variables_would_give_them():
    """Lists become tuples, text loses blanks and exporters their case; nothing aliases."""
    keys = ["api_key"]
    config = NemoLensConfig(
        redact_keys=keys, user=" ada ", exporter="OTLP, file", wandb_entity=None
    )
    keys.append("later")
    assert config.redact_keys == ("api_key",)
    assert (config.user, config.exporter, config.wandb_entity) == ("ada", "otlp,file", "")
    assert config.exporters == ("otlp", "file")


def test_empty_text_counts_as_not_set_but_for_span_groups():
    """In code as in variables; an empty group specification selects nothing."""
    config = NemoLensConfig(service_name="", directory="", export_strategy="", span_groups="")
    assert (config.service_name, config.directory) == ("nemo", "./nemo-lens-runs")
    assert config.export_strategy == "single_rank"
    assert config.span_groups == ""
    assert not config.is_explicit("service_name")


@given(config=configurations, prefix=st.sampled_from(["NEMO_LENS", "MEGATRON_OTEL"]))
def test_to_env_and_from_env_are_inverse(config, prefix):
    """A child that is given the variables builds an equal configuration, defaults unchosen."""
    child = NemoLensConfig.from_env(prefix, environ=config.to_env(prefix))
    assert child == config
    for setting in SETTINGS:
        value = getattr(config, setting.field)
        assert type(getattr(child, setting.field)) is type(value)


@given(config=configurations, other=configurations)
def test_what_a_child_inherits_does_not_change_what_it_is_given(config, other):
    """Every setting with a prefix is written, also when it has its default."""
    environ = {**other.to_env(), **config.to_env()}
    child = NemoLensConfig.from_env(environ=environ)
    for setting in SETTINGS:
        if setting.suffixes:
            assert getattr(child, setting.field) == getattr(config, setting.field)


def test_to_env_leaves_names_that_nobody_chose_to_the_environment():
    """Blanking `WANDB_PROJECT` or `OTEL_SERVICE_NAME` would hit programs that are not ours."""
    assert not {"OTEL_SERVICE_NAME", "WANDB_ENTITY", "WANDB_PROJECT"} & set(
        NemoLensConfig().to_env()
    )


def test_a_real_child_process_reads_what_it_is_given():
    """The variables survive a real environment, bytes and all."""
    config = NemoLensConfig(enabled=True, user="Grace ☕\n Hopper", span_groups="", blackbox=False)
    code = "from nemo.lens.config import NemoLensConfig as C; print(ascii(C.from_env()))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=config.to_env(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == ascii(config)
    assert result.stderr == ""


@pytest.mark.parametrize("field", BAD_VALUES)
def test_validate_names_the_field_the_value_and_what_is_accepted(field):
    """A bad value that was set in code is told at set-up."""
    config = NemoLensConfig()
    setattr(config, field, BAD_VALUES[field])
    with pytest.raises(ValueError) as refusal:
        config.validate()
    text = str(refusal.value)
    assert f"NemoLensConfig.{field}" in text
    assert repr(BAD_VALUES[field]) in text
    assert "Expected" in text
    with pytest.raises(ValueError):
        config.to_env()


def test_validate_tells_every_bad_value_at_once():
    """One line for each."""
    config = NemoLensConfig(exporter="pigeon", queue_size=0)
    with pytest.raises(ValueError, match="Unknown exporter") as refusal:
        config.validate()
    assert len(str(refusal.value).splitlines()) == 2


def test_a_value_that_cannot_be_shown_is_told_by_its_type():
    """An object of the application whose `repr` raises does not hide the mistake."""

    class Unshowable:
        def __repr__(self):
            raise RuntimeError

    config = NemoLensConfig(user=Unshowable())
    with pytest.raises(ValueError, match=r"NemoLensConfig\.user: <Unshowable>"):
        config.validate()


def test_a_default_configuration_is_valid():
    """Nothing needs to be set."""
    NemoLensConfig().validate()


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan"), "0.5", None])
def test_the_constructor_refuses_a_sample_rate_outside_its_bounds(rate):
    """As the first generation did."""
    with pytest.raises(ValueError, match=r"export_sample_rate.*\[0, 1\]"):
        NemoLensConfig(export_sample_rate=rate)


def test_exporters_refuses_an_unknown_name():
    """The set-up that asks for the names gets the same error."""
    with pytest.raises(ValueError, match="Unknown exporter"):
        _ = NemoLensConfig(exporter="pigeon").exporters


def test_provenance_says_where_each_value_came_from():
    """Code, a variable, a fallback variable or the default, for every field."""
    config = from_env(
        "MEGATRON_OTEL",
        "NEMO_LENS",
        MEGATRON_OTEL_ENABLED="1",
        NEMO_LENS_EXPORTER="file",
        OTEL_SERVICE_NAME="nemo",
    )
    config.user = "ada"
    told = config.provenance()
    assert set(told) == {setting.field for setting in SETTINGS}
    assert {name: origin for name, origin in told.items() if origin != "default"} == {
        "enabled": "environment:MEGATRON_OTEL_ENABLED",
        "exporter": "fallback:NEMO_LENS_EXPORTER",
        "service_name": "environment:OTEL_SERVICE_NAME",
        "user": "code",
    }


@pytest.mark.parametrize("duplicate", COPIES.values(), ids=COPIES)
def test_provenance_survives_copies_and_they_do_not_share_it(duplicate):
    """A change of the copy is told by the copy only."""
    original = from_env(NEMO_LENS_ENABLED="1", NEMO_LENS_USER_ID="ada")
    original.exporter = "file"
    twin = duplicate(original)
    assert twin == original
    assert dict(twin.provenance()) == dict(original.provenance())
    twin.user = "grace"
    assert twin.provenance()["user"] == "code"
    assert original.provenance()["user"] == "environment:NEMO_LENS_USER_ID"


def test_provenance_tells_what_replace_changed():
    """The changed field came from code, the others from where they came before."""
    original = from_env(NEMO_LENS_ENABLED="1", NEMO_LENS_USER_ID="ada")
    changed = dataclasses.replace(original, user="grace")
    assert changed.provenance()["user"] == "code"
    assert changed.provenance()["enabled"] == "environment:NEMO_LENS_ENABLED"


def test_an_assignment_of_the_same_value_came_from_code():
    """What the application says last is what it means."""
    config = from_env(NEMO_LENS_ENABLED="1")
    config.enabled = True
    assert config.provenance()["enabled"] == "code"


def test_provenance_cannot_be_written():
    """It is an answer, not a setting."""
    with pytest.raises(TypeError):
        NemoLensConfig().provenance()["enabled"] = "code"


@pytest.mark.parametrize(
    ("config", "explicit"),
    [
        (NemoLensConfig(), False),
        (from_env(), False),
        (from_env(NEMO_LENS_EXPORT_STRATEGY=" "), False),
        (dataclasses.replace(NemoLensConfig(), user="ada"), False),
        (NemoLensConfig(export_strategy="single_rank"), True),
        (from_env(NEMO_LENS_EXPORT_STRATEGY="single_rank"), True),
        (dataclasses.replace(NemoLensConfig(), export_strategy="single_rank"), True),
    ],
)
def test_a_strategy_that_was_chosen_is_told_from_the_default(config, explicit):
    """Even when both are `single_rank`, and through every kind of copy."""
    assert config.export_strategy == "single_rank"
    for duplicate in COPIES.values():
        assert duplicate(config).is_explicit("export_strategy") is explicit


def test_a_strategy_assigned_later_is_explicit():
    """Clients assign between `from_env` and set-up."""
    config = from_env()
    config.export_strategy = "single_rank"
    assert config.is_explicit("export_strategy")


def test_a_configuration_does_not_show_its_bookkeeping():
    """`repr` and comparison are about the settings alone."""
    config = from_env(NEMO_LENS_USER_ID="ada")
    assert "_origins" not in repr(config)
    assert config == NemoLensConfig(user="ada")


def test_subclasses_may_add_fields_and_defaults():
    """Consumers extend the configuration with their own fields."""

    @dataclasses.dataclass
    class TrainingConfig(NemoLensConfig):
        attempts: int = 3

    config = TrainingConfig.from_env(environ={"NEMO_LENS_ENABLED": "1"})
    config.attempts = 4
    assert (config.enabled, config.attempts) == (True, 4)


def test_span_groups_resolve_strictly_with_a_class():
    """A `SpanGroup` class refuses what it does not know, and travels with copies."""

    class RolloutGroup(SpanGroup):
        ROLLOUT = "rollout"
        ALL_GROUPS = SpanGroup.ALL_GROUPS | {ROLLOUT}

    config = NemoLensConfig.from_env("NEMO_LENS", None, RolloutGroup, environ={})
    config.span_groups = "rollout,step"
    for duplicate in (copy.copy, copy.deepcopy, dataclasses.replace):
        assert duplicate(config).resolved_span_groups == {"rollout", "step"}
    config.span_groups = "rolout"
    with pytest.raises(ValueError, match="Unknown span group or preset"):
        _ = config.resolved_span_groups


def test_span_groups_without_a_class_are_those_of_the_base_vocabulary(nemo_lens_isolated):
    """A plain script can name the eight groups; what nobody provides selects nothing."""
    SpanRegistry.clear()
    assert NemoLensConfig(span_groups="step,unheard_of").resolved_span_groups == {"step"}
    assert NemoLensConfig(span_groups="").resolved_span_groups == frozenset()
    assert NemoLensConfig(span_groups="all,-step").resolved_span_groups == (
        SpanGroup.ALL_GROUPS - {"step"}
    )


def test_importing_the_configuration_loads_no_opentelemetry():
    """A library that only reads its configuration pays for nothing else."""
    code = (
        "import sys, nemo.lens.config as c; c.NemoLensConfig.from_env(); c.NemoLensConfig().to_env()"
        "; print([m for m in sys.modules if m.startswith('opentelemetry')], 'logging' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "[] False"


def test_a_good_environment_is_silent(caplog):
    """No warning without a cause."""
    with caplog.at_level(logging.DEBUG):
        from_env(NEMO_LENS_ENABLED="1", NEMO_LENS_EXPORT_RANK="0", OTEL_BSP_MAX_QUEUE_SIZE="x")
    assert caplog.records == []
