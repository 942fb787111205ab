# SPDX-FileCopyrightText: Copyright (c) 2026 NVIDIA CORPORATION & AFFILIATES. All rights reserved.
# SPDX-License-Identifier: Apache-2.0
"""`nemo-lens demo`: train a small real model in several processes, record and explain the run."""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nemo.lens.cli import exits
from nemo.lens.cli.argument_types import whole_number
from nemo.lens.cli.invocation import command_for
from nemo.lens.cli.run_argument import folder, open_run
from nemo.lens.cli.screen import say
from nemo.lens.runs.quantities import duration, plural

if TYPE_CHECKING:
    from nemo.lens.cli.demo.launcher import Outcome
    from nemo.lens.cli.demo.messages import TrainingPlan
    from nemo.lens.cli.screen import Screen
    from nemo.lens.runs import Run

NAME = "demo"
SUMMARY = "train a small model in several processes and explain the run"
DESCRIPTION = (
    "Train a real, small neural network (species of 342 penguins, standard library only) "
    "data-parallel in several processes. Every rank records spans and metrics to files; no server "
    "is needed. At the end comes the report on the run."
)
EPILOG = """\
examples:
  nemo-lens demo                    4 ranks, 60 steps
  nemo-lens demo --slow-rank 2      rank 2 computes each of its gradients twice;
                                    the report finds out
  nemo-lens demo --crash-after 47   a rank is killed, the job goes on from its
                                    checkpoint: ask nemo-lens goodput
  nemo-lens demo --hang-rank 2      the job stands still for three minutes: ask
                                    nemo-lens autopsy, then or afterwards
  nemo-lens demo --ranks 2 --dir /tmp/runs
  nemo-lens demo --json | jq '.stragglers'

exit status:
  0 trained and recorded, 1 a rank died or nothing was recorded, 2 wrong usage,
  130 interrupted with Ctrl-C
"""

MOST_RANKS = 64
MOST_STEPS = 100_000
_DEFAULT_DIRECTORY = "nemo-lens-runs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--ranks",
        type=whole_number(1, MOST_RANKS),
        default=4,
        metavar="N",
        help="processes (default: 4)",
    )
    parser.add_argument(
        "--steps",
        type=whole_number(1, MOST_STEPS),
        default=60,
        metavar="N",
        help="training steps (default: 60)",
    )
    parser.add_argument(
        "--slow-rank",
        type=_rank,
        default=None,
        metavar="N",
        help="the rank that has to do its work twice (default: none)",
    )
    parser.add_argument(
        "--crash-after",
        type=_step,
        default=None,
        metavar="STEP",
        help="kill a rank after this step and start again (default: no crash)",
    )
    parser.add_argument(
        "--hang-rank",
        type=_rank,
        default=None,
        metavar="N",
        help="the rank that hangs in a step, so that the others wait (default: none)",
    )
    parser.add_argument(
        "--dir",
        default=_DEFAULT_DIRECTORY,
        type=folder,
        metavar="DIR",
        help=f"where runs are kept, each in its own folder (default: {_DEFAULT_DIRECTORY})",
    )


def run(arguments: argparse.Namespace, screen: Screen) -> int:
    """Train, then report."""
    plan = _plan(arguments)
    from nemo.lens.cli.demo.launcher import Outcome

    outcome = Outcome()
    _announce(plan)
    started = time.monotonic()
    try:
        _train(plan, outcome)
        if plan.crash_after is not None and outcome.failures:
            plan, outcome = _after_crash(plan, outcome), Outcome()
            _train(plan, outcome)
    except KeyboardInterrupt:
        say(_interrupted(plan, outcome))
        return exits.INTERRUPTED
    for text in outcome.tracebacks:
        say(text)
    _answer(plan, outcome, time.monotonic() - started, screen, as_json=arguments.json)
    return exits.PROBLEM if outcome.failures else exits.DONE


def _train(plan: TrainingPlan, outcome: Outcome) -> None:
    from nemo.lens.cli.demo.launcher import launch
    from nemo.lens.cli.demo.progress import progress

    with progress(sys.stderr, plan.steps) as listener:
        launch(plan, outcome, listener)


def _after_crash(plan: TrainingPlan, outcome: Outcome) -> TrainingPlan:
    """The next attempt, which goes on from the last whole checkpoint."""
    from nemo.lens.cli.demo import checkpoint

    saved = checkpoint.last_whole(plan)
    origin = f"from the checkpoint after step {saved}" if saved else "from the beginning"
    say(f"{' '.join(outcome.failures)} Starting again {origin}.")
    say(f"what that costs: {command_for('goodput', _run_path(plan))}")
    return plan._replace(restart=1, first_step=saved + 1)


def _rank(text: str) -> int:
    """A converter for the number of a rank; which ranks there are is known later."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not the number of a rank: 0 for the first one"
        ) from None


def _step(text: str) -> int:
    """A converter for the number of a step; how many there are is known later."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a step") from None


def _plan(arguments: argparse.Namespace) -> TrainingPlan:
    """Check what the parser cannot, and name the run."""
    from nemo.lens.cli.demo.messages import TrainingPlan

    ranks = arguments.ranks
    for option, rank in (
        ("--slow-rank", arguments.slow_rank),
        ("--hang-rank", arguments.hang_rank),
    ):
        if rank is not None and not 0 <= rank < ranks:
            numbers = "the only rank is 0" if ranks == 1 else f"ranks are numbered 0 to {ranks - 1}"
            arguments.parser.error(
                f"argument {option}: {rank} is not one of the {plural(ranks, 'rank')}; {numbers}"
            )
    crash, steps = arguments.crash_after, arguments.steps
    if crash is not None and not 1 <= crash < steps:
        arguments.parser.error(
            f"argument --crash-after: {crash} is not a step before the last one, {steps}: "
            f"accepted are 1 to {steps - 1}"
        )
    directory = Path(arguments.dir).expanduser()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        arguments.parser.error(
            f"argument --dir: cannot write to {arguments.dir}: {error.strerror or error}"
        )
    now = datetime.now(timezone.utc)
    run_id = f"demo-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    return TrainingPlan(
        str(directory), run_id, ranks, steps, arguments.slow_rank, crash, arguments.hang_rank
    )


def _run_path(plan: TrainingPlan) -> str:
    return str(Path(plan.directory, plan.run_id))


def _announce(plan: TrainingPlan) -> None:
    ranks = plural(plan.world_size, "rank")
    slow = "" if plan.slow_rank is None else f"; rank {plan.slow_rank} does its work twice"
    say(f"training on {ranks} for {plural(plan.steps, 'step')}{slow}")
    say(f"recording to {_run_path(plan)}")
    if plan.hang_rank is not None:
        say(f"rank {plan.hang_rank} will hang in step {plan.hang_step}; then, in another shell:")
        say(command_for("autopsy", _run_path(plan)))


def _early_end(outcome: Outcome) -> str:
    after = f"after step {outcome.step}" if outcome.step else "before the first step was done"
    return f"The training ended early, {after}. " + " ".join(outcome.failures)


def _result(plan: TrainingPlan, outcome: Outcome, duration_s: float) -> str:
    """What came out of the training, in the model's own numbers."""
    if outcome.failures:
        return _early_end(outcome)
    text = (
        f"Trained on {plural(plan.world_size, 'rank')} for {plural(outcome.step, 'step')} in "
        f"{duration(duration_s)}."
    )
    if outcome.loss is not None:
        text += f" The loss is {outcome.loss:.4f}"
    if outcome.evaluated is not None:
        _, correct, total = outcome.evaluated
        text += f"; {correct} of {total} held-out penguins are recognised ({correct / total:.0%})."
    return text


def _answer(
    plan: TrainingPlan, outcome: Outcome, duration_s: float, screen: Screen, *, as_json: bool
) -> None:
    try:
        recorded = open_run(_run_path(plan), "report")
    except exits.ProblemError:
        say(_result(plan, outcome, duration_s))
        raise
    if as_json:
        screen.json(_json(plan, outcome, duration_s, recorded))
        return
    from nemo.lens.cli.views import report_page
    from nemo.lens.runs import summarise

    page = screen.page()
    page.paragraph(_result(plan, outcome, duration_s), "bold red" if outcome.failures else "bold")
    page.blank()
    screen.show(report_page.render(summarise(recorded), page))


def _json(plan: TrainingPlan, outcome: Outcome, duration_s: float, recorded: Run) -> dict[str, Any]:
    """The answer of ``ranks`` and, beside it, how the training went."""
    from nemo.lens.runs import analyse_ranks

    evaluated = outcome.evaluated
    return {
        **analyse_ranks(recorded).to_json(),
        "path": _run_path(plan),
        "training": {
            "ranks": plan.world_size,
            "steps": outcome.step,
            "steps_planned": plan.steps,
            "slow_rank": plan.slow_rank,
            "first_step": plan.first_step,
            "duration_s": duration_s,
            "loss": outcome.loss,
            "accuracy": evaluated.correct / evaluated.total if evaluated else None,
            "failures": outcome.failures,
        },
    }


def _interrupted(plan: TrainingPlan, outcome: Outcome) -> str:
    from nemo.lens.runs import RunError, find_runs

    after = f"after step {outcome.step}" if outcome.step else "before the first step was done"
    try:
        recorded = find_runs(_run_path(plan))
    except RunError:
        recorded = []
    if not recorded:
        return f"nemo-lens demo: interrupted {after}; nothing was recorded"
    return (
        f"nemo-lens demo: interrupted {after}; its ranks were ended with SIGTERM. What was recorded "
        f"until then: {command_for('report', _run_path(plan))}"
    )
