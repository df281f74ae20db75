"""Compare the analyser with representations that others made of the same texts."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from generation.engine.english.analyser import analyse
from generation.engine.semrep.features import SemRepFeatures, features
from generation.engine.semrep.parser import parse
from generation.engine.semrep.roles import Role

MIN_TEXTS_OF_ROLE = 20


@dataclass(frozen=True, slots=True)
class Score:
    """Agreement on one set of texts; shares are between 0 and 1, None where nothing counts.

    `object_head_share` is over the texts whose reference has an Object. `role_f1` counts the roles
    of the first clause without Agent, which every clause has; `role_f1_with_agent` counts it too.
    """

    text_count: int
    predicate_share: float | None
    object_count: int
    object_head_share: float | None
    role_precision: float | None
    role_recall: float | None
    role_f1: float | None
    role_f1_with_agent: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One text with the features of its reference and of the analyser's representation."""

    text: str
    reference_text: str
    reference: SemRepFeatures
    found: SemRepFeatures

    @property
    def has_same_predicate(self) -> bool:
        return self.reference.predicate == self.found.predicate

    @property
    def has_same_object_head(self) -> bool:
        return self.reference.object_head == self.found.object_head


def split_by_scenario(
    scenarios_by_text: Mapping[str, Collection[str]],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(development texts, held-out texts) such that no scenario is in both halves.

    Of the scenarios in alphabetical order the first, third, ... are for development. A text that
    occurs in scenarios of both kinds was seen in development and belongs there.
    """
    scenarios = sorted({name for names in scenarios_by_text.values() for name in names})
    development = set(scenarios[::2])
    is_seen = {text: bool(development & set(names)) for text, names in scenarios_by_text.items()}
    seen = tuple(text for text, was_seen in is_seen.items() if was_seen)
    return seen, tuple(text for text, was_seen in is_seen.items() if not was_seen)


def compare_with_reference(pairs: Iterable[tuple[str, str]]) -> tuple[Comparison, ...]:
    """A comparison for each (step text, reference representation)."""
    return tuple(
        Comparison(text, reference, features(parse(reference).tree), features(analyse(text)))
        for text, reference in pairs
    )


def score_analyser(comparisons: Iterable[Comparison]) -> Score:
    """How well the analyser agrees with the references."""
    items = tuple(comparisons)
    with_object = [item for item in items if item.reference.object_head is not None]
    precision, recall, f1 = _role_agreement(items, ignored=frozenset({Role.AGENT}))
    _, _, f1_with_agent = _role_agreement(items, ignored=frozenset())
    return Score(
        text_count=len(items),
        predicate_share=_share(sum(item.has_same_predicate for item in items), len(items)),
        object_count=len(with_object),
        object_head_share=_share(
            sum(item.has_same_object_head for item in with_object), len(with_object)
        ),
        role_precision=precision,
        role_recall=recall,
        role_f1=f1,
        role_f1_with_agent=f1_with_agent,
    )


def roles_f1(comparisons: Iterable[Comparison]) -> dict[str, float]:
    """F1 of every role that 20 and more of the texts have, the best first."""
    items = tuple(comparisons)
    counts = Counter(role for item in items for role in item.reference.role_to_value)
    frequent = {role for role, count in counts.items() if count >= MIN_TEXTS_OF_ROLE}
    by_role = {
        role: _role_agreement(items, ignored=frozenset(Role) - {role})[2] or 0.0
        for role in frequent - {Role.AGENT}
    }
    return dict(sorted(by_role.items(), key=lambda item: -item[1]))


def _role_agreement(
    items: tuple[Comparison, ...], *, ignored: frozenset[str]
) -> tuple[float | None, float | None, float | None]:
    """Micro-averaged (precision, recall, F1) over the sets of roles present."""
    counts: Counter[str] = Counter()
    for item in items:
        expected = set(item.reference.role_to_value) - ignored
        found = set(item.found.role_to_value) - ignored
        counts["shared"] += len(expected & found)
        counts["expected"] += len(expected)
        counts["found"] += len(found)
    return (
        _share(counts["shared"], counts["found"]),
        _share(counts["shared"], counts["expected"]),
        _share(2 * counts["shared"], counts["expected"] + counts["found"]),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
