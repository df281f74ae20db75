"""Simulate the corrections of every take of a plan file."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation.engine.corpus.procedure import ReadingWarning
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import ShownWork, shown_while
from generation.engine.planner.files.plan_files import PlanFile, read_plans
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.results.plan_runs import correct_file, plan_input
from generation.management.planning import (
    add_profile_option,
    dataset_named,
    profile_named,
    refusals,
    warn,
    write_plan_file,
)
from generation.selectors.plans.inputs import planning_input_of_dataset


class Command(CommandWithoutPages):
    help = "Simulate corrections: correct INPUT --seed N [--profile P] [--out F]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "input", type=Path, help="plan file (JSON), or name of a data set to plan first"
        )
        parser.add_argument("--seed", type=int, required=True)
        add_profile_option(parser, default=None)
        parser.add_argument("--out", type=Path, help="plan file to write (default: print it)")

    def handle(self, *args: object, **options: Any) -> None:
        with refusals():
            with shown_while("Reading the plans", self.stderr, things="takes") as shown:
                corrected, warnings = _corrected(options, shown)
            warn(warnings, self.stderr)
            write_plan_file(corrected, options["out"], self.stdout)


def _corrected(
    options: dict[str, Any], shown: ShownWork
) -> tuple[PlanFile, Sequence[ReadingWarning]]:
    """The corrected plans, and what was missing in the data set that was planned for them."""
    profile, seed = profile_named(options["profile"]), options["seed"]
    dataset = dataset_named(options["input"])
    if dataset is None:
        plan_file = read_plans(options["input"])
        return correct_file(plan_file, profile=profile, seed=seed, watch=shown.watch), ()
    planning_input = planning_input_of_dataset(dataset)
    used = profile or DEFAULT_PROFILE
    plan_file = plan_input(planning_input, profile=used, seed=seed, watch=shown.watch)
    # Corrected with the profile in the plan file: it has the role priors of the data set.
    return correct_file(plan_file, profile=None, seed=seed), planning_input.warnings()
