"""Simulate the corrections of every take of a plan file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from generation.engine.plan_runs import correct_file
from generation.engine.planner.plan_files import read_plans
from generation.management.planning import (
    add_profile_option,
    profile_called,
    refusals,
    write_plan_file,
)


class Command(BaseCommand):
    help = "Simulate corrections: correct INPUT --seed N [--profile P] [--out F]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("input", type=Path, help="plan file (JSON)")
        parser.add_argument("--seed", type=int, required=True)
        add_profile_option(parser, default=None)
        parser.add_argument("--out", type=Path, help="plan file to write (default: print it)")

    def handle(self, *args: object, **options: Any) -> None:
        with refusals():
            corrected = correct_file(
                read_plans(options["input"]),
                profile=profile_called(options["profile"]),
                seed=options["seed"],
            )
            write_plan_file(corrected, options["out"], self.stdout)
