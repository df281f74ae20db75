"""Grades from 0 to 5 that judges give to answers: how they are read, and their means.

Source: EgoErrorVQA, 4.3 and its released code, without its traps: there a reply that cannot be read
is a grade of 0, and so is a judge that failed. Letters: N answers, J judges.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.engine.reading import json_objects
from benchmarks.engine.task import Answered, Reading

Floats = npt.NDArray[np.float64]
HIGHEST = 5
NO_OBJECT = "no JSON object with a score"
NOT_WHOLE = "not a whole number"
OUTSIDE = f"outside 0-{HIGHEST}"


def read_grade(text: str) -> Reading:
    """The grade of the last JSON object with a score, as {"score", "reason"}.

    >>> read_grade('{"score": 1} no wait {"score": 2}').value
    {'score': 2, 'reason': ''}
    >>> read_grade('{"score": 3.5}').reason, read_grade("Score: 4").reason
    ('not a whole number', 'no JSON object with a score')
    """
    judgements = [value for value in json_objects(text) if "score" in value]
    if not judgements:
        return Reading(None, NO_OBJECT)
    score, reason = judgements[-1]["score"], judgements[-1].get("reason")
    # The rest of nan and infinity, which Python's JSON reads, is nan.
    if isinstance(score, bool) or not isinstance(score, int | float) or score % 1 != 0:
        return Reading(None, NOT_WHOLE)
    if not 0 <= score <= HIGHEST:
        return Reading(None, OUTSIDE)
    return Reading({"score": int(score), "reason": reason if isinstance(reason, str) else ""})


def judges_of(answers: Iterable[Answered]) -> tuple[str, ...]:
    """The names of all judges that graded any of the answers, sorted."""
    return tuple(sorted({name for answer in answers for name in answer.judged}))


def grades_of(answers: Sequence[Answered], judges: Sequence[str]) -> Floats:
    """The grade that each judge gave each answer, (N, J), nan where there is none.

    A reply that says nothing has 0 of every judge, without any being asked.
    """
    grades = np.full((len(answers), len(judges)), np.nan)
    for place, answer in enumerate(answers):
        if says_nothing(answer):
            grades[place] = 0.0
        for number, name in enumerate(judges):
            judged = answer.judged.get(name)
            if judged is not None:
                grades[place, number] = judged["score"]
    return grades


def says_nothing(answer: Answered) -> bool:
    """Whether there was a reply, and it was empty."""
    text = (answer.value or {}).get("text")
    return answer.is_empty or (text is not None and not text.strip())


def means_of_judges(grades: Floats) -> tuple[Floats, Floats]:
    """The mean grade of each answer, nan unless every judge graded it; and with gaps as 0, (N,)."""
    if grades.shape[1] == 0:
        nothing = np.full(len(grades), np.nan)
        return nothing, nothing
    return grades.mean(axis=1), np.nan_to_num(grades).mean(axis=1)


def average_of_means(means: Mapping[str, float], counts: Mapping[str, int]) -> float:
    """The mean over all answers from those of each source, as Table 3 prints it."""
    return sum(means[name] * counts[name] for name in means) / sum(counts[name] for name in means)
