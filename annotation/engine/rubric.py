"""The rubric: which metrics apply, what each accepts, and what one answer implies for another.

The terms live in `rubric_model`, each version in a file of its own in `rubrics`, with the
sentences that raters read.
The browser gets the same data through `Rubric.to_dict` and applies the same rules from it.

ValueError
  RubricVersionError   no such version of the rubric
  RatingValueError     a value or a confidence that the metric does not take
"""

from collections.abc import Mapping

from annotation.engine.exceptions import shown_value
from annotation.engine.modules import offered
from annotation.engine.rubric_model import (
    CONFIDENCE_VALUES,
    LIKERT_VALUES,
    NO,
    SHOWN_REASONS,
    TAXONOMY_VALUES,
    YES,
    YES_NO_VALUES,
    CannotJudge,
    Level,
    Metric,
    MetricDefinition,
    Rubric,
    Scale,
    Scope,
    SkipRule,
)

__all__ = [
    "CONFIDENCE_VALUES",
    "IMPORTED_VERSION",
    "LIKERT_VALUES",
    "NO",
    "SHOWN_REASONS",
    "TAXONOMY_VALUES",
    "YES",
    "YES_NO_VALUES",
    "CannotJudge",
    "Level",
    "Metric",
    "MetricDefinition",
    "RatingValueError",
    "Rubric",
    "RubricVersionError",
    "Scale",
    "Scope",
    "SkipRule",
    "applicable_metrics",
    "check_value",
    "current_rubric",
    "implied_values",
    "rubric",
]

RUBRICS: dict[str, Rubric] = {
    item.version: item
    for item in sorted(
        offered("annotation.engine.rubrics", "RUBRIC").values(), key=lambda item: int(item.version)
    )
}
CURRENT_VERSION = list(RUBRICS)[-1]
# As far as is known, ratings from elsewhere were given to words that knew no kinds of events.
IMPORTED_VERSION = "1"


class RubricVersionError(ValueError):
    """There is no rubric of this version."""


class RatingValueError(ValueError):
    """A metric got a value or a confidence that it does not take; says what it does take."""

    def __init__(self, metric: Metric, field: str, value: object, expected: str) -> None:
        self.metric = metric
        self.field = field
        self.value = value
        self.expected = expected
        super().__init__(f"{metric}: {field} is {shown_value(value)}; expected {expected}")


def current_rubric() -> Rubric:
    """The rubric that new campaigns use: the highest version."""
    return RUBRICS[CURRENT_VERSION]


def rubric(version: str) -> Rubric:
    """The rubric of `version`; raises `RubricVersionError` naming the known ones."""
    if version not in RUBRICS:
        known = ", ".join(sorted(RUBRICS))
        raise RubricVersionError(f"rubric version is {version!r}; expected one of {known}")
    return RUBRICS[version]


def applicable_metrics(
    scope: Scope, has_video: bool, *, edition: Rubric | None = None
) -> tuple[Metric, ...]:
    """The metrics to rate, in card order; those of the video only where there is one."""
    return tuple(
        item.metric
        for item in (edition or current_rubric()).metrics
        if item.scope is scope and (has_video or not item.needs_video)
    )


def implied_values(values: Mapping[Metric, str]) -> dict[Metric, str]:
    """What the skip rules add to the typed `values`.

    A metric that the rater typed is never in the answer: typing a value is how a rater undoes an
    implied one. Pass typed values only, so that implied ones fall away with their cause.

    >>> implied_values({Metric.PROCEDURE_LOGIC: "no", Metric.SEQUENCE_CONSISTENCY: "4"})
    {<Metric.STATE_CHANGE_COHERENCE: 'state_change_coherence'>: 'no'}
    """
    return {
        metric: value
        for rule in current_rubric().skip_rules
        if values.get(rule.metric) == rule.value
        for metric, value in rule.implies.items()
        if metric not in values
    }


def check_value(
    metric: Metric, value: str, confidence: int | None = None, *, edition: Rubric | None = None
) -> None:
    """Raise `RatingValueError` unless `metric` takes `value` with `confidence`.

    `confidence` may be None even for a metric that asks for one: a rater picks the answer first,
    and every keystroke is saved. Submitting is what insists on it.
    """
    definition = (edition or current_rubric()).definition(metric)
    if not isinstance(value, str) or value not in definition.values:
        expected = "one of " + ", ".join(definition.values)
        raise RatingValueError(metric, "value", value, expected)
    if confidence is None:
        return
    if not definition.has_confidence:
        raise RatingValueError(metric, "confidence", confidence, "none for this metric")
    if isinstance(confidence, bool) or confidence not in CONFIDENCE_VALUES:
        expected = "one of " + ", ".join(str(item) for item in CONFIDENCE_VALUES)
        raise RatingValueError(metric, "confidence", confidence, expected)
