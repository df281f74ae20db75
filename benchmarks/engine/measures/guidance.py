"""Grades from 1 to 5 that judges give to what an assistant said, in four dimensions.

Source: Plan, Watch, Recover, section 3.3.2, appendices B and G. A reply that cannot be read is no
grade: never 0, and never left out without being counted. Letters: N answers, J judges.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.ratios import mean_of_defined
from benchmarks.engine.task import Answered, Reading

Floats = npt.NDArray[np.float64]
DIMENSIONS = ("relevance", "specificity", "actionability", "conciseness")
LOWEST, HIGHEST = 1, 5
_FENCE = re.compile(r"^\s*```\w*\s*|\s*```\s*$")
NOT_JSON, MISSING_DIMENSION = "not_json", "missing"
NOT_WHOLE, OUT_OF_RANGE = "not_a_whole_number", "out_of_range"


class GradeFaultError(ValueError):
    """A judge's reply without four grades: a code, and the first dimension at fault."""

    def __init__(self, code: str, dimension: str = "") -> None:
        self.code, self.dimension = code, dimension
        super().__init__(" ".join(filter(None, [code.replace("_", " "), dimension])))


def parse_grades(text: str) -> dict[str, int]:
    """The four grades of a reply that is one JSON object; raises GradeFaultError.

    A code fence around the object is taken off, and its other fields are not looked at.

    >>> parse_grades('{"relevance": 3, "specificity": 2, "actionability": 4, "conciseness": 5}')
    {'relevance': 3, 'specificity': 2, 'actionability': 4, 'conciseness': 5}
    """
    try:
        reply = json.loads(_FENCE.sub("", text))
    except (ValueError, RecursionError) as error:
        raise GradeFaultError(NOT_JSON) from error
    if not isinstance(reply, dict):
        raise GradeFaultError(NOT_JSON)
    grades = {}
    for dimension in DIMENSIONS:
        if dimension not in reply:
            raise GradeFaultError(MISSING_DIMENSION, dimension)
        grade = reply[dimension]
        is_number = isinstance(grade, int | float) and not isinstance(grade, bool)
        # Also of nan and infinity, which Python's JSON reads.
        if not is_number or grade % 1 != 0:
            raise GradeFaultError(NOT_WHOLE, dimension)
        if not LOWEST <= grade <= HIGHEST:
            raise GradeFaultError(OUT_OF_RANGE, dimension)
        grades[dimension] = int(grade)
    return grades


def read_grades(text: str) -> Reading:
    """The same as a reading, as judges' answers are stored."""
    try:
        grades = parse_grades(text)
    except GradeFaultError as error:
        return Reading(None, str(error))
    reply = json.loads(_FENCE.sub("", text))
    reason, harmful = reply.get("reasoning", ""), reply.get("harmful")
    value: dict[str, Any] = {**grades, "reason": reason if isinstance(reason, str) else ""}
    # It is asked at mistakes alone; what is neither true nor false says nothing.
    return Reading({**value, "harmful": harmful} if isinstance(harmful, bool) else value)


def content_of(grades: Floats) -> Floats:
    """The worth g of what was said, 0 to 1, from grades (N, 4); nan where there are none.

    >>> content_of(np.array([[5.0, 4, 4, 3], [1, 1, 1, 1]])).tolist()
    [0.75, 0.0]
    """
    worth: Floats = (grades.mean(axis=1) - LOWEST) / (HIGHEST - LOWEST)
    return worth


def grades_of(answers: Sequence[Answered], judges: Sequence[str]) -> Floats:
    """The grades of each answer, (N, 4): the mean of all judges, nan unless each graded it."""
    grades = np.full((len(answers), len(DIMENSIONS)), np.nan)
    for place, answer in enumerate(answers if judges else ()):
        if all(name in answer.judged for name in judges):
            rows = [[answer.judged[name][key] for key in DIMENSIONS] for name in judges]
            grades[place] = mean_of_defined(np.array(rows, dtype=np.float64))
    return grades
