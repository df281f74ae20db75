"""What answers, and the truth, say about stretches and moments of a recording."""

from dataclasses import dataclass

# The kinds of claims; a claim of kind `LEVEL` has a height, its score from 0 to 1.
KINDS, LEVEL = ("mistake", "correction"), "level"


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said about a stretch or a moment; timelines draw it.

    `kind` is one of `KINDS`, `LEVEL`, or "".
    """

    start_s: float
    end_s: float
    label: str
    kind: str = ""
    score: float | None = None


def labelled_claim(start_s: float, end_s: float, label: str, score: float | None) -> Claim:
    """A claim whose kind is in its label, if anywhere.

    >>> labelled_claim(2, 5, "correction:7", None).kind
    'correction'
    >>> labelled_claim(2, 5, "step 7", 0.5).kind
    ''
    """
    head = label.partition(":")[0]
    return Claim(start_s, end_s, label, head if head in KINDS else "", score)
