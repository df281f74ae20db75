"""Whole files: the inputs of planning, and plan files in the published form."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotation.engine.corpus.procedure import ReadingWarning
from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.files.corpus_role_priors import role_priors_of, with_role_priors
from generation.engine.planner.files.input_fields import as_mapping, read_json
from generation.engine.planner.files.plan_json import plan_from_dict, plan_to_dict
from generation.engine.planner.files.profile_files import profile_to_dict
from generation.engine.planner.files.representations import (
    NO_REPRESENTATIONS,
    Representations,
    representations_from,
)
from generation.engine.planner.files.split_file import procedures_from
from generation.engine.planner.files.taxonomy_tree import taxonomies_from
from generation.engine.planner.plan import Plan
from generation.engine.planner.procedure_to_plan import Block, Procedure, ProcedureStep
from generation.engine.planner.profile import Profile, RiskRanges
from generation.engine.planner.run_statistics import RunStatistics, run_statistics_of


@dataclass(frozen=True, slots=True)
class PlanningInput:
    """The takes to plan, and the representations from which role priors are estimated."""

    procedures: tuple[Procedure, ...]
    representations: Representations
    inputs: Mapping[str, str] = field(default_factory=dict)

    def profile_with_priors(self, profile: Profile) -> Profile:
        """The profile with role priors from the representations, unless it has its own."""
        if profile.wrong_execution.role_priors:
            return profile
        semreps = self.representations.vocabulary_semreps()
        return with_role_priors(profile, role_priors_of(semreps)) if semreps else profile

    def statistics_for(self, profile: Profile) -> RunStatistics | None:
        """The figures of the run where the profile needs any."""
        if not needs_run_statistics(profile) or not any(item.steps for item in self.procedures):
            return None
        return run_statistics_of(self.procedures, profile=profile)

    def warnings(self) -> list[ReadingWarning]:
        """The warnings about the input of all takes."""
        return [warning for procedure in self.procedures for warning in procedure.warnings]


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file: its `meta`, and the plan of each take in file order."""

    meta: Mapping[str, Any]
    plans: tuple[Plan, ...]


def needs_run_statistics(profile: Profile) -> bool:
    """Whether plans under this profile depend on figures of the whole run."""
    return profile.count.ranges is RiskRanges.RUN or profile.deletion.has_learned_guard


def read_planning_input(
    split: Path, *, semrep: Path | None = None, taxonomy: Path | None = None
) -> PlanningInput:
    """The takes of a split file with their representations and blocks.

    Raises FormatError with every fault of a file, naming file, take, step, field and value.
    """
    representations = (
        representations_from(read_json(semrep), file=semrep.name) if semrep else NO_REPRESENTATIONS
    )
    taxonomies = taxonomies_from(read_json(taxonomy), file=taxonomy.name) if taxonomy else None
    procedures = procedures_from(
        read_json(split), file=split.name, taxonomies=taxonomies, representations=representations
    )
    paths = {"split": split, "semrep_json": semrep, "keystep": taxonomy}
    inputs = {name: path.name for name, path in paths.items() if path is not None}
    return PlanningInput(procedures, representations, inputs)


def read_plans(path: Path) -> PlanFile:
    """The plans of a published plan file, with or without corrections.

    Raises FormatError where the file is not one.
    """
    return plans_from(read_json(path), file=path.name)


def plans_from(data: object, *, file: str) -> PlanFile:
    whole = as_mapping(data, file=file, place="", field="")
    takes = as_mapping(whole.get("takes"), file=file, place="", field="takes")
    meta = as_mapping(whole.get("meta", {}), file=file, place="", field="meta")
    checked = {
        uid: as_mapping(take, file=file, place=f"take {uid}", field="")
        for uid, take in takes.items()
    }
    return PlanFile(
        meta, tuple(plan_from_dict(uid, take, file=file) for uid, take in checked.items())
    )


def plans_to_dict(plan_file: PlanFile) -> dict[str, Any]:
    return {
        "meta": dict(plan_file.meta),
        "takes": {plan.take_uid: plan_to_dict(plan) for plan in plan_file.plans},
    }


def write_json(data: object, path: Path) -> None:
    """Write JSON to a file, creating its folder if missing; raises ValueError for NaN."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    write_whole(f"{text}\n", path)


def write_whole(text: str, path: Path) -> None:
    """Write a file so that it is complete or not there; a device or link is written directly."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        path.write_text(text, encoding="utf-8", newline="")
        return
    draft = path.with_name(f".{path.name}.part")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def planning_meta(
    *,
    profile: Profile,
    seed: int,
    inputs: Mapping[str, str],
    statistics: RunStatistics | None,
) -> dict[str, Any]:
    """The `meta` of a plan file: the published keys, and the whole profile beside them."""
    count, load, guard = profile.count, profile.load, profile.deletion
    return {
        "created_at_utc": datetime.now(UTC).isoformat(),
        "seed": seed,
        "inputs": dict(inputs),
        "config": {
            "phase_error_rate_model": {
                "rates": {
                    str(phase): rate for phase, rate in profile.placement.phase_rates.items()
                },
            },
            "step_load": {
                "wc": load.complexity_weight,
                "wt": load.duration_weight,
                "description": "load = wc * norm_complexity + wt * norm_duration",
            },
            "caps": {
                "max_errors": count.max_errors,
                "max_consecutive_errors": profile.placement.max_consecutive,
            },
            "transposition": {
                "window": profile.transposition.window,
                "no_cross_taxonomy_block": True,
            },
            "deletion_guard": {
                "enabled": guard.has_learned_guard,
                "threshold": guard.guard_probability,
                "max_lookahead": guard.reuse_window,
                "min_support": guard.guard_support,
            },
            "hard_constraints": {
                f"no_deletion_if_n_steps_leq_{profile.types.short_steps}": True,
                "agent_never_mutated": "Agent" in profile.wrong_execution.fixed_roles,
            },
        },
        "profile": profile_to_dict(profile),
        "run_statistics": None if statistics is None else statistics.to_dict(),
    }


def corrections_meta(*, profile: Profile, seed: int, plans: Iterable[Plan]) -> dict[str, Any]:
    """The `corrections_meta` of a plan file, with the published keys."""
    settings = profile.corrections
    counts = [len(plan.corrections or ()) for plan in plans]
    return {
        "created_at_utc": datetime.now(UTC).isoformat(),
        "seed": seed,
        "config": {
            "base_detect": _by_type(settings.detection.base),
            "base_act": _by_type(settings.action.base),
            "latency": {
                name.name: {"pi0": latency.at_once, "q": latency.stop}
                for name, latency in settings.noticing.latencies.items()
            },
            "dangerous_predicates": sorted(settings.detection.salient_predicates),
            "max_one_correction_per_detect_step": True,
        },
        "profile": profile_to_dict(profile),
        "stats": {"n_takes": len(counts), "n_corrections_total": sum(counts)},
    }


def _by_type(base: Mapping[ErrorType, Mapping[Any, float]]) -> dict[str, dict[str, float]]:
    return {
        name.name: dict(zip(("early", "mid", "late"), phases.values(), strict=True))
        for name, phases in base.items()
    }


def procedure_of_plan(plan: Plan) -> Procedure:
    """The procedure that was planned, as far as a plan file has it: without `step_id`s."""
    steps = []
    for step in plan.steps:
        block = None
        if step.block_id is not None:
            block = Block(step.block_id, step.block_name or "", step.taxonomy_path)
        steps.append(
            ProcedureStep(
                text=step.text,
                start_s=step.start_s,
                end_s=step.end_s,
                unique_id=step.unique_id,
                vocabulary_id=step.vocabulary_id,
                is_essential=step.is_essential,
                semrep=step.semrep,
                block=block,
                shared_id_block=block,
            )
        )
    return Procedure(plan.take_uid, plan.take_name, plan.scenario, tuple(steps))
