"""How a disagreement between raters can be decided: a cause, and for some metrics one value.

ValueError
  DecisionError   a cause or a value that a case of this metric cannot end as
"""

from enum import StrEnum

from annotation.engine.rubric.rubric import Metric, Rubric, current_rubric


class Cause(StrEnum):
    GUIDELINE_GAP = "guideline_gap"
    AMBIGUOUS_EVENT = "ambiguous_event"
    SLIP = "slip"
    DEFECT = "defect"
    LEGITIMATE = "legitimate"


SHOWN_CAUSES = {
    Cause.GUIDELINE_GAP: "Guideline gap",
    Cause.AMBIGUOUS_EVENT: "Ambiguous event",
    Cause.SLIP: "Slip",
    Cause.DEFECT: "Video or text defect",
    Cause.LEGITIMATE: "Legitimate difference of opinion",
}


class DecisionError(ValueError):
    """A case cannot end like this; `field` is "cause" or "value"."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


def is_opinion(metric: Metric | None, rubric_: Rubric | None = None) -> bool:
    """Whether the metric asks for an impression, of which nobody decides what it should be."""
    return metric is not None and (rubric_ or current_rubric()).definition(metric).is_subjective


def possible_causes(metric: Metric | None, rubric_: Rubric | None = None) -> tuple[Cause, ...]:
    """The causes that a case can have; `metric` is None where raters only left remarks."""
    if is_opinion(metric, rubric_):
        return tuple(cause for cause in Cause if cause is not Cause.AMBIGUOUS_EVENT)
    return tuple(Cause)


def possible_values(metric: Metric | None, rubric_: Rubric | None = None) -> tuple[str, ...]:
    """The values of which one can be decided; none for a metric of opinion."""
    if metric is None or is_opinion(metric, rubric_):
        return ()
    return (rubric_ or current_rubric()).definition(metric).values


def check_decision(
    *, metric: Metric | None, cause: Cause, value: str = "", rubric_: Rubric | None = None
) -> None:
    """Raise `DecisionError` unless a case of the metric can end with this cause and value."""
    causes = possible_causes(metric, rubric_)
    if cause not in causes:
        expected = ", ".join(causes)
        raise DecisionError("cause", f"{metric} cannot end as {cause}; expected one of {expected}")
    if not value:
        return
    values = possible_values(metric, rubric_)
    if not values:
        what = f"{metric} is a matter of opinion" if metric else "The case has no metric"
        raise DecisionError("value", f"{what}: it is never decided to one value")
    if value not in values:
        expected = ", ".join(values)
        raise DecisionError("value", f"{metric}: value is {value!r}; expected one of {expected}")


def letter_of(place: int) -> str:
    """What a person is called on the desk, by place from 0.

    >>> [letter_of(place) for place in (0, 25, 26)]
    ['A', 'Z', 'AA']
    """
    letters = ""
    rest = place + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters
