"""An error type of somebody else's: the person is drawn to something that is no part of the work.

It is all that the recipe for an error type asks for: the test puts this one file beside the five.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.correction_settings import Latency, by_phase
from generation.engine.planner.error_kind import ErrorFacts, ErrorKind
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.planning_situation import ErrorSpec, PlanningSituation, ProposedError
from generation.engine.planner.taxonomy import CorrectionType, Severity
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.rewrite import RewriteRow

DISTRACTIONS = ("Hum a tune", "Look out of the window", "Answer the phone")


@dataclass(frozen=True, slots=True)
class DistractionSpec(ErrorSpec):
    """By what the person is drawn away."""

    distraction: str

    def to_dict(self) -> dict[str, Any]:
        return {"distraction": self.distraction}

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> "DistractionSpec":
        return cls(distraction=spec["distraction"])


class Distraction(ErrorKind):
    """Comes up anywhere, and is noticed at once more often than not."""

    facts = ErrorFacts(
        error_type=ErrorType.register("DI", "distraction"),
        row_mods=frozenset({Mod.INSERTION}),
        short_words="distracted",
        remedies={CorrectionType.UNDO_EXTRA_STEP: 1.0},
        priors=by_phase(60.0, 60.0, 60.0),
        detect=by_phase(0.9, 0.9, 0.9),
        act=by_phase(0.9, 0.9, 0.9),
        latency=Latency(at_once=0.8, stop=0.5),
    )
    spec_class = DistractionSpec

    def propose(self, situation: PlanningSituation, index: int) -> ProposedError:
        distraction = DISTRACTIONS[index % len(DISTRACTIONS)]
        return ProposedError(severity=Severity.LOW, spec=DistractionSpec(distraction))

    def prompt_lines(self, plan: Plan, error: PlannedError) -> Iterator[str]:
        yield f"a row i before step {error.step_index} with etype distraction"
        yield f"like {self.fixed_text(plan, error)!r}"

    def fixed_text(self, plan: Plan, error: PlannedError) -> str:
        assert isinstance(error.spec, DistractionSpec)
        return error.spec.distraction

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        """Put the distraction before the step."""
        assert isinstance(error.spec, DistractionSpec)
        text, name = draft.wording.take(error.spec.distraction), error.error_type.name
        row = RewriteRow(Mod.INSERTION, text, None, name, error.event_id)
        draft.timeline.put_before(error.step_index, row)
        back = draft.scene.steps[error.step_index].text
        return Realised(error.event_id, text, repair=f"stop to {text.lower()} and {back.lower()}")


KIND = Distraction()
