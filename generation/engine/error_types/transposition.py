"""Two nearby steps in the wrong order (PIE-V section 3.1 and 4.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.features import Features
from generation.engine.planner.meaning import Meaning
from generation.engine.planner.profile import Profile
from generation.engine.planner.situation import Draft, PlainSpec, Situation
from generation.engine.planner.taxonomy import Severity

OutOfOrder = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TranspositionSpec(PlainSpec):
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

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> "TranspositionSpec":
        return cls(
            source_index=spec["transposition_source"],
            target_index=spec["transposition_target"],
            notes=spec["notes"],
        )


class Transposition:
    """Swaps the step with a partner whose new place breaks no precondition."""

    error_type: ClassVar[ErrorType] = ErrorType.TRANSPOSITION
    spec_class: ClassVar[type[TranspositionSpec]] = TranspositionSpec

    def factor(self, situation: Situation, index: int) -> float:
        if situation.step_count <= situation.profile.types.short_steps:
            return 0.0
        return 1.0 if index not in situation.swapped and _candidates(situation, index) else 0.0

    def draft(self, situation: Situation, index: int) -> Draft | None:
        candidates = _candidates(situation, index)
        if not candidates:
            return None
        for _ in range(situation.profile.transposition.max_tries):
            partner = candidates[int(situation.rng.random() * len(candidates))]
            if keeps_order(situation.features, situation.profile, index, partner):
                situation.note("swap partner", partner, index, {str(c): 1.0 for c in candidates})
                spec = TranspositionSpec(source_index=index, target_index=partner)
                return Draft(severity=Severity.MEDIUM, spec=spec, touched=(partner,))
        situation.note("swap partner", "none keeps the order", index)
        return None


def _candidates(situation: Situation, index: int) -> list[int]:
    """Return the steps in reach that may change places with `index`, whatever lies between."""
    window = situation.profile.transposition.window
    nearby = range(max(0, index - window), min(situation.step_count, index + window + 1))
    return [
        other
        for other in nearby
        if other != index
        and other not in situation.chosen
        and other not in situation.swapped
        and _may_swap(situation, index, other)
    ]


def _may_swap(situation: Situation, first: int, second: int) -> bool:
    features, settings = situation.features, situation.profile.transposition
    if features.blocks[first] is None and features.blocks[second] is None:
        if abs(first - second) > settings.window_without_block:
            return False
    elif not features.same_block(first, second):
        return False
    one, other = features.meanings[first], features.meanings[second]
    repeating = settings.repeating_predicates
    if one.predicate in repeating or other.predicate in repeating:
        return False
    return not is_same_step(features, first, second, compares_ids=settings.compares_step_ids)


def is_same_step(features: Features, first: int, second: int, *, compares_ids: bool) -> bool:
    """Return whether two steps are the same one done twice: same id, text or representation."""
    one, other = features.steps[first], features.steps[second]
    if compares_ids and one.step_id and one.step_id == other.step_id:
        return True
    if one.text.casefold() == other.text.casefold():
        return True
    return bool(one.semrep) and one.semrep == other.semrep


def keeps_order(features: Features, profile: Profile, first: int, second: int) -> bool:
    """Return whether swapping the two steps breaks no precondition between them."""
    low, high = min(first, second), max(first, second)
    order = [high, *range(low + 1, high), low]
    broken = _broken_orders(features.meanings, profile, order)
    if profile.transposition.compares_with_original:
        broken -= _broken_orders(features.meanings, profile, list(range(low, high + 1)))
    return not broken


def _broken_orders(
    meanings: Sequence[Meaning], profile: Profile, order: Sequence[int]
) -> set[OutOfOrder]:
    """Return the pairs (step, what it needs first) that stand the wrong way round in `order`."""
    prerequisites = profile.transposition.prerequisites
    brought_at = _first_brought(meanings, profile, order)
    broken: set[OutOfOrder] = set()
    for position, earlier in enumerate(order):
        meaning = meanings[earlier]
        for entity in meaning.carried_entities:
            if brought_at.get(entity, position) > position:
                broken.add((earlier, order[brought_at[entity]]))
        needed = prerequisites.get(meaning.predicate)
        if needed is None or meaning.object_value is None:
            continue
        for later in order[position + 1 :]:
            other = meanings[later]
            if other.predicate in needed and other.object_value == meaning.object_value:
                broken.add((earlier, later))
    return broken


def _first_brought(
    meanings: Sequence[Meaning], profile: Profile, order: Sequence[int]
) -> dict[str, int]:
    """Return at which position of `order` each thing is first acquired."""
    acquiring = profile.deletion.acquiring_predicates
    brought_at: dict[str, int] = {}
    for position, index in enumerate(order):
        meaning = meanings[index]
        if meaning.predicate in acquiring:
            for entity in meaning.object_entities:
                brought_at.setdefault(entity, position)
    return brought_at


KIND = Transposition()
