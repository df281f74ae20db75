"""The base of tasks that ask for yes or no, with a score for how sure the yes is."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

from benchmarks.engine.claims import Claim
from benchmarks.engine.measures.counts import YES_NO_MEASURES, YesNo, cluster_names
from benchmarks.engine.prompts import NUMBER, one_of, strict_object
from benchmarks.engine.reading import read_choice
from benchmarks.engine.task import (
    Answered,
    AnswerShape,
    Curve,
    Item,
    Measure,
    Reading,
    Tally,
    Task,
    Value,
)

YES, NO = "yes", "no"
SCHEMA = strict_object(answer=one_of((YES, NO)), score=NUMBER)


def answer_value(answer: str, score: float | None = None) -> dict[str, Any]:
    return {"answer": answer, "score": score}


@dataclass(frozen=True, slots=True)
class DrawnAnswers(Sequence[Value]):
    """Yes where a drawn number is below `share`; each answer is made when it is asked for.

    Held as objects, those of a large set would take more memory than all else of its freeze.
    """

    drawn: "array[float]"
    share: float

    def __len__(self) -> int:
        return len(self.drawn)

    @overload
    def __getitem__(self, place: int) -> Value: ...
    @overload
    def __getitem__(self, place: slice) -> list[Value]: ...
    def __getitem__(self, place: int | slice) -> Value | list[Value]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        number = self.drawn[place]
        return answer_value(YES if number < self.share else NO, 1 - number)


class YesNoTask(Task):
    """A task that asks for yes or no; `ends` says in words what the scores 0 and 1 mean."""

    shape = AnswerShape.ONE
    measures: ClassVar[tuple[Measure, ...]] = YES_NO_MEASURES
    ends: ClassVar[tuple[str, str]]

    def read(self, item: Item, text: str) -> Reading:
        return read_choice(text, item.choices, score="score")

    def check(self, item: Item, value: Mapping[str, Any]) -> str:
        score = value.get("score")
        if score is not None and not 0 <= score <= 1:
            return f"score is {score:g}; expected 0 ({self.ends[0]}) to 1 ({self.ends[1]})"
        return ""

    def worst(self, item: Item) -> Value:
        is_yes = item.truth["answer"] == YES
        return answer_value(NO, 0.0) if is_yes else answer_value(YES, 1.0)

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        return Claim(start_s, end_s, label, "mistake" if label == YES else "", score)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        return YesNo.of(items, answers, YES).tally(*cluster_names(items))

    def curve(self, items: Sequence[Item], answers: Sequence[Answered]) -> Curve | None:
        return YesNo.of(items, answers, YES).curve()
