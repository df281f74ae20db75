"""Go back to the mistake, or to a step or two before it, and go on from there."""

from dataclasses import replace
from itertools import takewhile

from generation.engine.correction_kinds.stop_and_fix import is_late_and_loaded
from generation.engine.corrections.situation import CorrectionKind, CorrectionSituation, Noticing
from generation.engine.planner.correction_facts import CorrectionFacts
from generation.engine.planner.error_kind import kind_of
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original, repaired


class RollbackAndRedo(CorrectionKind):
    """The other repair of a wrong execution, and the only one of a substitution."""

    facts = CorrectionFacts(
        correction_type=CorrectionType.ROLLBACK_AND_REDO,
        prompt_words="take back what was done since, and do the step again",
        goes_back=True,
    )

    def weight(self, situation: CorrectionSituation, error: PlannedError) -> float:
        remedies = situation.remedies(error)
        # Late and under high load, an error that can be fixed at once is not rolled back.
        if CorrectionType.STOP_AND_FIX in remedies and is_late_and_loaded(situation, error):
            return 0.0
        return remedies.get(self.facts.correction_type, 0.0)

    def draft(
        self, situation: CorrectionSituation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        settings = situation.settings.repair
        stop, less = kind_of(error).rollback(settings)
        rollback = min(int(situation.rng.geometric(stop)) - less, settings.max_rollback)
        situation.note("rollback", rollback, error, {"stop": stop})
        if settings.stops_at_deleted_steps:
            # The rollback ends before a deleted step.
            steps_back = range(error.step_index - 1, error.step_index - 1 - rollback, -1)
            existing = takewhile(lambda i: i >= 0 and i not in situation.deleted, steps_back)
            rollback = len(list(existing))
        return replace(
            self.correction_of(error, noticing),
            rollback_steps=rollback,
            redo_step_index=max(0, error.step_index - rollback),
            intent=kind_of(error).redo_intent,
        )

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        redo_index = correction.redo_step_index
        slots = draft.timeline.slots_of_event[correction.target_event_id]
        assert redo_index is not None
        clauses = dict.fromkeys(original(draft, index) for index in (redo_index, *slots))
        return repaired(draft, correction, list(clauses))


KIND = RollbackAndRedo()
