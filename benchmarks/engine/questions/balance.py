"""What the words of questions give away: their kinds by class and answer, and a guesser.

In the public files of EgoErrorVQA nearly every polar question about a mistake is answered with no
(295 of 303 "No" of CaptainCook4D); a participant that never looks would score by that alone.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.engine.error_classes import CORRECT, OPTIONS
from benchmarks.engine.questions.kinds import Kind, Polarity
from benchmarks.engine.task import Item

# So many questions are guessed at most; more hardly change the figure.
MOST_GUESSED = 2000
TEXT_GUESSERS = ("words", "length")
MISTAKE, NO_MISTAKE = "mistake", "no mistake"


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What the audit reads of a question."""

    recording: str
    kind: str
    polarity: str
    classes: tuple[str, ...]
    question: str


def kinds_by_class(questions: Iterable[AskedQuestion]) -> list[dict[str, Any]]:
    """How many questions of each kind and polarity each class has; a step may be of several."""
    counts = Counter((name, one.kind, one.polarity) for one in questions for name in one.classes)
    order = {name: place for place, name in enumerate(OPTIONS)}
    kinds = {kind.value: place for place, kind in enumerate(Kind)}
    return [
        {"class": name, "kind": kind, "polarity": polarity, "count": count}
        for (name, kind, polarity), count in sorted(
            counts.items(), key=lambda pair: (order[pair[0][0]], kinds[pair[0][1]], pair[0][2])
        )
    ]


def guessed_from_words(questions: Sequence[AskedQuestion], seed: int) -> list[dict[str, Any]]:
    """What guessers trained on the texts of questions alone reach on other recordings.

    Of each target: its F1, and the mean recall with its interval beside chance, or why there is
    none.
    """
    # scikit-learn takes a second to load, and most workers never need it.
    from benchmarks.engine.shortcuts.audit import audit_of  # noqa: PLC0415

    polar = [one for one in questions if one.polarity]
    targets = (
        (MISTAKE, questions, [NO_MISTAKE if CORRECT in q.classes else MISTAKE for q in questions]),
        (Polarity.NO.value, polar, [one.polarity for one in polar]),
    )
    lines = []
    for target, rows, truth in targets:
        items = [
            Item(str(place), one.recording, {}, {}, question=one.question)
            for place, one in enumerate(rows)
        ]
        result = audit_of(truth, items, TEXT_GUESSERS, seed)
        for guesser, guesses in zip(result.guessers, result.guesses or ((), ()), strict=True):
            lines.append({
                "target": target,
                "guesser": guesser.title,
                "f1": _f1(result.truth, guesses, target) if guesses else None,
                "recall": guesser.figure,
                "low": guesser.low,
                "high": guesser.high,
                "chance": guesser.chance,
                "beats_chance": guesser.beats_chance,
                "reason": guesser.reason or guesser.why_no_interval,
                "count": len(rows),
            })  # fmt: skip
    return lines


def _f1(truth: Sequence[str], guesses: Sequence[str], target: str) -> float | None:
    hits = sum(one == other == target for one, other in zip(truth, guesses, strict=True))
    claims = sum(one == target for one in truth) + sum(one == target for one in guesses)
    return 2 * hits / claims if claims else None
