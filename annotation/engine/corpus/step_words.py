"""How the table of a trace says what an empty side means: by arrows, or in words.

In words a rater reads "step missing", which all but names the answer to Taxonomy Fit. With arrows
an empty cell stays empty, and a step that stands elsewhere is named by its number alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class StepWords(StrEnum):
    """What raters of a round see where a step is on one side only."""

    ARROWS = "arrows"
    WORDS = "words"
    # Of ratings that were imported: the sheets that people filled in are not known.
    ELSEWHERE = "elsewhere"

    @property
    def notes(self) -> "Notes":
        return _NOTES[self]


def what_raters_saw(words: Iterable[str], *, has_name: bool = True) -> str:
    """A sentence for who reads figures of Taxonomy Fit, whose answer words can give away.

    `words` are values of `StepWords`, "" comes back for none. `has_name` is off where the metric's
    name stands before the sentence anyway.

    >>> what_raters_saw(["arrows"])
    'Taxonomy Fit: raters saw empty cells and arrows for changed steps.'
    >>> what_raters_saw(["arrows"], has_name=False)
    'Raters saw empty cells and arrows for changed steps.'
    """
    told = "; ".join(dict.fromkeys(_TOLD[StepWords(value)] for value in words))
    if not told:
        return ""
    return f"Taxonomy Fit: {told}." if has_name else f"{told[0].upper()}{told[1:]}."


# What a campaign may choose between.
OFFERED = (StepWords.ARROWS, StepWords.WORDS)


@dataclass(frozen=True, slots=True)
class Notes:
    """What stands in an empty cell; a number is that of the step at its other place."""

    missing: str
    added: str
    done_as: str
    stands_as: str
    once_more: str
    waits: str


_TOLD = {
    StepWords.ARROWS: "raters saw empty cells and arrows for changed steps",
    StepWords.WORDS: "raters read words such as “step missing” beside changed steps",
    StepWords.ELSEWHERE: "answers were imported; what raters saw of changed steps is not recorded",
}
_ARROWS = Notes("", "", "→ {}", "{} →", "{} →", "")
_NOTES = {
    StepWords.ARROWS: _ARROWS,
    StepWords.ELSEWHERE: _ARROWS,
    StepWords.WORDS: Notes(
        "step missing",
        "not in the reference",
        "done as step {}",
        "step {}",
        "step {} once more",
        "not at this point of the reference",
    ),
}
