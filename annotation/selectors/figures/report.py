"""What the agreement report counts, straight from SQL: every rating is read once and counted."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, islice

import numpy as np
from django.db.models import Case, Count, Exists, IntegerField, OuterRef, QuerySet, Value, When
from django.db.models.functions import Coalesce

from annotation.analytics.agreement.metric_ratings import (
    Basis,
    Flags,
    Integers,
    MetricRatings,
    RatingChunk,
    RatingTally,
    Units,
)
from annotation.engine.rubric.rubric import Rubric, Scope, current_rubric, rubric
from annotation.engine.taxonomy import EventKind
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Dataset,
    Event,
    Purpose,
    Rating,
    Round,
    Trace,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import visible_campaigns
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.selectors.ratings.assignments import of_placeholders

# Ratings held at a time while they are counted.
CHUNK_ROWS = 10_000


class Grouping(StrEnum):
    """Which rounds stand in one row. Of pooled ones the last answer of a rater to a unit counts."""

    ROUND = "round"
    GUIDELINE = "guideline"
    POOLED = "pooled"


@dataclass(frozen=True, slots=True)
class ReportScope:
    """Which ratings a report is about: those of one data set in some rounds.

    Answers of people who could see the sources before are left out unless `has_informed`.
    """

    dataset: Dataset
    rounds: QuerySet[Round]
    grouping: Grouping = Grouping.ROUND
    is_submitted_only: bool = False
    has_informed: bool = False

    def assignments(self, rounds: Iterable[Round] | QuerySet[Round]) -> QuerySet[Assignment]:
        counted = counted_assignments(
            is_submitted_only=self.is_submitted_only, has_informed=self.has_informed
        )
        return counted.filter(trace__dataset=self.dataset, round__in=rounds)


def counted_assignments(*, is_submitted_only: bool, has_informed: bool) -> QuerySet[Assignment]:
    """The reservations that enter figures between raters: no gold, no trap, no repeat."""
    assignments = Assignment.objects.filter(purpose=Purpose.ORDINARY).order_by()
    if is_submitted_only:
        assignments = assignments.filter(status=AssignmentStatus.SUBMITTED)
    return assignments if has_informed else assignments.filter(is_informed=False)


def report_rounds(
    user: User | None,
    *,
    campaign: str | None = None,
    number: int | None = None,
    phase: str | None = None,
) -> QuerySet[Round]:
    """Rounds of ratings that the user may look into; `user` None is the command line.

    Raises `Campaign.DoesNotExist` for one that is not there or not the user's to see.
    """
    campaigns = Campaign.objects.all() if user is None else visible_campaigns(user)
    if campaign is not None:
        campaigns = Campaign.objects.filter(pk=campaigns.get(name=campaign).pk)
    rounds = Round.objects.filter(kind=RATINGS, campaign__in=campaigns)
    if number is not None:
        rounds = rounds.filter(number=number)
    return rounds if phase is None else rounds.filter(phase=phase)


def report_dataset(user: User | None, name: str) -> Dataset:
    """A data set by its name. Raises `Dataset.DoesNotExist` like `report_rounds`."""
    datasets = Dataset.objects.all() if user is None else visible_datasets(user)
    return datasets.get(name=name)


def report_inputs(scope: ReportScope) -> Iterator[MetricRatings]:
    """The ratings of each metric, in the order of the rubric, round by round (1 query).

    Each round takes 5 more, and one where its traces were drawn. Ratings stream through, and what
    is held is of one round.
    """
    # A training round gives out none: what is answered there enters no figure between raters.
    given_out = Assignment.objects.filter(
        round=OuterRef("pk"), trace__dataset=scope.dataset, purpose=Purpose.ORDINARY
    )
    rounds = list(
        scope.rounds.filter(Exists(given_out))
        .select_related("campaign", "guideline", "ratings")
        .order_by("campaign__name", "number")
    )
    # Without a round nobody has anything to rate yet, which is said for each metric.
    if not rounds or scope.grouping is Grouping.POOLED:
        yield from _group_inputs(scope, rounds)
    elif scope.grouping is Grouping.GUIDELINE:
        for _, group in groupby(
            sorted(rounds, key=lambda item: item.guideline_id), key=lambda item: item.guideline_id
        ):
            yield from _group_inputs(scope, list(group))
    else:
        for item in rounds:
            yield from _group_inputs(scope, [item])


def _group_inputs(scope: ReportScope, rounds: list[Round]) -> Iterator[MetricRatings]:
    rubric_ = rubric(rounds[-1].ratings.rubric_version) if rounds else current_rubric()
    work = _Work.read(scope, rounds)
    tallies = [
        RatingTally(
            definition,
            unit_count=len(work.units[definition.scope].keys),
            rater_count=work.rater_count,
        )
        for definition in rubric_.metrics
    ]
    for chunk in _chunks(work, rubric_):
        _count(chunk, work, tallies)
    _count_unjudged(work, tallies)
    left_apart = _placeholder_ratings(work)

    def joined(names: Iterable[str]) -> str:
        return ", ".join(dict.fromkeys(names))

    basis = Basis(
        campaign=joined(item.campaign.name for item in rounds),
        rounds=tuple(item.number for item in rounds),
        phase=joined(item.phase for item in rounds),
        guidelines=tuple(dict.fromkeys(item.guideline.name for item in rounds)),
        rubric=rubric_.version,
        seed=rounds[0].seed if len(rounds) == 1 else 0,
        step_words=tuple(dict.fromkeys(item.ratings.step_words for item in rounds)),
    )
    for tally in tallies:
        units = work.units[tally.definition.scope]
        needs_video = tally.definition.needs_video
        yield tally.ratings(
            Units(
                keys=units.keys,
                clusters=units.clusters,
                expected=units.video_expected if needs_video else units.expected,
                is_correction=units.is_correction,
                takes=work.takes,
                is_trace_per_take=work.is_trace_per_take,
            ),
            dataset=scope.dataset.name,
            basis=basis,
            # Ratings of a video that is no longer linked still count.
            is_unit=units.has_video & units.is_due if needs_video else units.is_due,
            placeholder_count=left_apart[tally.definition.metric],
        )


@dataclass(frozen=True, slots=True)
class _Units:
    """All events, or all traces, as arrays (N,): database key, take's place, raters due, video.

    `video_expected` leaves out raters who go without the video: its metrics are not theirs to rate.
    `has_video`: there is one that is no placeholder. `is_due` says whether the unit is to be rated
    in these rounds. `is_correction` is False for traces.
    """

    keys: Integers
    clusters: Integers
    expected: Integers
    video_expected: Integers
    has_video: Flags
    is_due: Flags
    is_correction: Flags

    def places_of(self, keys: Integers) -> Integers:
        """Where the keys stand; the order of the units is the source's, not that of keys."""
        order = np.argsort(self.keys)
        return order[np.searchsorted(self.keys, keys, sorter=order)]

    def events(self, dataset: Dataset) -> "_Units":
        """The events of these traces, each due where its trace is."""
        places = {pk: place for place, pk in enumerate(self.keys.tolist())}
        rows = Event.objects.filter(trace__dataset=dataset).order_by()
        events = sorted(
            (places[trace_id], event_id, pk, kind == EventKind.CORRECTION)
            for pk, event_id, trace_id, kind in rows.values_list(
                "pk", "event_id", "trace_id", "kind"
            )
        )
        of_trace = np.array([place for place, *_ in events], dtype=np.int64)
        return _Units(
            keys=np.array([pk for _, _, pk, _ in events], dtype=np.int64),
            clusters=self.clusters[of_trace],
            expected=self.expected[of_trace],
            video_expected=self.video_expected[of_trace],
            has_video=self.has_video[of_trace],
            is_due=self.is_due[of_trace],
            is_correction=np.array([repairs for *_, repairs in events], dtype=bool),
        )


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be rated, and who has which trace: `assignments` are sorted keys."""

    assignment_rows: QuerySet[Assignment]
    units: dict[Scope, _Units]
    assignments: Integers
    traces: Integers
    raters: Integers
    turns: Integers
    rater_count: int
    takes: tuple[str, ...]
    is_trace_per_take: bool
    has_placeholders: bool

    @classmethod
    def read(cls, scope: ReportScope, rounds: list[Round]) -> "_Work":
        """Read it in 3 queries; units stand in the order of the source's own ids."""
        assignments = scope.assignments(rounds)
        table = _integers(
            assignments.order_by("pk").values_list(
                "pk", "trace_id", "rater_id", "is_without_video", "round_id"
            ),
            5,
        )
        people, raters = np.unique(table[:, 2], return_inverse=True)
        trace_rows = sorted(
            Trace.objects.filter(dataset=scope.dataset)
            .order_by()
            .values_list(
                "uid", "pk", "video_id", "has_placeholders", "take__uid", "take__content_hash"
            )
        )
        traces = np.array([pk for _, pk, *_ in trace_rows], dtype=np.int64)
        # A take may be in two data sets as two rows; by its content it is the same.
        takes, clusters = np.unique(
            np.array([f"{uid}\0{content}" for *_, uid, content in trace_rows], dtype=str),
            return_inverse=True,
        )
        # A person answers a trace once in a round; where rounds are pooled, the last one counts.
        in_turn = sorted(rounds, key=lambda item: (item.opened_at or item.created_at, item.number))
        turn_of = {item.pk: turn for turn, item in enumerate(in_turn)}
        expected = _people_per_trace(table, traces)
        is_due = _in_rounds(traces, rounds) | (expected > 0)
        filmed = [video is not None and not empty for _, _, video, empty, *_ in trace_rows]
        per_trace = _Units(
            keys=traces,
            clusters=clusters.astype(np.int64),
            expected=expected,
            video_expected=_people_per_trace(table[table[:, 3] == 0], traces),
            has_video=np.array(filmed, dtype=bool),
            is_due=is_due,
            is_correction=np.zeros(len(traces), dtype=bool),
        )
        return cls(
            assignment_rows=assignments,
            units={Scope.EVENT: per_trace.events(scope.dataset), Scope.TRACE: per_trace},
            assignments=table[:, 0],
            traces=table[:, 1],
            raters=raters.astype(np.int64),
            turns=np.array([turn_of[key] for key in table[:, 4].tolist()], dtype=np.int64),
            rater_count=len(people),
            takes=tuple(takes.tolist()),
            is_trace_per_take=bool(np.bincount(clusters[is_due]).max(initial=0) <= 1),
            has_placeholders=any(empty for *_, empty, _, _ in trace_rows),
        )


def _in_rounds(traces: Integers, rounds: list[Round]) -> Flags:
    """Which traces are to be rated in one of the rounds; all without rounds."""
    if not rounds or any(item.ratings.has_all_traces for item in rounds):
        return np.ones(len(traces), dtype=bool)
    of_rounds = Trace.objects.filter(rating_rounds__in=[item.pk for item in rounds])
    return np.isin(traces, list(of_rounds.values_list("pk", flat=True)))


def _people_per_trace(table: Integers, traces: Integers) -> Integers:
    """How many people have each trace; who has it in two rounds is one."""
    people = Counter(np.unique(table[:, 1:3], axis=0)[:, 0].tolist())
    return np.array([people[pk] for pk in traces.tolist()], dtype=np.int64)


def _integers(rows: Iterable[tuple[int, ...]], width: int) -> Integers:
    return np.array(list(rows), dtype=np.int64).reshape(-1, width)


def _chunks(work: _Work, rubric_: Rubric) -> Iterator[Integers]:
    """Yield the ratings, (M, 6): metric, value, confidence, implied, event, assignment.

    Event and confidence are 0 where there is none. Metrics and values come as their places in
    the rubric, so that no text is held.
    """
    definitions = rubric_.metrics
    metric = Case(
        *(When(metric=item.metric, then=Value(place)) for place, item in enumerate(definitions)),
        output_field=IntegerField(),
    )
    by_scale = {
        item.values: [other.metric for other in definitions if other.values == item.values]
        for item in definitions
    }
    value = Case(
        *(
            When(metric__in=metrics, value=value, then=Value(place))
            for values, metrics in by_scale.items()
            for place, value in enumerate(values)
        ),
        output_field=IntegerField(),
    )
    rows = (
        Rating.objects.filter(
            assignment__in=work.assignment_rows, metric__in=[item.metric for item in definitions]
        )
        .exclude(value="")
        .exclude(of_placeholders())
        .order_by()
        .values_list(
            metric,
            value,
            Coalesce("confidence", 0),
            Case(When(is_implied=True, then=1), default=0),
            Coalesce("event_id", 0),
            "assignment_id",
        )
    )
    stream = rows.iterator(chunk_size=CHUNK_ROWS)
    while len(chunk := _integers(islice(stream, CHUNK_ROWS), 6)):
        yield chunk


def _placeholder_ratings(work: _Work) -> Counter[str]:
    """How many answers about pictures of placeholders are left apart, by metric."""
    if not work.has_placeholders:
        return Counter()
    rows = Rating.objects.filter(of_placeholders(), assignment__in=work.assignment_rows)
    by_metric = rows.exclude(value="").order_by().values_list("metric")
    return Counter(dict(by_metric.annotate(count=Count("pk"))))


def _count_unjudged(work: _Work, tallies: Sequence[RatingTally]) -> None:
    rows = (
        Rating.objects.filter(assignment__in=work.assignment_rows)
        .exclude(cannot_judge="")
        .exclude(of_placeholders())
        .order_by()
        .values_list("metric", "event_id", "assignment__trace_id")
    )
    keys: dict[str, list[int]] = defaultdict(list)
    for metric, event_id, trace_id in rows:
        keys[metric].append(trace_id if event_id is None else event_id)
    for tally in tallies:
        units = work.units[tally.definition.scope]
        unjudged = np.array(keys[tally.definition.metric], dtype=np.int64)
        if len(unjudged):
            tally.add_unjudged(units.places_of(unjudged))


def _count(chunk: Integers, work: _Work, tallies: Sequence[RatingTally]) -> None:
    places = np.searchsorted(work.assignments, chunk[:, 5])
    for place, tally in enumerate(tallies):
        of_metric = chunk[:, 0] == place
        if not of_metric.any():
            continue
        rows, own = chunk[of_metric], places[of_metric]
        units = work.units[tally.definition.scope]
        keys = work.traces[own] if tally.definition.scope is Scope.TRACE else rows[:, 4]
        tally.add(
            RatingChunk(
                units=units.places_of(keys),
                values=rows[:, 1],
                confidences=rows[:, 2],
                is_implied=rows[:, 3] > 0,
                raters=work.raters[own],
                turns=work.turns[own],
            )
        )
