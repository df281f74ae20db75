"""The plans that a command works on: from a plan file, or planned for a data set."""

import hashlib
import json
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from generation.engine.planner.files.input_fields import as_mapping, read_json
from generation.engine.planner.files.plan_files import (
    PlanFile,
    plans_from,
    plans_to_dict,
    procedure_of_plan,
    read_planning_input,
    read_plans,
)
from generation.engine.planner.files.profile_files import load_profile
from generation.engine.planner.plan import Plan
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.results.plan_runs import correct_file, plan_input
from generation.management.planning import dataset_named
from generation.models import Run
from generation.selectors.plans.inputs import planning_input_of_dataset
from generation.selectors.plans.stored import stored_plans


@dataclass(frozen=True, slots=True)
class InputPlans:
    """Plans, their name, the seed to write them with, and a hash of their content.

    `is_planned_here`: they were planned just now and are in no file.
    """

    plans: tuple[Plan, ...]
    name: str
    seed: int
    fingerprint: str
    is_planned_here: bool = False


def add_plan_input(parser: ArgumentParser) -> None:
    """Add the plan file or data set, and the options for planning a data set."""
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


def plans_named(options: Mapping[str, Any]) -> InputPlans:
    """The plans of a file or for a data set; raises FormatError and PlanningError."""
    path, seed = options["plan"], options["seed"]
    dataset = dataset_named(path)
    if dataset is None:
        plan_file = read_plans(path)
        if seed is None:
            stored = plan_file.meta.get("seed")
            is_seed = isinstance(stored, int) and not isinstance(stored, bool)
            seed = stored if is_seed else 0
        return _of_file(plan_file, path.name, seed)
    if seed is None:
        raise CommandError(f"{dataset.name} is a data set, so --seed is needed to plan it.")
    profile = load_profile(options["profile"])
    planned = plan_input(planning_input_of_dataset(dataset), profile=profile, seed=seed)
    corrected = correct_file(planned, profile=None, seed=seed)
    return replace(_of_file(corrected, dataset.name, seed), is_planned_here=True)


def plans_to_judge(
    options: Mapping[str, Any], takes: Mapping[str, Mapping[str, Any]]
) -> InputPlans:
    """The plans that texts were written from, preferably stored ones.

    Planning a data set again can give other plans if its steps, the profile or this program have
    changed, so it is only done if neither the texts nor a run have the plans.
    """
    dataset = dataset_named(options["plan"])
    if options["run"] is not None:
        if dataset is None:
            raise CommandError("--run needs the name of the run's data set as PLAN")
        run = Run.objects.filter(public_id=options["run"], dataset=dataset).first()
        if run is None:
            raise CommandError(f"{dataset.name} has no run {options['run']!r}.")
        return _stored(dict(stored_plans(run)), f"run {options['run']}")
    in_texts = {uid: take["plan"] for uid, take in takes.items() if "plan" in take}
    if dataset is not None and in_texts and len(in_texts) == len(takes):
        return _stored(in_texts, dataset.name)
    return plans_named(options)


def _stored(documents: Mapping[str, Any], name: str) -> InputPlans:
    content = json.dumps(documents, sort_keys=True)
    plans = plans_from({"meta": {}, "takes": documents}, file=name).plans
    return InputPlans(plans, name, 0, hashlib.sha256(content.encode()).hexdigest())


def _of_file(plan_file: PlanFile, name: str, seed: int) -> InputPlans:
    content = json.dumps(plans_to_dict(plan_file)["takes"], sort_keys=True)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return InputPlans(plan_file.plans, name, seed, digest)


def procedures_named(path: Path) -> tuple[Procedure, ...]:
    """The procedures of a split file, a plan file or a data set."""
    dataset = dataset_named(path)
    if dataset is not None:
        return planning_input_of_dataset(dataset).procedures
    data = as_mapping(read_json(path), file=path.name, place="", field="")
    if "takes" in data:
        return tuple(map(procedure_of_plan, plans_from(data, file=path.name).plans))
    return read_planning_input(path).procedures
