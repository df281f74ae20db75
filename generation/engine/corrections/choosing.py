"""At most one correction per step: the best of several, without the impossible ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from generation.engine.corrections.noticing import is_salient
from generation.engine.corrections.situation import CorrectionSituation
from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import SEVERITY_RANK


@dataclass(frozen=True, slots=True)
class Candidate:
    """A correction that may happen if no better one is at its step."""

    error: PlannedError
    correction: PlannedCorrection
    is_forced: bool


def choose_corrections(
    situation: CorrectionSituation, candidates: Sequence[Candidate]
) -> list[PlannedCorrection]:
    """The best possible correction of each step, in the order of the steps."""
    rejects_first = situation.settings.repair.rejects_before_choosing
    by_step: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        if rejects_first and _is_impossible(situation, candidate):
            situation.note("correction rejected", "it reaches another block", candidate.error)
            continue
        by_step.setdefault(candidate.correction.detect_at_step_index, []).append(candidate)
    chosen = []
    for step_index in sorted(by_step):
        group = by_step[step_index]
        best = max(
            group,
            key=lambda candidate: (
                candidate.is_forced,
                SEVERITY_RANK[candidate.error.severity],
                candidate.error.is_essential,
                is_salient(situation, candidate.error),
                -candidate.correction.latency_steps,
                situation.plan.errors.index(candidate.error),
            ),
        )
        if _is_impossible(situation, best):
            situation.note("correction rejected", "it reaches another block", best.error)
            continue
        for other in group:
            if other is not best:
                situation.note("correction crowded out", best.error.event_id, other.error)
        chosen.append(best.correction)
    return chosen


def _is_impossible(situation: CorrectionSituation, candidate: Candidate) -> bool:
    """Whether the correction rolls back into another block."""
    correction = candidate.correction
    if not correction_facts()[correction.correction_type].goes_back:
        return False
    redo = correction.redo_step_index
    return redo is not None and not situation.same_block(candidate.error.step_index, redo)
