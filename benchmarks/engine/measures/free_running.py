"""Speech at any moment of a recording, which shares no moments with what calls for it.

It is matched one to one, on the clock. Source: Plan, Watch, Recover has no such measures; those of
its users do. The windows are the released settings of ProAssist's evaluator.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.guidance import (
    DIMENSIONS,
    HIGHEST,
    LOWEST,
    content_of,
    grades_of,
)
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.measures.speaking import ONSET_TOLERANCE_S
from benchmarks.engine.task import Answered, AnswerStatus, Figure, Measure, Value

Floats = npt.NDArray[np.float64]
# Graded words, their worth, the sum of each dimension; harmful ones, and those asked about harm.
GRADE_WIDTH = 4 + len(DIMENSIONS)
WITHIN = f"Within {ONSET_TOLERANCE_S:g} s, one to one."
# (name, seconds before, seconds after): how far from what calls for it speech counts. ProAssist
# gives them from the speech, as [left, right]: what may come before is its right, after its left.
WINDOWS = (
    (f"{ONSET_TOLERANCE_S:g} s either side", ONSET_TOLERANCE_S, ONSET_TOLERANCE_S),
    ("ProAssist's for Ego4D", 8.5, 4.0),
    ("ProAssist's for EPIC-KITCHENS", 3.0, 1.5),
    ("ProAssist's for HoloAssist", 2.5, 1.5),
    ("ProAssist's for EgoExoLearn", 3.5, 2.0),
    ("ProAssist's for Assembly101", 4.0, 2.0),
    ("ProAssist's for WTaG", 6.0, 3.0),
)


def free_measures(note: str = "") -> tuple[Measure, ...]:
    """The measures of `free_figures`; the note says of what they are."""
    note = f"{note} {WITHIN}".strip()
    return (
        Measure("free_precision", "Free-running precision", best=None, note=note),
        Measure("free_recall", "Free-running recall", note=note),
        Measure("free_f1", "Free-running F1", note=note),
        Measure("free_recall_of_all", "Free-running recall of all", note=note),
        Measure("free_f1_of_all", "Free-running F1 of all", note=note),
    )


def free_grade_measures() -> tuple[Measure, ...]:
    """The measures of `free_grade_figures`, all of them ours."""
    left = "Matched words without a grade are worth {}."
    grade = partial(Measure, best=None, least=LOWEST, most=HIGHEST)
    return (
        Measure(
            "free_pqs", "Free-running PQS",
            note="Ours: of what was due or said, matched words count what they are worth, a miss or"
            " needless words 0; silence has no moments here. None while a grade is missing.",
        ),
        Measure("free_pqs_low", "Free-running PQS, lower bound", best=None, note=left.format(0)),
        Measure("free_pqs_high", "Free-running PQS, upper bound", best=None, note=left.format(1)),
        Measure(
            "free_pqs_of_all", "Free-running PQS of all",
            note="What could not be read missed everything.",
        ),
        Measure("content", "Content score", best=None, note="The mean worth of matched words."),
        grade("guidance", "Guidance", note="The mean grade of matched words, 1 to 5."),
        *(grade(dimension, dimension.capitalize()) for dimension in DIMENSIONS),
        Measure(
            "harmful", "Harmful instructions", best=None,
            note="Of graded words at a mistake, those that tell the person to make it.",
        ),
    )  # fmt: skip


def grade_sums(judged: Sequence[Mapping[str, Value]], judges: Sequence[str]) -> tuple[float, ...]:
    """The `GRADE_WIDTH` columns of matched words, each with its judgements by judge."""
    answers = [Answered(AnswerStatus.READ, judged=one) for one in judged]
    grades = grades_of(answers, judges)
    graded = grades[~np.isnan(grades).any(axis=1)]
    harm = [[said["harmful"] for said in one.values() if "harmful" in said] for one in judged]
    asked = [np.mean(said) for said in harm if said]
    return (
        len(graded), float(content_of(graded).sum()), *graded.sum(axis=0).tolist(),
        float(sum(asked)), len(asked),
    )  # fmt: skip


def free_grade_figures(
    matched: int, due: int, spoken: int, due_of_all: int, first: int
) -> dict[str, Figure]:
    """Figures from the same columns as `free_figures` and those of `grade_sums` from `first` on."""
    graded, worth, dimensions, harmful = first, first + 1, first + 2, first + 2 + len(DIMENSIONS)

    def quality(due: int, ungraded: float) -> Figure:
        def figure(sums: Floats) -> Floats:
            left = sums[:, matched] - sums[:, graded]
            whole = sums[:, due] + sums[:, spoken] - sums[:, matched]
            return ratio(sums[:, worth] + np.where(left > 0, left * ungraded, 0.0), whole)

        return figure

    def mean(column: int) -> Figure:
        return lambda sums: ratio(sums[:, column], sums[:, graded])

    return {
        "free_pqs": quality(due, np.nan),
        "free_pqs_low": quality(due, 0.0),
        "free_pqs_high": quality(due, 1.0),
        "free_pqs_of_all": quality(due_of_all, np.nan),
        "content": mean(worth),
        "guidance": lambda sums: LOWEST + (HIGHEST - LOWEST) * mean(worth)(sums),
        **{name: mean(place) for place, name in enumerate(DIMENSIONS, start=dimensions)},
        "harmful": lambda sums: ratio(sums[:, harmful], sums[:, harmful + 1]),
    }


def free_figures(matched: int, due: int, spoken: int, due_of_all: int) -> dict[str, Figure]:
    """Figures from sums (D, K), of which these are the columns.

    `due` is what the answers that could be read were to speak at, `due_of_all` what all were.
    """
    return {
        "free_precision": lambda sums: ratio(sums[:, matched], sums[:, spoken]),
        "free_recall": lambda sums: ratio(sums[:, matched], sums[:, due]),
        "free_f1": lambda sums: ratio(2 * sums[:, matched], sums[:, due] + sums[:, spoken]),
        "free_recall_of_all": lambda sums: ratio(sums[:, matched], sums[:, due_of_all]),
        "free_f1_of_all": lambda sums: ratio(
            2 * sums[:, matched], sums[:, due_of_all] + sums[:, spoken]
        ),
    }
