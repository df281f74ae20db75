"""Plan the mistakes of one take (PIE-V section 4.1.1)."""

from dataclasses import replace

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.decisions import Decision, DecisionTrace
from generation.engine.planner.error_kind import error_kinds
from generation.engine.planner.features import Features, measure
from generation.engine.planner.placement import (
    Risk,
    draw_error_count,
    draw_steps,
    risk_of,
    step_weights,
)
from generation.engine.planner.plan import (
    PassedOver,
    Plan,
    PlannedError,
    PlannedStep,
    ProcedureStatistics,
)
from generation.engine.planner.planning_situation import PlanningSituation, ProposedError
from generation.engine.planner.procedure_to_plan import Procedure, field_warning
from generation.engine.planner.profile import Profile
from generation.engine.planner.randomness import draw_index, generator_for
from generation.engine.planner.reuse import longest_run
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.stages import Stage


def plan_take(
    procedure: Procedure,
    *,
    profile: Profile,
    seed: int,
    run_statistics: RunStatistics | None = None,
    trace: DecisionTrace | None = None,
) -> Plan:
    """The planned mistakes of one take; its corrections are not simulated yet.

    The plan depends on the arguments and on nothing else. `run_statistics` is needed, and read,
    only by a profile that normalises over the run. `trace` collects every decision.

    Raises MissingStatisticsError if the profile needs statistics and gets none.
    """
    features = measure(procedure, profile)
    if len(features.steps) < max(1, profile.count.min_steps):
        return _empty_plan(features, profile)
    risk = risk_of(features, profile.count, run_statistics)
    rng = generator_for(seed, procedure.take_uid, Stage.PLAN)
    count = draw_error_count(risk.rate, len(features.steps), profile.count, rng)
    weights = step_weights(features, profile.placement)
    error_steps = draw_steps(weights, count, profile.placement.max_consecutive, rng)
    if trace is not None:
        _note_placement(trace, risk, count, weights, error_steps)
    situation = PlanningSituation(
        features=features,
        profile=profile,
        rng=rng,
        error_steps=frozenset(error_steps),
        statistics=run_statistics,
        trace=trace,
    )
    proposals = [
        (index, drawn) for index in error_steps if (drawn := _draw_error(situation, index))
    ]
    errors = tuple(
        [
            _planned(situation, f"E{number:02d}", index, *drawn)
            for number, (index, drawn) in enumerate(proposals, start=1)
        ]
    )
    why_empty = ""
    if not errors:
        why_empty = f"no error type fits any of the {count} steps drawn"
    if not count:
        why_empty = f"0 errors were drawn for this procedure of {len(features.steps)} steps"
    plan = assembled_plan(features, profile, risk, errors, why_empty)
    return replace(plan, passed_over=tuple(PassedOver(*item) for item in situation.passed_over))


def _note_placement(
    trace: DecisionTrace, risk: Risk, count: int, weights: list[float], error_steps: list[int]
) -> None:
    rate = {"risk": risk.score, "rate": risk.rate}
    by_step = {str(index): weight for index, weight in enumerate(weights)}
    steps = ", ".join(map(str, error_steps))
    trace.add(Decision(Stage.PLAN, "number of errors", str(count), options=rate))
    trace.add(Decision(Stage.PLAN, "steps with an error", steps, options=by_step))


def _planned(
    situation: PlanningSituation,
    event_id: str,
    index: int,
    error_type: ErrorType,
    proposed: ProposedError,
) -> PlannedError:
    features = situation.features
    block = features.blocks[index]
    return PlannedError(
        event_id=event_id,
        step_index=index,
        error_type=error_type,
        phase=features.phases[index],
        block_name=block.name if block else None,
        is_essential=features.steps[index].is_essential,
        severity=proposed.severity,
        spec=proposed.spec.final_spec(situation),
    )


def _draw_error(situation: PlanningSituation, index: int) -> tuple[ErrorType, ProposedError] | None:
    """The error at a step, trying other types while the drawn one does not fit."""
    kinds, cap = error_kinds(), situation.profile.placement.max_consecutive
    priors = situation.profile.types.priors[situation.features.phases[index]]
    weights = {  # prior times feasibility (Eq. 5)
        error_type: prior * kind.factor(situation, index)
        for error_type, kind in kinds.items()
        if (prior := priors.get(error_type, 0.0)) > 0
    }
    while any(weights.values()):
        types = tuple(weights)
        error_type = types[draw_index(situation.rng, tuple(weights.values()))]
        if situation.trace:
            options = {name.name: weight for name, weight in weights.items()}
            situation.note("error type", error_type.name, index, options)
        proposed = kinds[error_type].propose(situation, index)
        if proposed is not None:
            touched = (index, *proposed.touched)
            affected = situation.affected.union(touched)
            # What is affected so far and by this one stays within the longest run.
            if all(longest_run(affected, step) <= cap for step in touched):
                situation.affected.update(touched)
                if proposed.touched:
                    situation.swapped.update(touched)
                return error_type, proposed
        for name in weights:
            if name == error_type or kinds[name].facts.is_first_choice_only:
                weights[name] = 0.0
    situation.note("error type", "none fits, no error here", index)
    return None


def assembled_plan(
    features: Features,
    profile: Profile,
    risk: Risk,
    errors: tuple[PlannedError, ...],
    empty_reason: str,
) -> Plan:
    procedure, priors = features.procedure, profile.wrong_execution.role_priors
    unknown = [
        index
        for index, meaning in enumerate(features.meanings)
        if priors and meaning.predicate not in priors
    ]
    what = "unknown to the role priors, default used"
    statistics = ProcedureStatistics(
        step_count=len(features.steps),
        total_duration_s=features.total_duration_s,
        total_complexity=features.total_complexity,
        density_steps_per_min=features.density_steps_per_min,
        risk_score=risk.score,
        error_rate=risk.rate,
        error_count=len(errors),
        max_errors=profile.count.max_errors,
        max_consecutive_errors=profile.placement.max_consecutive,
    )
    return Plan(
        take_uid=procedure.take_uid,
        take_name=procedure.take_name,
        scenario=procedure.scenario,
        statistics=statistics,
        steps=planned_steps(features),
        errors=errors,
        empty_reason=empty_reason,
        warnings=(
            *procedure.warnings,
            *field_warning(procedure.take_uid, "predicate", unknown, what),
        ),
    )


def planned_steps(features: Features) -> tuple[PlannedStep, ...]:
    return tuple(
        [
            PlannedStep(
                index=index,
                start_s=step.start_s,
                end_s=step.end_s,
                duration_s=features.durations_s[index],
                text=step.text,
                vocabulary_id=step.vocabulary_id,
                unique_id=step.unique_id,
                is_essential=step.is_essential,
                semrep=step.semrep,
                predicate=meaning.predicate,
                role_to_value=meaning.role_to_value,
                object_value=meaning.object_value,
                block_id=block.block_id if block else None,
                block_name=block.name if block else None,
                taxonomy_path=block.path if block else (),
                complexity=meaning.complexity,
                norm_complexity=features.norm_complexities[index],
                norm_duration=features.norm_durations[index],
                load=features.loads[index],
                phase=features.phases[index],
            )
            for index, (step, meaning, block) in enumerate(
                zip(features.steps, features.meanings, features.blocks, strict=True)
            )
        ]
    )


def _empty_plan(features: Features, profile: Profile) -> Plan:
    count, needed = len(features.steps), profile.count.min_steps
    noun = "step" if count == 1 else "steps"
    reason = (
        f"the procedure has {count} {noun}, and profile {profile.name} plans mistakes from "
        f"{needed} on"
        if count
        else "the procedure has no steps"
    )
    return assembled_plan(features, profile, Risk(score=0.0, rate=0.0), (), reason)
