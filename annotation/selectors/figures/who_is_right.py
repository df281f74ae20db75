"""The likeliest answer to each event, row by row, from the ratings that a report is of."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from annotation.analytics.agreement.metric_ratings import Basis, MetricRatings
from annotation.analytics.agreement.who_is_right import likely_truth
from annotation.engine.corpus.step_words import what_raters_saw
from annotation.engine.rubric.rubric import Level, Metric, Scope
from annotation.engine.stored import from_stored
from annotation.models import Campaign, Event, LikelyTruthFigures, Phase, Round, User
from annotation.selectors.figures.figures import (
    FiguresScope,
    InterimFigures,
    rating_state,
    scope_of_campaign,
    scope_rounds,
)

# Beside the name of a data set, of whose answers a protocol says that somebody looked.
WHO_IS_RIGHT = "who is right"
# Raise it when the same ratings give other figures: all are then computed anew.
LIKELY_VERSION = 2


@dataclass(frozen=True, slots=True)
class LikelyAnswer:
    """One value of one event: how many gave it, and how likely it is the true one.

    There is no interval where resamples do not vary, or where it would not hold the posterior.
    `step_words` is what raters saw of changes, of Taxonomy Fit only (`StepWords`).
    """

    dataset: str
    rounds: str
    metric: str
    trace: str
    event: str
    value: str
    given: int
    raters: int
    is_likeliest: bool
    posterior: float
    low: float | None
    high: float | None
    step_words: str = ""


@dataclass(frozen=True, slots=True)
class RaterHabit:
    """How often a rater, numbered for this table only, gives a value where another is true."""

    dataset: str
    rounds: str
    metric: str
    rater: int
    true_value: str
    given_value: str
    share: float


@dataclass(frozen=True, slots=True)
class WhoIsRight:
    """Answers and habits; `reasons` say of which metrics the answers tell nothing, and why."""

    answers: tuple[LikelyAnswer, ...]
    habits: tuple[RaterHabit, ...]
    reasons: tuple[str, ...]


def who_is_right(inputs: Iterable[MetricRatings], *, seed: int | None = None) -> WhoIsRight:
    """For metrics of events whose values have no order; resampled by clusters of the report."""
    answers: list[LikelyAnswer] = []
    habits: list[RaterHabit] = []
    reasons: list[str] = []
    for ratings in inputs:
        definition = ratings.definition
        if definition.level is not Level.NOMINAL or definition.scope is not Scope.EVENT:
            continue
        rng = np.random.default_rng(ratings.basis.seed if seed is None else seed)
        truth = likely_truth(ratings.answers, ratings.clusters, rng=rng)
        if truth.reason:
            about = f"{ratings.dataset}, {ratings.basis.text}, {definition.title}"
            reasons.append(f"{about}: {truth.reason}")
            continue
        rows = Event.objects.filter(pk__in=ratings.keys[truth.units].tolist())
        columns = rows.values_list("pk", "trace__uid", "event_id")
        names = {pk: (trace, event) for pk, trace, event in columns}
        basis = ratings.dataset, ratings.basis.text, definition.metric.value
        is_fit = definition.metric is Metric.TAXONOMY_FIT
        step_words = ", ".join(ratings.basis.step_words) if is_fit else ""
        for place, unit in enumerate(truth.units.tolist()):
            key, counts = int(ratings.keys[unit]), ratings.counts[unit]
            likeliest = int(truth.posterior[place].argmax())
            answers += [
                LikelyAnswer(
                    *basis, *names[key], value, int(counts[number]),
                    int(counts.sum()), number == likeliest, float(truth.posterior[place, number]),
                    _end(truth.low[place, number]), _end(truth.high[place, number]), step_words,
                )
                for number, value in enumerate(definition.values)
            ]  # fmt: skip
        habits += [
            RaterHabit(*basis, rater + 1, true_value, given_value, float(shares[row, column]))
            for rater, shares in enumerate(truth.confusion)
            if not np.isnan(shares).any()
            for row, true_value in enumerate(definition.values)
            for column, given_value in enumerate(definition.values)
        ]
    return WhoIsRight(tuple(answers), tuple(habits), tuple(reasons))


def _end(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


@dataclass(frozen=True, slots=True)
class ShownWhoIsRight:
    """Stored figures and how old they are; `computed_at` None means that there are none yet."""

    figures: LikelyTruthFigures
    habits: tuple[RaterHabit, ...]
    reasons: tuple[str, ...]
    computed_at: datetime | None
    newer_count: int
    is_outdated: bool
    is_being_computed: bool
    error: str
    interim: tuple[InterimFigures, ...]
    # What raters saw of changes when they named the type; "" where nobody did.
    words_told: str


def interim_looks(
    rounds: Iterable[Round], shown: Iterable[tuple[str, str, str]]
) -> Iterator[InterimFigures]:
    """Looks at main rounds that are open: `shown` are data set, words of the basis, and metric."""
    for round_ in rounds:
        if round_.phase != Phase.MAIN or not round_.is_open:
            continue
        figures = {
            (f"{dataset}, {WHO_IS_RIGHT}", metric)
            for dataset, words, metric in shown
            if words.startswith(_words_of(round_))
        }
        if figures:
            seen = {(name, metric) for name, metric in getattr(round_, "seen", None) or ()}
            yield InterimFigures(round_, tuple(sorted(figures)), figures <= seen)


def _words_of(round_: Round) -> str:
    """With what the words begin that a basis of this round alone has."""
    return Basis(rounds=(round_.number,), phase=round_.phase).text


def _words_told(rounds: Iterable[Round], shown: Iterable[tuple[str, str, str]]) -> str:
    asked = [words for _, words, metric in shown if metric == Metric.TAXONOMY_FIT]
    return what_raters_saw(
        round_.ratings.step_words
        for round_ in rounds
        if any(words.startswith(_words_of(round_)) for words in asked)
    )


def likely_state(scope: FiguresScope, rounds: list[Round] | None = None) -> dict[str, Any]:
    """Equal exactly when the same figures would come out (5 queries); as `rating_state`."""
    return rating_state(scope, rounds).to_dict() | {"version": LIKELY_VERSION}


def stored_who_is_right(campaign: Campaign, reader: User | None = None) -> ShownWhoIsRight:
    """What is stored of a campaign that the reader may read, with its age (8 queries)."""
    found = LikelyTruthFigures.objects.select_related("job").filter(campaign=campaign).first()
    stored = LikelyTruthFigures() if found is None else found
    scope = scope_of_campaign(campaign)
    rounds = scope_rounds(scope, reader)
    state, is_computed = likely_state(scope, rounds), stored.computed_at is not None
    habits = tuple(from_stored(RaterHabit, item) for item in stored.habits)
    shown = {(habit.dataset, habit.rounds, habit.metric) for habit in habits}
    changes = state["change_count"] - stored.state.get("change_count", 0)
    return ShownWhoIsRight(
        figures=stored,
        habits=habits,
        reasons=tuple(stored.reasons),
        computed_at=stored.computed_at,
        newer_count=max(0, changes) if is_computed else 0,
        is_outdated=stored.state != state,
        is_being_computed=stored.is_being_computed,
        error=stored.error,
        interim=tuple(interim_looks(rounds, shown)),
        words_told=_words_told(rounds, shown),
    )
