"""The rubric: which metrics apply, what each accepts, and what one answer implies for another.

Each version is a file of its own in `rubrics`, with the sentences that raters read beside it.
The browser gets the same data through `Rubric.to_dict` and applies the same rules from it.

ValueError
  RubricVersionError   no such version of the rubric
  RatingValueError     a value or a confidence that the metric does not take
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from annotation.engine.exceptions import shown_value
from annotation.engine.modules import offered
from annotation.engine.taxonomy import TaxonomyLabel

YES, NO = "yes", "no"
YES_NO_VALUES = (NO, YES)
LIKERT_VALUES = ("1", "2", "3", "4", "5")
TAXONOMY_VALUES = tuple(label.value for label in TaxonomyLabel)
# As far as is known, ratings from elsewhere were given to words that knew no kinds of events.
IMPORTED_VERSION = "1"

# How sure a rater is of a Procedure Logic answer (PIE-V, eq. 1: q in {1, 2, 3}).
CONFIDENCE_VALUES = (1, 2, 3)


class Metric(StrEnum):
    """The nine metrics, in the order of the card: eight per event, then one per trace."""

    ERROR_VALIDITY = "error_validity"
    HUMAN_PLAUSIBILITY = "human_plausibility"
    CONFUSABILITY = "confusability"
    PROCEDURE_LOGIC = "procedure_logic"
    SEQUENCE_CONSISTENCY = "sequence_consistency"
    STATE_CHANGE_COHERENCE = "state_change_coherence"
    TAXONOMY_FIT = "taxonomy_fit"
    VIDEO_PLAUSIBILITY = "video_plausibility"
    TEXT_VIDEO_GROUNDING = "text_video_grounding"


class CannotJudge(StrEnum):
    """Why a rater gives no answer: a missing value of its own kind, which nothing fills in."""

    NOT_SHOWN = "not_shown"
    UNCLEAR = "unclear"
    VIDEO = "video"
    KNOWLEDGE = "knowledge"
    OTHER = "other"


SHOWN_REASONS = {
    CannotJudge.NOT_SHOWN: "It is not shown or not written here",
    CannotJudge.UNCLEAR: "Picture or text is unclear",
    CannotJudge.VIDEO: "The video is damaged",
    CannotJudge.KNOWLEDGE: "I do not know this procedure well enough",
    CannotJudge.OTHER: "Another reason, see my comment",
}


class Scope(StrEnum):
    """What one rating of a metric is about."""

    EVENT = "event"
    TRACE = "trace"


class Scale(StrEnum):
    YES_NO = "yes_no"
    LIKERT = "likert"
    TAXONOMY = "taxonomy"


class Level(StrEnum):
    """Level of measurement, which decides how far apart two values are."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


VALUES_BY_SCALE = {
    Scale.YES_NO: YES_NO_VALUES,
    Scale.LIKERT: LIKERT_VALUES,
    Scale.TAXONOMY: TAXONOMY_VALUES,
}
LEVEL_BY_SCALE = {
    Scale.YES_NO: Level.NOMINAL,
    Scale.LIKERT: Level.ORDINAL,
    Scale.TAXONOMY: Level.NOMINAL,
}


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """One metric of one rubric version: what it is about and how it is answered.

    The sentences that ask and explain it belong to a guideline (`engine.campaigns.guideline`).
    `shown_labels` says how a stored value is shown where the bare value would mislead: a stored
    "yes" of State-Change Coherence means that the state is *in*consistent. A subjective metric asks
    for an opinion: there is no answer that could be accepted as right, hence no gold.
    """

    metric: Metric
    title: str
    scope: Scope
    scale: Scale
    shown_labels: Mapping[str, str] = field(default_factory=dict)
    needs_video: bool = False
    has_confidence: bool = False
    is_subjective: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        return VALUES_BY_SCALE[self.scale]

    @property
    def level(self) -> Level:
        return LEVEL_BY_SCALE[self.scale]

    def shown(self, value: str) -> str:
        return self.shown_labels.get(value, value)

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.metric.value,
            "title": self.title,
            "scope": self.scope.value,
            "scale": self.scale.value,
            "level": self.level.value,
            "values": [{"value": value, "label": self.shown(value)} for value in self.values],
            "needs_video": self.needs_video,
            "has_confidence": self.has_confidence,
            "confidence_values": list(CONFIDENCE_VALUES) if self.has_confidence else [],
        }


@dataclass(frozen=True, slots=True)
class SkipRule:
    """When `metric` was answered with `value`, the answers in `implies` follow from it."""

    metric: Metric
    value: str
    implies: Mapping[Metric, str]

    def to_dict(self) -> dict[str, object]:
        return {
            "metric": self.metric.value,
            "value": self.value,
            "implies": {metric.value: value for metric, value in self.implies.items()},
        }


@dataclass(frozen=True, slots=True)
class Rubric:
    """One version of the rubric: its metrics in card order and its skip rules."""

    version: str
    metrics: tuple[MetricDefinition, ...]
    skip_rules: tuple[SkipRule, ...]

    @property
    def titles(self) -> dict[str, str]:
        """What each metric is called on pages, by its name."""
        return {item.metric.value: item.title for item in self.metrics}

    def definition(self, metric: Metric) -> MetricDefinition:
        return next(item for item in self.metrics if item.metric is metric)

    def to_dict(self) -> dict[str, object]:
        """The rubric as the browser reads it; the page applies the same rules from it."""
        return {
            "version": self.version,
            "metrics": [item.to_dict() for item in self.metrics],
            "skip_rules": [rule.to_dict() for rule in self.skip_rules],
            "reasons": [
                {"value": item.value, "label": SHOWN_REASONS[item]} for item in CannotJudge
            ],
        }


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


@cache
def rubrics() -> dict[str, Rubric]:
    """Every rubric by its version, the oldest first."""
    found: list[Rubric] = list(offered("annotation.engine.rubric.versions", "RUBRIC").values())
    return {item.version: item for item in sorted(found, key=lambda item: int(item.version))}


@cache
def current_rubric() -> Rubric:
    """The rubric that new campaigns use: the highest version."""
    return list(rubrics().values())[-1]


def rubric(version: str) -> Rubric:
    """The rubric of `version`; raises `RubricVersionError` naming the known ones."""
    known = rubrics()
    if version not in known:
        expected = ", ".join(sorted(known))
        raise RubricVersionError(f"rubric version is {version!r}; expected one of {expected}")
    return known[version]


def applicable_metrics(
    scope: Scope, has_video: bool, *, rubric_: Rubric | None = None
) -> tuple[Metric, ...]:
    """The metrics to rate, in card order; those of the video only where there is one."""
    return tuple(
        item.metric
        for item in (rubric_ or current_rubric()).metrics
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
    metric: Metric, value: str, confidence: int | None = None, *, rubric_: Rubric | None = None
) -> None:
    """Raise `RatingValueError` unless `metric` takes `value` with `confidence`.

    `confidence` may be None even for a metric that asks for one: a rater picks the answer first,
    and every keystroke is saved. Submitting is what insists on it.
    """
    definition = (rubric_ or current_rubric()).definition(metric)
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
