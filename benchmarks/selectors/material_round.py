"""Read a round of ratings as material: what raters see of each event, and their answers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.engine.ratings.audit_table import AuditCell, TableRow
from annotation.engine.ratings.gold import accepted_values
from annotation.engine.rubric.rubric import Metric, Rubric, rubric
from annotation.models import (
    Assignment,
    Dataset,
    Event,
    GoldItem,
    Phase,
    Rating,
    Round,
    Trace,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import changeable_campaigns, visible_campaigns
from annotation.selectors.campaigns.rounds import guideline_text
from annotation.selectors.corpus.blinding import campaigns_hidden_now, refuse_while_rating
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.selectors.figures.report import counted_assignments
from annotation.selectors.ratings.audit import preview_page
from benchmarks.engine.tasks.model_as_rater.asking import RatedEvent, RatedRound
from benchmarks.selectors.material import NamedSource, Source, dataset_source, find_dataset

# Separates the public id of a round from that of one of its data sets.
BETWEEN = ":"
_Answers = Mapping[tuple[int, Metric], Mapping[str, str]]
_ROUNDS = Round.objects.filter(kind=RATINGS, opened_at__isnull=False).exclude(phase=Phase.TRAINING)


@dataclass(frozen=True, slots=True)
class RoundPart:
    """What a user may make items from: a round with one of its data sets, under its `source` id."""

    source: str
    campaign: str
    number: int
    phase: str
    is_closed: bool
    dataset: str

    def __str__(self) -> str:
        words = f"{self.campaign}, round {self.number} ({self.phase}): {self.dataset}"
        return words if self.is_closed else f"{words}, still open: to sort its queues"


def round_parts(user: User | None) -> list[RoundPart]:
    """The rounds that the user may make items from, each with one of its visible data sets.

    `user` None is the command line, which may read all.
    """
    rounds = _ROUNDS.filter(assignments__isnull=False)
    if user is not None:
        seen = Q(assignments__trace__dataset__in=visible_datasets(user))
        rounds = _readable(user).filter(seen)
    rows = rounds.order_by("campaign__name", "number", "assignments__trace__dataset").values_list(
        "public_id", "campaign__name", "number", "phase", "closed_at",
        "assignments__trace__dataset__public_id", "assignments__trace__dataset__name",
    ).distinct()  # fmt: skip
    return [
        RoundPart(
            f"{public_id}{BETWEEN}{dataset_id}", campaign, number, phase, bool(closed_at), dataset
        )
        for public_id, campaign, number, phase, closed_at, dataset_id, dataset in rows
    ]


def round_choices(user: User) -> list[tuple[str, str]]:
    """The `round_parts` as choices of a form."""
    return [(part.source, str(part)) for part in round_parts(user)]


@dataclass(frozen=True, slots=True)
class _RatedPart:
    """The traces of one data set in a round, with the assignments whose answers count."""

    round: Round
    dataset: Dataset
    assignments: "QuerySet[Assignment]"

    @property
    def name(self) -> str:
        round_ = self.round
        return f"{round_.campaign.name}, round {round_.number} of {self.dataset.name}"

    @property
    def traces(self) -> "QuerySet[Trace]":
        return Trace.objects.filter(pk__in=self.assignments.values("trace")).order_by("uid")


def _rated_part(user: User | None, public_id: str) -> _RatedPart:
    round_id, _, dataset_id = public_id.partition(BETWEEN)
    rounds = _ROUNDS.all() if user is None else _readable(user)
    round_ = get_object_or_404(
        rounds.select_related("campaign", "guideline", "ratings"), public_id=round_id
    )
    if user is not None:
        refuse_while_rating(user, round_.campaign)
    dataset = find_dataset(user, dataset_id).dataset
    assignments = Assignment.objects.all()
    if round_.is_closed:
        assignments = counted_assignments(is_submitted_only=True, has_informed=False)
    part = _RatedPart(round_, dataset, assignments.filter(round=round_, trace__dataset=dataset))
    if not part.traces.exists():
        raise Http404
    return part


def find_round(user: User | None, public_id: str) -> NamedSource:
    """The data set and the name of a round's part; raises as `round_source`."""
    part = _rated_part(user, public_id)
    return NamedSource(part.dataset, part.name)


def round_source(user: User | None, public_id: str) -> Source:
    """The events of a round in one data set, with people's answers once it is closed.

    `public_id` is "<round>:<data set>". `user` None is the command line. Raises Http404, and for a
    user who rates in the campaign the same error as the pages of its figures.
    """
    part = _rated_part(user, public_id)
    round_, dataset = part.round, part.dataset
    source = dataset_source(user, dataset.public_id)
    rubric_ = rubric(round_.ratings.rubric_version)
    people: _Answers = _answers(part.assignments) if round_.is_closed else {}
    gold = _gold(round_, rubric_, dataset) if round_.is_closed else {}
    videos = ("take__video__ingest", "take__dataset", "video__ingest")
    events = [
        event
        for trace in part.traces.select_related(*videos)
        for event in _rated_events(trace, user, round_, people, gold)
    ]
    rated = RatedRound(rubric_, guideline_text(round_), tuple(events), round_.is_closed)
    material = replace(source.material, name=part.name, extra={"round": rated})
    # Text metrics are rated by the words alone: the items get no pictures.
    return replace(source, material=material, video_ids={})


def _readable(user: User) -> QuerySet[Round]:
    """Closed rounds of visible campaigns and open rounds of the user's, none that they rate in."""
    hidden = campaigns_hidden_now(user).values("pk")
    seen = Q(closed_at__isnull=False, campaign__in=visible_campaigns(user))
    own = Q(campaign__in=changeable_campaigns(user))
    return _ROUNDS.filter(seen | own).exclude(campaign__in=hidden).distinct()


def _answers(assignments: QuerySet) -> _Answers:  # type: ignore[type-arg]
    """People's answers, typed or implied, by event (row id) and metric, and by number of person.

    The number hides who it is, and is the same person throughout.
    """
    raters = sorted(set(assignments.values_list("rater", flat=True)))
    number = {rater: f"P{place}" for place, rater in enumerate(raters, start=1)}
    rows = Rating.objects.filter(assignment__in=assignments, event__isnull=False).exclude(value="")
    answers: dict[tuple[int, Metric], dict[str, str]] = defaultdict(dict)
    for event_id, metric, rater, value in rows.values_list(
        "event_id", "metric", "assignment__rater", "value"
    ):
        answers[event_id, Metric(metric)][number[rater]] = value
    return answers


def _gold(
    round_: Round, rubric_: Rubric, dataset: Dataset
) -> Mapping[tuple[int, Metric], tuple[str, ...]]:
    gold = GoldItem.objects.filter(campaign=round_.campaign, trace__dataset=dataset)
    rows = gold.filter(event__isnull=False, retired_at__isnull=True)
    return {
        (event_id, Metric(metric)): accepted_values(
            rubric_.definition(Metric(metric)), accepted, band
        )
        for event_id, metric, accepted, band in rows.values_list(
            "event_id", "metric", "accepted", "band"
        )
    }


def _rated_events(
    trace: Trace,
    user: User | None,
    round_: Round,
    people: _Answers,
    gold: Mapping[tuple[int, Metric], tuple[str, ...]],
) -> Iterator[RatedEvent]:
    table = preview_page(trace=trace, user=user, round_=round_).table
    sheet = tuple(_line(row) for row in table.rows)
    stored = Event.objects.filter(trace=trace).values_list("index", "pk", "event_id")
    keys = {index: (pk, event_id) for index, pk, event_id in stored}
    metrics = [item.metric for item in rubric(round_.ratings.rubric_version).metrics]
    for event in table.events:
        pk, event_id = keys[event.index]
        yield RatedEvent(
            recording=f"trace:{trace.uid}",
            event_id=event_id,
            name=event.name,
            kind=event.kind,
            corrects=event.target,
            sheet=sheet,
            people={metric: people[pk, metric] for metric in metrics if (pk, metric) in people},
            accepted={metric: gold[pk, metric] for metric in metrics if (pk, metric) in gold},
        )


def _line(row: TableRow) -> tuple[str, str, str]:
    """A row of the sheet as text: reference, what was done, mark."""

    def words(cell: AuditCell | None, note: str) -> str:
        text = "".join(run.text for run in cell.words) if cell else ""
        numbered = f"{cell.number}. {text}" if cell and text else text
        return " ".join(part for part in (numbered, f"({note})" if note else "") if part)

    done = row.trace
    is_missing = done is not None and done.is_missing
    return (
        words(row.reference, row.reference_note),
        words(None if is_missing else done, row.trace_note),
        row.mark_text,
    )
