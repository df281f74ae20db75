"""The raters of a round: answers by person, times, what they watched.

Only ordinary traces are compared between raters. What a rater answered on gold, traps and repeats
is evidence about that rater and enters nothing else.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Max, Q, Sum

from annotation.analytics.raters.rater_report import RaterFigures, rater_figures
from annotation.analytics.raters.raters import Integers, RaterAnswers
from annotation.analytics.raters.screening_terms import RaterEvidence
from annotation.engine.campaigns.workload import working_s
from annotation.engine.csv_cells import Cell
from annotation.engine.ratings.viewing import Evidence
from annotation.engine.rubric.rubric import Scope, current_rubric
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    GoldItem,
    Purpose,
    Rating,
    Round,
    Trace,
    User,
    Viewing,
)
from annotation.selectors.campaigns.campaigns import get_changeable_campaign, get_readable_campaign
from annotation.selectors.campaigns.rounds import round_of
from annotation.selectors.ratings.assignments import of_placeholders
from annotation.selectors.ratings.gold import CheckAnswers, check_answers
from annotation.selectors.ratings.viewing import ANSWER_FIELDS, AnswerPlace, evidence_reader

CHUNK_ROWS = 10_000
# A page of the same round is often asked for again; 100,000 answers take some 10 MB.
KEPT_ROUNDS = 4


@dataclass(frozen=True, eq=False)
class RaterData:
    """The raters of a round by name, their keys, their answers, and evidence about each.

    `timed` are (seconds, events) of each ordinary trace of each rater. `datasets` names the data
    sets; `unit_datasets` are their places by unit, of events and of traces.
    """

    rater_ids: tuple[int, ...]
    names: tuple[str, ...]
    answers: tuple[RaterAnswers, ...]
    evidence: tuple[RaterEvidence, ...]
    timed: tuple[tuple[tuple[float, int], ...], ...]
    datasets: tuple[str, ...]
    unit_datasets: dict[Scope, Integers]

    @cached_property
    def figures(self) -> tuple[RaterFigures, ...]:
        """What page, table, picture and API say of each rater."""
        return rater_figures(self.answers, self.evidence)

    @property
    def all_timed(self) -> list[tuple[float, int]]:
        return [item for own in self.timed for item in own]


@dataclass(frozen=True, slots=True)
class _Slot:
    """One assignment, its rater and trace by their places."""

    rater: int
    trace: int
    purpose: str


def get_readable_round(user: User, public_id: str, number: int) -> Round:
    """A round of ratings whose answers the user may read.

    Raises Http404, or HiddenWhileRatingError for who rates in the campaign while it is open.
    """
    return round_of(get_readable_campaign(user, public_id), number)


def get_changeable_round(user: User, public_id: str, number: int) -> Round:
    """A readable round of a campaign that the user may change; raises Http404 otherwise."""
    get_readable_campaign(user, public_id)
    return round_of(get_changeable_campaign(user, public_id), number)


def ratings_changes(round_: Round) -> int:
    """How often ratings of the round were changed so far; grows with every change."""
    counted = Assignment.objects.filter(round=round_).aggregate(count=Sum("change_count"))
    return int(counted["count"] or 0)


def rater_data(round_: Round) -> RaterData:
    """Answers and evidence of the raters of a round, without who could see the sources before.

    3 queries where nothing has changed since it was last read by this process, else 11.
    """
    return _read(round_state(round_))


class RoundState(NamedTuple):
    """Equal exactly when the same would be read: what changes a rating raises `change_count`."""

    round_id: int
    public_id: str
    change_count: int
    assignment_count: int
    submitted_count: int
    last_viewing: datetime | None
    gold: str
    names: tuple[tuple[str, str], ...]


def round_state(round_: Round) -> RoundState:
    """How far the ratings of a round are, and what else its figures come from (3 queries)."""
    assignments = Assignment.objects.filter(round=round_, is_informed=False).order_by()
    counts = assignments.aggregate(
        changes=Sum("change_count"),
        count=Count("pk"),
        submitted=Count("pk", filter=Q(status=AssignmentStatus.SUBMITTED)),
        last=Max("viewing__updated_at"),
    )
    # Gold may be changed in place: then other answers are right.
    gold = GoldItem.objects.filter(campaign=round_.campaign_id, retired_at__isnull=True)
    accepted = gold.order_by("pk").values_list("pk", "metric", "accepted", "band", "source")
    names = assignments.values_list("rater__username", "trace__dataset__name").distinct()
    return RoundState(
        round_.pk, round_.public_id, counts["changes"] or 0, counts["count"], counts["submitted"],
        counts["last"], json.dumps(list(accepted)), tuple(sorted(names)),
    )  # fmt: skip


@lru_cache(maxsize=KEPT_ROUNDS)
def _read(state: RoundState) -> RaterData:
    assignments = Assignment.objects.filter(round=state.round_id, is_informed=False).order_by()
    names = "pk", "rater_id", "rater__username", "trace_id", "trace__dataset__name", "purpose"
    rows = list(assignments.values_list(*names))
    people = sorted({(name, pk) for _, pk, name, _, _, _ in rows})
    raters = {pk: place for place, (_, pk) in enumerate(people)}
    traces = {pk: place for place, pk in enumerate(sorted({row[3] for row in rows}))}
    datasets = sorted({row[4] for row in rows})
    trace_datasets = np.zeros(len(traces), dtype=np.int64)
    for row in rows:
        trace_datasets[traces[row[3]]] = datasets.index(row[4])
    reading = _Reading(
        {pk: _Slot(raters[who], traces[trace], purpose) for pk, who, _, trace, _, purpose in rows}
    )
    # In the order of their keys, so that every database gives the same figures.
    counted = Rating.objects.filter(assignment__in=assignments).exclude(of_placeholders())
    ratings = counted.exclude(value="").order_by("pk")
    read = ratings.values_list("metric", "value", "is_implied", *ANSWER_FIELDS)
    for metric, value, is_implied, *place in read.iterator(chunk_size=CHUNK_ROWS):
        reading.add(metric, value, is_implied, place)
    evidence_of = evidence_reader(
        Viewing.objects.filter(assignment__in=assignments),
        Trace.objects.filter(pk__in=assignments.values("trace_id")),
    )
    timed, watched = reading.timed(len(people)), reading.watched(len(people), evidence_of)
    rounds = Round.objects.select_related("ratings", "checks")
    checks = check_answers(rounds.get(pk=state.round_id))
    return RaterData(
        rater_ids=tuple(pk for _, pk in people),
        names=tuple(name for name, _ in people),
        answers=reading.answers(len(people)),
        evidence=tuple(
            RaterEvidence(
                name=name,
                seconds_per_event=tuple(seconds / events for seconds, events in timed[rater]),
                watched=tuple(watched[rater]),
                gold=own_checks.gold,
                traps=own_checks.traps,
                repeats=own_checks.repeats,
            )
            for rater, (name, key) in enumerate(people)
            for own_checks in [checks.get(key, CheckAnswers())]
        ),
        timed=timed,
        datasets=tuple(datasets),
        unit_datasets={
            Scope.TRACE: trace_datasets,
            Scope.EVENT: trace_datasets[np.array(reading.event_traces, dtype=np.int64)],
        },
    )


class _Reading:
    """Sorts the answers of a round as they come: a row at a time, nothing is read twice."""

    def __init__(self, assignments: dict[int, _Slot]) -> None:
        self.slots = assignments
        self.events: dict[int, int] = {}
        self.event_traces: list[int] = []
        self.rows: dict[str, list[tuple[int, int, int, int, float, bool]]] = defaultdict(list)
        self.moments: dict[int, list[datetime]] = defaultdict(list)
        self.answered: dict[int, set[int]] = defaultdict(set)
        self.latest: dict[tuple[int, int], AnswerPlace] = {}
        self.definitions = {item.metric.value: item for item in current_rubric().metrics}
        self.places = {
            name: {value: place for place, value in enumerate(item.values)}
            for name, item in self.definitions.items()
        }

    def add(self, metric: str, value: str, is_implied: bool, values: Sequence[Any]) -> None:
        """Take a rating of which `values` are its `ANSWER_FIELDS`."""
        assignment, _, event, _, rated_at, *_ = values
        assigned = self.slots.get(assignment)
        if assigned is None:
            # Given out since the assignments were read.
            return
        if rated_at is not None:
            self.moments[assignment].append(rated_at)
        if event is not None:
            self.answered[assignment].add(event)
            if not is_implied:
                last = self.latest.get((assignment, event))
                if last is None or (rated_at and last.rated_at and rated_at > last.rated_at):
                    self.latest[assignment, event] = AnswerPlace.of(values)
        if assigned.purpose != Purpose.ORDINARY or metric not in self.definitions:
            return
        unit = assigned.trace
        if event is not None:
            if event not in self.events:
                self.events[event] = len(self.events)
                self.event_traces.append(assigned.trace)
            unit = self.events[event]
        moment = math.nan if rated_at is None else rated_at.timestamp()
        self.rows[metric].append(
            (assigned.rater, unit, assigned.trace, self.places[metric][value], moment, is_implied)
        )

    def answers(self, rater_count: int) -> tuple[RaterAnswers, ...]:
        """The ordinary answers, one item per metric of the rubric."""
        answers = []
        for item in self.definitions.values():
            rows = self.rows[item.metric.value]
            table = np.array(rows, dtype=np.float64).reshape(-1, 6)
            integers = table[:, :4].astype(np.int64)
            answers.append(
                RaterAnswers(
                    metric=item.metric,
                    rater_count=rater_count,
                    raters=integers[:, 0],
                    units=integers[:, 1],
                    traces=integers[:, 2],
                    values=integers[:, 3],
                    moments=table[:, 4],
                    is_implied=table[:, 5] > 0,
                )
            )
        return tuple(answers)

    def timed(self, rater_count: int) -> tuple[tuple[tuple[float, int], ...], ...]:
        """(seconds, events) of each ordinary trace of each rater, where its times are known.

        Answers that were all given in one instant came from a table or a program.
        """
        timed: list[list[tuple[float, int]]] = [[] for _ in range(rater_count)]
        for key, moments in sorted(self.moments.items()):
            assigned, seconds = self.slots[key], working_s(moments)
            if seconds and self.answered[key] and assigned.purpose == Purpose.ORDINARY:
                timed[assigned.rater].append((seconds, len(self.answered[key])))
        return tuple(map(tuple, timed))

    def watched(
        self, rater_count: int, evidence_of: Callable[[AnswerPlace], Evidence]
    ) -> list[list[float]]:
        """Of each rater the shares of the events' time that had been watched."""
        shares: list[list[float]] = [[] for _ in range(rater_count)]
        for (key, _), place in self.latest.items():
            seen = evidence_of(place)
            if seen.trace_s is not None and seen.trace_length_s:
                shares[self.slots[key].rater].append(min(seen.trace_s / seen.trace_length_s, 1.0))
        return shares


@dataclass(frozen=True, slots=True)
class WorkedHours:
    """What a person has worked in a round; `hours` None where no times are known."""

    rater: str
    round: int
    traces: int
    begun: int
    submitted: int
    events: int
    hours: float | None


def worked_hours(campaign: Campaign) -> Iterator[WorkedHours]:
    """The work of each person in each round of a campaign (1 query, which reads no rating).

    Hours are the time between answers with pauses cut at five minutes, over all traces.
    """
    assigned = Assignment.objects.filter(round__campaign=campaign)
    rows = (
        assigned.order_by("round__number", "rater__username")
        .values_list("rater__username", "round__number")
        .annotate(
            traces=Count("pk"),
            begun=Count("pk", filter=Q(change_count__gt=0)),
            submitted=Count("pk", filter=Q(status=AssignmentStatus.SUBMITTED)),
            events=Sum("answered_event_count"),
            seconds=Sum("worked_s"),
        )
    )
    for name, number, traces, begun, submitted, events, seconds in rows:
        hours = round(seconds / 3600, 2) if seconds else None
        yield WorkedHours(name, number, traces, begun, submitted, events, hours)


def hours_rows(campaign: Campaign) -> Iterator[list[Cell]]:
    """Yield the header and a row per round and person."""
    yield [field.name for field in fields(WorkedHours)]
    for item in worked_hours(campaign):
        yield list(astuple(item))
