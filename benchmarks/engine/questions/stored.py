"""Frozen questions as tasks read them, from the `extra` of their material."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.engine.material import Material

# The keys of `Material.extra`: the questions, and what has changed since they were made.
QUESTIONS, CHANGES = "questions", "changes"
MOST_CHANGES = 20


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A frozen question; `about` is as in the tables, `groups` are the breakdowns of its step."""

    position: int
    sample: str
    recording: str
    kind: str
    polarity: str
    classes: tuple[str, ...]
    groups: Mapping[str, str]
    about: Mapping[str, Any]
    start_s: float | None
    end_s: float | None
    question: str
    answer: str

    @property
    def key(self) -> str:
        """The name of its item among those of its question set."""
        return question_key(self.sample, self.position)


def question_key(sample: str, position: int) -> str:
    return f"{sample}?{position}"


def questions_of(material: Material) -> Sequence[StoredQuestion]:
    """The questions of a material; raises ValueError that names what changed since."""
    if changes := material.extra.get(CHANGES):
        raise ValueError(changes_in_words(changes))
    questions: Sequence[StoredQuestion] = material.extra[QUESTIONS]
    return questions


def changes_in_words(changes: Sequence[str]) -> str:
    """That a data set changed since its questions were made, and the first of what did."""
    more = len(changes) - MOST_CHANGES
    listed = "; ".join(changes[:MOST_CHANGES]) + (f"; and {more} more" if more > 0 else "")
    return f"the data set has changed since the questions were made: {listed}"
