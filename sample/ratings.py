"""What three people might have answered about the sample traces: made up, and shaped like the real.

Raters agree because they look at the same event, and differ because each is more or less strict and
nobody is quite steady. So an answer is the sum of what is usual for the kind of mistake, what this
event is like (the same for all raters), how strict the rater is, and a little chance.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.engine.corpus.procedure import Event, Trace
from annotation.engine.rubric.rubric import (
    NO,
    YES,
    Metric,
    Scale,
    Scope,
    applicable_metrics,
    current_rubric,
    implied_values,
)
from annotation.engine.taxonomy import TaxonomyLabel

RATERS = ("rater-01", "rater-02", "rater-03")

# Standard deviations on the scale from 1 to 5: between events, raters, and two looks at one event.
EVENT_SPREAD, RATER_SPREAD, CHANCE_SPREAD = 0.9, 0.3, 0.45
# A yes or no is the sign of a leaning with these spreads; leanings below are on the same scale.
LEANING_SPREAD, LEANING_CHANCE = 1.0, 0.45
# How clear a leaning must be for the highest and the middle confidence.
SURE, FAIRLY_SURE = 1.2, 0.5
CONFUSION_SHARE = 0.14


@dataclass(frozen=True, slots=True)
class SampleRating:
    """One answer; `event_id` is None for the whole trace, `is_implied` marks a skip rule's."""

    rater: str
    trace_uid: str
    event_id: str | None
    metric: Metric
    value: str
    confidence: int | None = None
    is_implied: bool = False


@dataclass(frozen=True, slots=True)
class Usual:
    """What people usually answer about one kind of event: leanings to yes, means of 1 to 5."""

    validity: float
    plausibility: float
    confusability: float
    logic: float
    sequence: float
    state: float
    video: float


# An extra step is easy to see and harmless, a missing one easy to overlook and serious, and so on;
# most corrections really undo their mistake.
USUAL = {
    TaxonomyLabel.DELETION: Usual(1.2, 3.3, 2.7, 0.5, 2.9, 0.3, 4.1),
    TaxonomyLabel.INSERTION: Usual(-0.4, 2.6, 1.3, -1.0, 3.8, -0.8, 3.5),
    TaxonomyLabel.SUBSTITUTION: Usual(1.4, 2.9, 1.6, 0.2, 3.4, 0.4, 3.8),
    TaxonomyLabel.TRANSPOSITION: Usual(0.2, 2.8, 2.1, 0.4, 2.4, -0.2, 3.9),
    TaxonomyLabel.WRONG_EXECUTION: Usual(0.9, 3.1, 1.9, -0.5, 3.9, 0.1, 3.7),
    TaxonomyLabel.CORRECTION: Usual(1.9, 3.5, 1.3, -1.2, 4.2, -1.0, 3.8),
}
# What a rater says who does not see the kind of mistake that its author had in mind.
CONFUSED_WITH = {
    TaxonomyLabel.DELETION: TaxonomyLabel.WRONG_EXECUTION,
    TaxonomyLabel.INSERTION: TaxonomyLabel.WRONG_EXECUTION,
    TaxonomyLabel.SUBSTITUTION: TaxonomyLabel.WRONG_EXECUTION,
    TaxonomyLabel.TRANSPOSITION: TaxonomyLabel.DELETION,
    TaxonomyLabel.WRONG_EXECUTION: TaxonomyLabel.SUBSTITUTION,
    TaxonomyLabel.CORRECTION: TaxonomyLabel.INSERTION,
}
USUAL_GROUNDING = 3.6


def sample_ratings(traces: Sequence[Trace], rng: np.random.Generator) -> list[SampleRating]:
    """Finished ratings of all traces by each of `RATERS`.

    Every event gets all eight metrics, every trace its one, as for traces with a video. Events
    without a proposed type are rated like wrong executions.
    """
    strictness = dict(zip(RATERS, rng.normal(0.0, RATER_SPREAD, len(RATERS)), strict=True))
    ratings: list[SampleRating] = []
    for trace in traces:
        for event in trace.events:
            # One deviation per answer, in the order of the fields of `Usual`.
            event_deviation = rng.normal(0.0, 1.0, len(Usual.__slots__))
            for rater in RATERS:
                chance = rng.normal(0.0, 1.0, len(Usual.__slots__))
                confusion = float(rng.random())
                answers = _Answers(event, event_deviation, chance, strictness[rater], confusion)
                ratings.extend(_ratings_of(rater, trace.uid, event.event_id, answers))
        for metric in applicable_metrics(Scope.TRACE, has_video=True):
            deviation = float(rng.normal(0.0, EVENT_SPREAD))
            for rater in RATERS:
                score = USUAL_GROUNDING + deviation - strictness[rater]
                value = _likert(score + float(rng.normal(0.0, CHANCE_SPREAD)))
                ratings.append(SampleRating(rater, trace.uid, None, metric, value))
    return ratings


@dataclass(frozen=True, slots=True)
class _Answers:
    """What one rater thinks of one event; deviations: (7,) float, one per field of `Usual`."""

    event: Event
    event_deviation: np.ndarray
    chance: np.ndarray
    strictness: float
    confusion: float

    @property
    def label(self) -> TaxonomyLabel:
        return TaxonomyLabel(self.event.proposed_type or TaxonomyLabel.WRONG_EXECUTION)

    def score(self, name: str) -> str:
        number = Usual.__slots__.index(name)
        moved = EVENT_SPREAD * self.event_deviation[number] + CHANCE_SPREAD * self.chance[number]
        return _likert(float(getattr(USUAL[self.label], name) + moved - self.strictness))

    def leaning(self, name: str) -> float:
        number = Usual.__slots__.index(name)
        moved = LEANING_SPREAD * self.event_deviation[number] + LEANING_CHANCE * self.chance[number]
        return float(getattr(USUAL[self.label], name) + moved + self.strictness)

    def taxonomy_fit(self) -> TaxonomyLabel:
        return CONFUSED_WITH[self.label] if self.confusion < CONFUSION_SHARE else self.label


def _likert(score: float) -> str:
    return str(int(np.clip(round(score), 1, 5)))


def _yes_or_no(leaning: float) -> str:
    return YES if leaning > 0 else NO


def _ratings_of(
    rater: str, trace_uid: str, event_id: str, answers: _Answers
) -> Iterator[SampleRating]:
    logic = answers.leaning("logic")
    confidence = 1 + (abs(logic) > FAIRLY_SURE) + (abs(logic) > SURE)
    typed = {
        Metric.ERROR_VALIDITY: _yes_or_no(answers.leaning("validity")),
        Metric.HUMAN_PLAUSIBILITY: answers.score("plausibility"),
        Metric.CONFUSABILITY: answers.score("confusability"),
        Metric.PROCEDURE_LOGIC: _yes_or_no(logic),
        Metric.TAXONOMY_FIT: answers.taxonomy_fit().value,
        Metric.VIDEO_PLAUSIBILITY: answers.score("video"),
    }
    implied = implied_values(typed)
    if not implied:
        typed[Metric.SEQUENCE_CONSISTENCY] = answers.score("sequence")
        typed[Metric.STATE_CHANGE_COHERENCE] = _yes_or_no(answers.leaning("state"))
    for metric in applicable_metrics(Scope.EVENT, has_video=True):
        # What later rubrics ask is answered like plausibility, or by the first value of its scale.
        definition = current_rubric().definition(metric)
        is_likert = definition.scale is Scale.LIKERT
        other = answers.score("plausibility") if is_likert else definition.values[0]
        yield SampleRating(
            rater=rater,
            trace_uid=trace_uid,
            event_id=event_id,
            metric=metric,
            value=typed.get(metric) or implied.get(metric) or other,
            confidence=confidence if metric is Metric.PROCEDURE_LOGIC else None,
            is_implied=metric in implied,
        )
