"""What the commands `plan`, `correct` and `plan_stats` share: options, refusals, output."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, OutputWrapper

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import ReadingWarning
from annotation.models import Dataset
from generation.engine.planner.exceptions import PlanningError
from generation.engine.planner.files.plan_files import (
    PlanFile,
    PlanningInput,
    plans_to_dict,
    read_planning_input,
    write_json,
)
from generation.engine.planner.files.profile_files import load_profile
from generation.engine.planner.profile import Profile
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.selectors.plans.inputs import planning_input_of_dataset
from generation.services.texts.file_writing import UnknownModelError

SHOWN_WARNINGS = 20


def add_profile_option(parser: ArgumentParser, *, default: str | None) -> None:
    """Add --profile: a shipped name or a TOML file."""
    shown = default or f"the one the plan was made with, else {DEFAULT_PROFILE.name}"
    parser.add_argument(
        "--profile", default=default, help=f"published, piev or a TOML file (default: {shown})"
    )


def add_resource_options(parser: ArgumentParser) -> None:
    """Add the files that belong to a split file: representations and taxonomy."""
    parser.add_argument("--semrep", type=Path, help="cache of semantic representations (JSON)")
    parser.add_argument("--taxonomy", type=Path, help="keystep taxonomy (JSON)")


def planning_input_named(options: Mapping[str, Any]) -> PlanningInput:
    """The takes of the split file or data set that the option `input` names."""
    dataset = dataset_named(options["input"])
    if dataset is None:
        return read_planning_input(
            options["input"], semrep=options["semrep"], taxonomy=options["taxonomy"]
        )
    if options["semrep"] or options["taxonomy"]:
        raise CommandError(
            f"{dataset.name} is a data set and has its own representations and blocks;"
            " use --semrep and --taxonomy only with files."
        )
    return planning_input_of_dataset(dataset)


def dataset_named(name: Path) -> Dataset | None:
    """The data set of that name, None if it is the name of a file.

    Existing files, absolute paths and *.json are names of files.
    """
    if name.is_file() or name.is_absolute() or name.suffix == ".json":
        return None
    dataset = Dataset.objects.filter(name=str(name)).first()
    if dataset is None:
        raise CommandError(f"There is no file and no data set called {str(name)!r}.")
    return dataset


def profile_named(name: object) -> Profile | None:
    return None if name is None else load_profile(str(name))


@contextmanager
def refusals() -> Iterator[None]:
    """Turn errors of the input into a CommandError, with every problem on a line."""
    try:
        yield
    except FormatError as error:
        lines = [f"  {item}" for item in error.problems]
        raise CommandError("\n".join(["The input was refused.", *lines])) from error
    except (PlanningError, UnknownModelError, OSError) as error:
        raise CommandError(str(error)) from error


def write_plan_file(plan_file: PlanFile, out: Path | None, stdout: OutputWrapper) -> None:
    """Write a plan file to `out`, or to the standard output without one."""
    data = plans_to_dict(plan_file)
    if out is None:
        stdout.write(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
        return
    write_json(data, out)
    plans = plan_file.plans
    errors = sum(len(plan.errors) for plan in plans)
    empty = sum(not plan.errors for plan in plans)
    parts: list[Any] = [f"{len(plans)} takes", f"{errors} mistakes"]
    if any(plan.corrections is not None for plan in plans):
        parts.append(f"{sum(len(plan.corrections or ()) for plan in plans)} corrections")
        ignored = sum(len(plan.noticed_not_acted or ()) for plan in plans)
        parts.append(f"{ignored} noticed but not corrected")
    if empty:
        parts.append(f"{empty} takes without a mistake (each says why)")
    stdout.write(f"{out}: {', '.join(parts)}")


def warn(warnings: Sequence[ReadingWarning], stderr: OutputWrapper) -> None:
    """Write how many warnings there are, and the first of them."""
    if not warnings:
        return
    noun = "warning" if len(warnings) == 1 else "warnings"
    lines = [f"{item.where}: {item.message}" for item in warnings[:SHOWN_WARNINGS]]
    hidden = len(warnings) - len(lines)
    more = [f"and {hidden} more"] if hidden > 0 else []
    stderr.write("\n  ".join([f"{len(warnings)} {noun}", *lines, *more]))
