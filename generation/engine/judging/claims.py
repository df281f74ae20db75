"""What a text that was written without a plan claims to contain, in the form of a plan.

A freeform answer marks its mistakes and corrections itself, so its marks serve as its plan: the
judge then checks whether the text does what its marks say, and whether a person could have done it.
What only a real plan says (which roles of a step change) stays unknown, and checks that need it are
not applied. No contradiction is excused as planned, since nobody planned it.
"""

from collections.abc import Mapping
from dataclasses import replace

from annotation.engine.corpus.alignment import MOVED_MODS
from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.judging.case import Case, JudgedTake
from generation.engine.planner.error_kind import Claim, error_kinds, facts_of
from generation.engine.planner.features import Features, measure
from generation.engine.planner.placement import risk_of
from generation.engine.planner.plan import Plan, PlannedCorrection, PlannedError
from generation.engine.planner.planning import assembled_plan
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.rewriting.freeform.reading import FreeformReading


def claimed_plan(
    procedure: Procedure,
    reading: FreeformReading,
    *,
    profile: Profile,
    statistics: RunStatistics | None = None,
) -> Plan:
    """The plan that a freeform text claims to have followed.

    Phases and loads of the steps are those of the profile. A mistake has the planner's usual
    severity of its type; a wrong execution is low, since it is unknown which of its roles changes.
    Raises MissingStatisticsError as `plan_take` does.
    """
    features = measure(procedure, profile)
    errors = _claimed_errors(features, reading)
    risk = risk_of(features, profile.count, statistics)
    why_empty = "" if errors else "the text claims no mistake"
    plan = assembled_plan(features, profile, risk, errors, why_empty)
    case = Case(JudgedTake(plan, is_claimed=True), reading.rewrite)
    corrections = _claimed_corrections(case, reading.anchors) if errors else ()
    return replace(plan, corrections=corrections, noticed_not_acted=())


def _claimed_errors(features: Features, reading: FreeformReading) -> tuple[PlannedError, ...]:
    """The claimed mistakes by the place of their first row."""
    rows = reading.rewrite.rows
    rows_by_id: dict[str, list[int]] = {}
    for position, row in enumerate(rows):
        if row.event_id is not None and row.mod not in {Mod.UNCHANGED, Mod.CORRECTION}:
            rows_by_id.setdefault(row.event_id, []).append(position)
    errors = []
    for event_id, positions in rows_by_id.items():
        steps = [
            reading.anchors[p] if (step := rows[p].old_index) is None else step for p in positions
        ]
        # The halves of a swap; if one is missing, the other is used for both.
        halves = {rows[p].mod: step for p, step in reversed([*zip(positions, steps, strict=True)])}
        source, target = (halves.get(mod, steps[0]) for mod in (Mod.MOVED_SOURCE, Mod.MOVED_TARGET))
        row = rows[positions[0]]
        kind = error_kinds()[ErrorType.by_name()[str(row.error_type)]]
        index = source if row.mod in MOVED_MODS else steps[0]
        # The step before which a row was added; at the end, the number of steps.
        named = (it.old_index for it in rows[positions[0] + 1 :] if it.mod not in MOVED_MODS)
        place = next((index for index in named if index is not None), len(features.steps))
        block, is_essential = features.blocks[index], features.steps[index].is_essential
        errors.append(
            PlannedError(
                event_id=event_id,
                step_index=index,
                error_type=kind.facts.error_type,
                phase=features.phases[index],
                block_name=block.name if block else None,
                is_essential=is_essential,
                severity=kind.usual_severity(is_essential=is_essential),
                spec=kind.claimed_spec(Claim(features.meanings[index], source, target, place)),
            )
        )
    return tuple(errors)


def _claimed_corrections(case: Case, anchors: Mapping[int, int]) -> tuple[PlannedCorrection, ...]:
    errors = case.take.errors
    first_rows = {name: case.positions_by_event[name][0] for name in errors}
    corrections = []
    for position, row in enumerate(case.rows):
        if row.mod is not Mod.CORRECTION:
            continue
        # The mistake that it names, else one at its step, else the last one before it.
        earlier = [name for name, at in first_rows.items() if at < position]
        here = [it for it in earlier or errors if errors[it].step_index == anchors[position]]
        nearest = max(earlier, key=first_rows.__getitem__, default=next(iter(errors)))
        target = errors.get(row.event_id or "") or errors[here[-1] if here else nearest]
        noticed_at = max(0, case.slot_before[position])
        corrections.append(
            PlannedCorrection(
                correction_id=str(row.correction_id),
                target_event_id=target.event_id,
                target_type=target.error_type,
                detect_at_step_index=noticed_at,
                latency_steps=max(0, noticed_at - target.step_index),
                correction_type=next(iter(facts_of(target).remedies)),
                rollback_steps=0,
                redo_step_index=target.step_index,
            )
        )
    return tuple(corrections)
