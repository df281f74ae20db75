"""The plans that a command works on: of a plan file, or made from a data set."""

import hashlib
import json
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from generation.engine.planner.input_fields import as_mapping, read_json
from generation.engine.planner.plan import Plan
from generation.engine.planner.plan_files import (
    PlanFile,
    plans_from,
    plans_to_dict,
    procedure_of_plan,
    read_planning_input,
    read_plans,
)
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile_files import load_profile
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.results.plan_runs import correct_file, plan_input
from generation.management.planning import dataset_called
from generation.models import Run
from generation.selectors.plans.inputs import planning_input_of_dataset
from generation.selectors.plans.stored import stored_plans


@dataclass(frozen=True, slots=True)
class FoundPlans:
    """Plans, what they are called, the seed to write them with, and a hash of their content.

    `is_planned_here` tells that they were made just now and are in no file.
    """

    plans: tuple[Plan, ...]
    name: str
    seed: int
    fingerprint: str
    is_planned_here: bool = False


def add_plan_input(parser: ArgumentParser) -> None:
    """Add the plan file or data set, and the options of making plans from a data set."""
    parser.add_argument(
        "plan", type=Path, help="plan file (JSON), or name of a data set to plan first"
    )
    parser.add_argument(
        "--seed", type=int, help="default: the seed of the plan file; a data set needs one"
    )
    parser.add_argument(
        "--profile",
        default=DEFAULT_PROFILE.name,
        help=f"published, piev or a TOML file, for a data set (default: {DEFAULT_PROFILE.name})",
    )


def plans_called(options: Mapping[str, Any]) -> FoundPlans:
    """The plans of the file or data set; raises FormatError and PlanningError."""
    path, seed = options["plan"], options["seed"]
    dataset = dataset_called(path)
    if dataset is None:
        plan_file = read_plans(path)
        if seed is None:
            stored = plan_file.meta.get("seed")
            is_seed = isinstance(stored, int) and not isinstance(stored, bool)
            seed = stored if is_seed else 0
        return _found(plan_file, path.name, seed)
    if seed is None:
        raise CommandError(f"{dataset.name} is a data set, so --seed is needed to plan it.")
    profile = load_profile(options["profile"])
    planned = plan_input(planning_input_of_dataset(dataset), profile=profile, seed=seed)
    found = _found(correct_file(planned, profile=None, seed=seed), dataset.name, seed)
    return replace(found, is_planned_here=True)


def plans_to_judge(
    options: Mapping[str, Any], takes: Mapping[str, Mapping[str, Any]]
) -> FoundPlans:
    """The plans that texts were written to: those that are stored come first.

    What a seed plans for a data set changes with its steps, its profile and this program, so a data
    set is only planned anew where neither the texts nor a run hold the plans.
    """
    dataset = dataset_called(options["plan"])
    if options["run"] is not None:
        if dataset is None:
            raise CommandError("--run goes with the name of the run's data set")
        run = Run.objects.filter(public_id=options["run"], dataset=dataset).first()
        if run is None:
            raise CommandError(f"{dataset.name} has no run {options['run']!r}.")
        return _stored(dict(stored_plans(run)), f"run {options['run']}")
    held = {uid: take["plan"] for uid, take in takes.items() if "plan" in take}
    if dataset is not None and held and len(held) == len(takes):
        return _stored(held, dataset.name)
    return plans_called(options)


def _stored(documents: Mapping[str, Any], name: str) -> FoundPlans:
    content = json.dumps(documents, sort_keys=True)
    plans = plans_from({"meta": {}, "takes": documents}, file=name).plans
    return FoundPlans(plans, name, 0, hashlib.sha256(content.encode()).hexdigest())


def _found(plan_file: PlanFile, name: str, seed: int) -> FoundPlans:
    content = json.dumps(plans_to_dict(plan_file)["takes"], sort_keys=True)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return FoundPlans(plan_file.plans, name, seed, digest)


def procedures_called(path: Path) -> tuple[Procedure, ...]:
    """The procedures of a split file, a plan file or a data set."""
    dataset = dataset_called(path)
    if dataset is not None:
        return planning_input_of_dataset(dataset).procedures
    data = as_mapping(read_json(path), file=path.name, place="", field="")
    if "takes" in data:
        return tuple(map(procedure_of_plan, plans_from(data, file=path.name).plans))
    return read_planning_input(path).procedures
