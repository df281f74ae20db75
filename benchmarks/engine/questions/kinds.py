"""The kinds of questions, and which of them are asked about a step.

Source: EgoErrorVQA, 3.3, and the kinds that its public files have. There the form of a question
tells the answer: nearly every polar question about a mistake is answered with no. Here the steps
with a mistake and those without get the same forms.
"""

from enum import StrEnum


class Kind(StrEnum):
    """What is asked about a step.

    CONFIRM  a correct step: was it done as the procedure says? Yes
    DECOY    a correct step: did anything go wrong? No
    DETECT   the same two of a step with a mistake, with the other answers
    EXPLAIN  what went wrong, if anything, and what should have happened
    DETAIL   how the step was done
    """

    CONFIRM = "confirm"
    DECOY = "decoy"
    DETECT = "detect"
    EXPLAIN = "explain"
    DETAIL = "detail"


class Polarity(StrEnum):
    """What an answer begins with; questions that are not polar have none."""

    YES = "yes"
    NO = "no"


# A kind with the polarity of its answer, None for a question that is not polar.
Wanted = tuple[Kind, Polarity | None]
OF_CORRECT: tuple[Wanted, ...] = (
    (Kind.CONFIRM, Polarity.YES),
    (Kind.DECOY, Polarity.NO),
    (Kind.EXPLAIN, None),
    (Kind.DETAIL, None),
)
OF_MISTAKE: tuple[Wanted, ...] = (
    (Kind.DETECT, Polarity.NO),
    (Kind.DETECT, Polarity.YES),
    (Kind.EXPLAIN, None),
    (Kind.DETAIL, None),
)
MOST_PAIRS = len(OF_CORRECT)


def wanted_of(*, is_correct: bool, rank: int, pair_count: int) -> tuple[Wanted, ...]:
    """The kinds to ask of a step that is the `rank`th of its class, from 0.

    Over the steps of a class every kind comes equally often, up to one.
    """
    kinds = OF_CORRECT if is_correct else OF_MISTAKE
    return tuple(kinds[(rank + place) % MOST_PAIRS] for place in range(pair_count))
