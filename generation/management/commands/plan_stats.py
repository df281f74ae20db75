"""Print the distributions of a plan file, or of many seeds over a split file or a data set."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from generation.engine.planner.files.input_fields import as_mapping, read_json
from generation.engine.planner.files.plan_files import plans_from
from generation.engine.planner.files.profile_files import load_profile
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.planner.statistics.comparison import compare, listing, table
from generation.engine.planner.statistics.distributions import tally_of
from generation.engine.results.plan_runs import distributions_of_seeds
from generation.management.planning import (
    add_profile_option,
    add_resource_options,
    dataset_named,
    planning_input_named,
    refusals,
    warn,
)

DEFAULT_SEEDS = 20


class Command(CommandWithoutPages):
    help = (
        "Print distributions: of a plan file, or of planning and correcting a split file with "
        "seeds 0 to N-1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "input", type=Path, help="plan file or split file (JSON), or name of a data set"
        )
        parser.add_argument(
            "--seeds", type=int, help=f"how many, for a split file (default: {DEFAULT_SEEDS})"
        )
        add_profile_option(parser, default=DEFAULT_PROFILE.name)
        add_resource_options(parser)
        parser.add_argument("--beside", type=Path, help="distributions to compare with (JSON)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: object, **options: Any) -> None:
        with refusals():
            distributions = self._distributions(options)
            other = read_json(options["beside"]) if options["beside"] else None
        if options["json"]:
            self.stdout.write(json.dumps(distributions, ensure_ascii=False, allow_nan=False))
        elif other is not None:
            titles = ("this", options["beside"].stem[:14])
            self.stdout.write(table(compare(distributions, other), titles=titles))
        else:
            self.stdout.write(listing(distributions))

    def _distributions(self, options: dict[str, Any]) -> dict[str, Any]:
        path = options["input"]
        if dataset_named(path) is None:
            data = as_mapping(read_json(path), file=path.name, place="", field="")
            if "takes" in data:
                return tally_of([plans_from(data, file=path.name).plans])
        count = DEFAULT_SEEDS if options["seeds"] is None else options["seeds"]
        if count < 1:
            raise CommandError(f"--seeds is {count}; expected 1 or more")
        profile = load_profile(options["profile"])
        with shown_while("Reading the takes", self.stderr, things="seeds") as shown:
            planning_input = planning_input_named(options)
            distributions = distributions_of_seeds(
                planning_input, profile=profile, seeds=range(count), watch=shown.watch
            )
        warn(planning_input.warnings(), self.stderr)
        return distributions
