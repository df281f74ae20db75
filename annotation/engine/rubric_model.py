"""What a rubric is made of: metrics, scales, definitions and skip rules, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.engine.taxonomy import TaxonomyLabel

YES, NO = "yes", "no"
YES_NO_VALUES = (NO, YES)
LIKERT_VALUES = ("1", "2", "3", "4", "5")
TAXONOMY_VALUES = tuple(label.value for label in TaxonomyLabel)

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
    CannotJudge.VIDEO: "The video is broken",
    CannotJudge.KNOWLEDGE: "I do not know this procedure well enough",
    CannotJudge.OTHER: "Another reason, see my comment",
}


class Scope(StrEnum):
    """What one rating of a metric is about."""

    EVENT = "event"
    TRACE = "trace"


class Scale(StrEnum):
    """The kind of answer a metric takes."""

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

    The sentences that ask and explain it belong to a guideline (`engine.guideline`).
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
