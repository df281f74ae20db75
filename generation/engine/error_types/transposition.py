"""Two nearby steps in the wrong order (PIE-V section 3.1 and 4.1)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.correction_settings import Latency, by_phase
from generation.engine.planner.error_kind import Claim, ErrorFacts, ErrorKind
from generation.engine.planner.features import Features
from generation.engine.planner.meaning import Meaning
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.planning_situation import ErrorSpec, PlanningSituation, ProposedError
from generation.engine.planner.profile import Profile
from generation.engine.planner.statistics.shares import sorted_shares
from generation.engine.planner.taxonomy import CLAIMED, CorrectionType, Severity
from generation.engine.rewriting.draft import Draft, Realised

OutOfOrder = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TranspositionSpec(ErrorSpec):
    """The two steps that change places."""

    source_index: int
    target_index: int
    notes: str = "swap_steps_within_same_taxonomy_block"

    def to_dict(self) -> dict[str, Any]:
        return {
            "transposition_source": self.source_index,
            "transposition_target": self.target_index,
            "notes": self.notes,
        }

    def places(self, step_index: int) -> tuple[int, ...]:
        return ()

    @property
    def swapped(self) -> tuple[int, int]:
        return self.source_index, self.target_index

    @property
    def short_words(self) -> str:
        return f"swapped with {self.target_index + 1}"

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> "TranspositionSpec":
        return cls(
            source_index=spec["transposition_source"],
            target_index=spec["transposition_target"],
            notes=spec["notes"],
        )


class Transposition(ErrorKind):
    """Swaps the step with a partner whose new place breaks no precondition."""

    facts = ErrorFacts(
        error_type=ErrorType.TRANSPOSITION,
        row_mods=frozenset({Mod.MOVED_SOURCE, Mod.MOVED_TARGET}),
        short_words="swapped",
        remedies={CorrectionType.RESTORE_ORDER: 1.0},
        priors=by_phase(1.0, 2.0, 1.0),
        detect=by_phase(0.85, 0.80, 0.75),
        act=by_phase(0.85, 0.80, 0.75),
        latency=Latency(0.25, 0.40),
        max_latency=4,
        is_first_choice_only=True,
        table_rank=5,
    )
    spec_class = TranspositionSpec
    figures = {"distance_share": sorted_shares}

    def factor(self, situation: PlanningSituation, index: int) -> float:
        if situation.step_count <= situation.profile.types.short_steps:
            return 0.0
        return 1.0 if index not in situation.swapped and _candidates(situation, index) else 0.0

    def propose(self, situation: PlanningSituation, index: int) -> ProposedError | None:
        candidates = _candidates(situation, index)
        if not candidates:
            return None
        for _ in range(situation.profile.transposition.max_tries):
            partner = candidates[int(situation.rng.random() * len(candidates))]
            if keeps_order(situation.features, situation.profile, index, partner):
                situation.note("swap partner", partner, index, {str(c): 1.0 for c in candidates})
                spec = TranspositionSpec(source_index=index, target_index=partner)
                return ProposedError(severity=Severity.MEDIUM, spec=spec, touched=(partner,))
        situation.note("swap partner", "none keeps the order", index)
        return None

    def figure_values(self, spec: TranspositionSpec) -> Iterator[tuple[str, int]]:
        yield "distance_share", abs(spec.source_index - spec.target_index)

    def prompt_lines(self, plan: Plan, error: PlannedError) -> Iterator[str]:
        assert isinstance(error.spec, TranspositionSpec)
        yield f"swap the steps {error.spec.source_index} and {error.spec.target_index}"

    def claimed_spec(self, claim: Claim) -> TranspositionSpec:
        return TranspositionSpec(claim.source, claim.target, CLAIMED)

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        """Swap the two steps of the plan; nothing is reworded."""
        assert isinstance(error.spec, TranspositionSpec)
        source, target = error.spec.swapped
        draft.timeline.swap(source, target, error.event_id, error.error_type.name)
        return Realised(error.event_id)


def _candidates(situation: PlanningSituation, index: int) -> list[int]:
    """The steps in reach that may change places with `index`, before preconditions are checked."""
    window = situation.profile.transposition.window
    nearby = range(max(0, index - window), min(situation.step_count, index + window + 1))
    return [
        other
        for other in nearby
        if other != index
        and other not in situation.error_steps
        and other not in situation.swapped
        and _may_swap(situation, index, other)
    ]


def _may_swap(situation: PlanningSituation, first: int, second: int) -> bool:
    features, settings = situation.features, situation.profile.transposition
    if features.blocks[first] is None and features.blocks[second] is None:
        if abs(first - second) > settings.window_without_block:
            return False
    elif not features.same_block(first, second):
        return False
    predicates = {features.meanings[first].predicate, features.meanings[second].predicate}
    if predicates & settings.repeating_predicates:
        return False
    return not is_same_step(features, first, second, compares_ids=settings.compares_step_ids)


def is_same_step(features: Features, first: int, second: int, *, compares_ids: bool) -> bool:
    """Whether two steps are the same one done twice: same id, text or representation."""
    step, other = features.steps[first], features.steps[second]
    if compares_ids and step.step_id and step.step_id == other.step_id:
        return True
    if step.text.casefold() == other.text.casefold():
        return True
    return bool(step.semrep) and step.semrep == other.semrep


def keeps_order(features: Features, profile: Profile, first: int, second: int) -> bool:
    """Whether swapping the two steps breaks no precondition between them."""
    low, high = min(first, second), max(first, second)
    order = [high, *range(low + 1, high), low]
    broken = _broken_orders(features.meanings, profile, order)
    if profile.transposition.compares_with_original:
        broken -= _broken_orders(features.meanings, profile, list(range(low, high + 1)))
    return not broken


def _broken_orders(
    meanings: Sequence[Meaning], profile: Profile, order: Sequence[int]
) -> set[OutOfOrder]:
    """The pairs (step, step that it needs first) that `order` has the wrong way round."""
    prerequisites = profile.transposition.prerequisites
    acquiring = profile.deletion.acquiring_predicates
    acquired_at: dict[str, int] = {}  # at which position each thing is first acquired
    for position, index in enumerate(order):
        if meanings[index].predicate in acquiring:
            for entity in meanings[index].object_entities:
                acquired_at.setdefault(entity, position)
    broken: set[OutOfOrder] = set()
    for position, earlier in enumerate(order):
        meaning = meanings[earlier]
        for entity in meaning.carried_entities:
            if acquired_at.get(entity, position) > position:
                broken.add((earlier, order[acquired_at[entity]]))
        needed = prerequisites.get(meaning.predicate)
        if needed is None or meaning.object_value is None:
            continue
        for later in order[position + 1 :]:
            other = meanings[later]
            if other.predicate in needed and other.object_value == meaning.object_value:
                broken.add((earlier, later))
    return broken


KIND = Transposition()
