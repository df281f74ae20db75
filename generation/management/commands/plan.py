"""Plan the mistakes of every take of a split file or a data set."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from generation.engine.planner.files.profile_files import load_profile
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.results.plan_runs import plan_input
from generation.management.planning import (
    add_profile_option,
    add_resource_options,
    planning_input_named,
    refusals,
    warn,
    write_plan_file,
)


class Command(CommandWithoutPages):
    help = "Plan mistakes: plan INPUT --seed N [--profile P] [--semrep F] [--taxonomy F] [--out F]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("input", type=Path, help="split file (JSON) or name of a data set")
        parser.add_argument("--seed", type=int, required=True)
        add_profile_option(parser, default=DEFAULT_PROFILE.name)
        add_resource_options(parser)
        parser.add_argument("--out", type=Path, help="plan file to write (default: print it)")

    def handle(self, *args: object, **options: Any) -> None:
        with refusals():
            profile = load_profile(options["profile"])
            with shown_while("Reading the takes", self.stderr, things="takes") as shown:
                planning_input = planning_input_named(options)
                plan_file = plan_input(
                    planning_input, profile=profile, seed=options["seed"], watch=shown.watch
                )
            warn(planning_input.warnings(), self.stderr)
            write_plan_file(plan_file, options["out"], self.stdout)
