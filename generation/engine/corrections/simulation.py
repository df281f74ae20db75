"""Simulate how the mistakes of a plan are corrected (PIE-V section 4.1.2)."""

from dataclasses import replace

from generation.engine.corrections.choosing import Candidate, choose_corrections
from generation.engine.corrections.filters import reason_not_to_correct
from generation.engine.corrections.noticing import act_factors, draw_noticing, happens
from generation.engine.corrections.situation import CorrectionSituation, correction_kinds
from generation.engine.planner.decisions import DecisionTrace
from generation.engine.planner.meaning import meaning_reader
from generation.engine.planner.plan import NoticedError, Plan, PlannedError
from generation.engine.planner.profile import Profile
from generation.engine.planner.randomness import draw_index, generator_for
from generation.engine.stages import Stage


def correct_plan(
    plan: Plan,
    *,
    profile: Profile,
    seed: int,
    trace: DecisionTrace | None = None,
) -> Plan:
    """The plan with its corrections, and with the errors noticed but not acted upon.

    Nothing is read but the plan. Corrections that it already has are replaced. `trace` collects
    every decision.
    """
    read = meaning_reader(profile.reading)
    situation = CorrectionSituation(
        plan=plan,
        meanings=[read(step.semrep) for step in plan.steps],
        profile=profile,
        rng=generator_for(seed, plan.take_uid, Stage.CORRECT),
        trace=trace,
    )
    candidates: list[Candidate] = []
    ignored: list[NoticedError] = []
    for error in plan.errors:
        outcome = _outcome_of(situation, error)
        if isinstance(outcome, Candidate):
            candidates.append(outcome)
        elif isinstance(outcome, NoticedError):
            ignored.append(outcome)
    corrections = tuple(
        replace(correction, correction_id=f"{plan.take_uid}_corr_{number}")
        for number, correction in enumerate(choose_corrections(situation, candidates))
    )
    return replace(plan, corrections=corrections, noticed_not_acted=tuple(ignored))


def _outcome_of(
    situation: CorrectionSituation, error: PlannedError
) -> Candidate | NoticedError | None:
    """The correction of an error, a noticed error without one, or None if it is not noticed."""
    kinds = correction_kinds()
    # The first kind with a verdict decides, without a draw.
    verdicts = (kind.verdict(situation, error) for kind in kinds.values())
    verdict = next((verdict for verdict in verdicts if verdict is not None), None)
    if verdict is not None:
        situation.note("without a draw", verdict.reason, error)
        correction = verdict.correction
        return None if correction is None else Candidate(error, correction, is_forced=True)
    reason = reason_not_to_correct(situation, error)
    if reason is not None:
        situation.note("left as it is", reason, error)
        return None
    noticing = draw_noticing(situation, error)
    if noticing is None:
        return None
    acts, probability = happens("acted upon", situation, error, act_factors(situation, error))
    if not acts:
        return NoticedError(
            target_event_id=error.event_id,
            target_type=error.error_type,
            detect_at_step_index=noticing.step_index,
            latency_steps=noticing.latency_steps,
            act_probability=probability,
        )
    weights = {name: kind.weight(situation, error) for name, kind in kinds.items()}
    drawn = tuple(weights)[draw_index(situation.rng, tuple(weights.values()))]
    options = {str(name): weight for name, weight in weights.items() if weight > 0}
    situation.note("correction type", drawn, error, options)
    correction = kinds[drawn].draft(situation, error, noticing)
    return Candidate(error, correction, is_forced=False)
