"""Where imported ratings belong: the events and assignments that the rows of a table name."""

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, Max
from django.utils import timezone

from annotation.engine.formats.errors import FormatError, problem
from annotation.engine.rating_columns import whole_number
from annotation.engine.rating_table import RatingRow, RatingTable, find_repeats
from annotation.engine.rubric import IMPORTED_VERSION
from annotation.models import (
    Assignment,
    Campaign,
    CampaignRater,
    Dataset,
    Event,
    GuidelineVersion,
    Phase,
    RatingRound,
    Role,
    Round,
    RoundRater,
    Trace,
    User,
)
from annotation.selectors.rounds import latest_round

IMPORTED_CAMPAIGN = "Imported ratings (guideline {})"
IMPORTED_CAMPAIGN_OF_RUBRIC = "Imported ratings (guideline {}, rubric {})"
BATCH_ROWS = 1000

NumberedRow = tuple[int, RatingRow]
# The trace, its rater, and the versions of guideline and rubric; the rubric is empty if not known.
PlaceKey = tuple[int, int, str, str]


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """One row of a table, and where its answer belongs."""

    line: int
    row: RatingRow
    assignment: Assignment
    event: int | None


def place_rows(
    rows: Sequence[NumberedRow], *, file: str, campaign_name: str | None
) -> tuple[list[PlacedRow], list[str]]:
    """The rows with their places, and the names of raters who got an account.

    Makes the accounts, campaigns and assignments that are missing. Raises `FormatError` with every
    row that names an unknown data set, trace, take or event.
    """
    names = {row.dataset for _, row in rows}
    datasets = dict(Dataset.objects.filter(name__in=names).values_list("pk", "name"))
    found = Trace.objects.filter(dataset__in=datasets).select_related("take")
    traces = {(datasets[trace.dataset_id], trace.uid): trace for trace in found}
    events: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for trace_id, event_id, event in Event.objects.filter(trace__dataset__in=datasets).values_list(
        "trace_id", "event_id", "pk"
    ):
        events[trace_id][event_id] = event
    rows = _with_known_ids(rows, traces, events)
    problems = [
        problem(file=file, place=f"row {line}", field=name, value=value, expected=expected)
        for line, row in rows
        for name, value, expected in _unknown(row, set(datasets.values()), traces, events)
    ]
    # The same answer may stand there in two spellings.
    problems = problems or find_repeats([RatingTable(file, tuple(rows))])
    if problems:
        raise FormatError(problems)
    raters, new_raters = _raters({row.rater for _, row in rows})
    wanted: dict[PlaceKey, RatingRow] = {}
    keys = []
    for _, row in rows:
        trace = traces[row.dataset, row.trace]
        key = (trace.pk, raters[row.rater].pk, row.guideline_version, row.rubric_version)
        wanted.setdefault(key, row)
        keys.append(key)
    assignments = _assignments(wanted, traces.values(), file=file, campaign_name=campaign_name)
    placed = [
        PlacedRow(line, row, assignments[key], events[key[0]][row.event] if row.event else None)
        for (line, row), key in zip(rows, keys, strict=True)
    ]
    return placed, new_raters


def _with_known_ids(
    rows: Sequence[NumberedRow],
    traces: dict[tuple[str, str], Trace],
    events: dict[int, dict[str, int]],
) -> list[NumberedRow]:
    """The rows with events and guideline versions in the spelling that is known here.

    A program that took an id for a number wrote "3.0" for "3".
    """
    versions = set(GuidelineVersion.objects.values_list("name", flat=True))

    def as_known(text: str, known: Container[str]) -> str:
        number = whole_number(text)
        return text if text in known or number is None or str(number) not in known else str(number)

    def known(row: RatingRow) -> RatingRow:
        trace = traces.get((row.dataset, row.trace))
        event = row.event if trace is None else as_known(row.event, events[trace.pk])
        version = as_known(row.guideline_version, versions)
        if (event, version) == (row.event, row.guideline_version):
            return row
        return replace(row, event=event, guideline_version=version)

    return [(line, known(row)) for line, row in rows]


def _unknown(
    row: RatingRow,
    datasets: set[str],
    traces: dict[tuple[str, str], Trace],
    events: dict[int, dict[str, int]],
) -> Iterable[tuple[str, str, str]]:
    """Yield the first thing of a row that is not known here: column, value, expectation."""
    trace = traces.get((row.dataset, row.trace))
    if row.dataset not in datasets:
        yield "dataset", row.dataset, "a data set that was imported before"
    elif trace is None:
        yield "trace", row.trace, f"a trace of {row.dataset}"
    elif trace.take.uid != row.take:
        yield "take", row.take, f"{trace.take.uid!r}, the take of trace {row.trace!r}"
    elif row.event and row.event not in events[trace.pk]:
        yield "event", row.event, f"an event of trace {row.trace!r}"
    elif not row.guideline_version:
        yield "guideline_version", "", "a version"
    elif row.rated_at is None:
        yield "rated_at", "", "a time"


def _raters(names: set[str]) -> tuple[dict[str, User], list[str]]:
    """The accounts by user name, and the names of those that were made."""
    raters: dict[str, User] = dict(User.objects.in_bulk(sorted(names), field_name="username"))
    new = sorted(names - set(raters))
    for name in new:
        raters[name] = User(username=name, role=Role.ANNOTATOR)
        raters[name].set_unusable_password()
        raters[name].save()
    return raters, new


def _assignments(
    wanted: dict[PlaceKey, RatingRow],
    traces: Iterable[Trace],
    *,
    file: str,
    campaign_name: str | None,
) -> dict[PlaceKey, Assignment]:
    """Each rater's assignment of each trace; those that are missing are made."""
    held = Assignment.objects.filter(
        trace__dataset__name__in={row.dataset for row in wanted.values()}
    ).select_related("round__campaign", "round__guideline", "round__ratings", "trace")
    if campaign_name is not None:
        held = held.filter(round__campaign__name=campaign_name)
    assignments: dict[PlaceKey, Assignment] = {}
    # The oldest round wins, so that the same file always finds the same place.
    for assignment in held.order_by("-round__created_at", "-round_id"):
        made = assignment.round
        for rubric_version in (made.ratings.rubric_version, ""):
            key = (
                assignment.trace_id, assignment.rater_id, made.guideline.name, rubric_version,
            )  # fmt: skip
            if key in wanted:
                assignments[key] = assignment
    missing: dict[tuple[str, str], list[PlaceKey]] = defaultdict(list)
    for key in wanted:
        if key not in assignments:
            missing[key[2:]].append(key)
    by_id = {trace.pk: trace for trace in traces}
    for versions, keys in sorted(missing.items()):
        made = _round(*versions, file=file, name=campaign_name)
        for key, assignment in _new_assignments(made, keys, wanted, by_id).items():
            assignments[key] = assignment
    return assignments


def _round(guideline: str, rubric: str, *, file: str, name: str | None) -> Round:
    """The round for answers under these versions; a campaign of other ones is refused."""
    if name is None and rubric in {"", IMPORTED_VERSION}:
        name = IMPORTED_CAMPAIGN.format(guideline)
    elif name is None:
        name = IMPORTED_CAMPAIGN_OF_RUBRIC.format(guideline, rubric)
    campaign, _ = Campaign.objects.get_or_create(name=name, defaults={"state": Phase.MAIN})
    made = latest_round(campaign)
    if made is None:
        now = timezone.now()
        # Of a version that a table names only its name is known.
        named = GuidelineVersion.objects.create(
            campaign=campaign, number=1, name=guideline, frozen_at=now
        )
        made = Round.objects.create(
            campaign=campaign, number=1, guideline=named, overlap=1, opened_at=now
        )
        RatingRound.objects.create(round=made, rubric_version=rubric or IMPORTED_VERSION)
    for field, version, known in (
        ("guideline_version", guideline, made.guideline.name),
        ("rubric_version", rubric, made.ratings.rubric_version),
    ):
        if version not in {"", known}:
            expected = f"{known!r}, the version of campaign {name!r}"
            raise FormatError(
                [problem(file=file, place="", field=field, value=version, expected=expected)]
            )
    return made


def _new_assignments(
    made: Round,
    keys: Sequence[PlaceKey],
    wanted: dict[PlaceKey, RatingRow],
    traces: dict[int, Trace],
) -> dict[PlaceKey, Assignment]:
    raters = sorted({rater for _, rater, *_ in keys})
    CampaignRater.objects.bulk_create(
        (CampaignRater(campaign=made.campaign, rater_id=rater) for rater in raters),
        ignore_conflicts=True,
    )
    RoundRater.objects.bulk_create(
        (RoundRater(round=made, rater_id=rater) for rater in raters), ignore_conflicts=True
    )
    made.campaign.datasets.add(*{traces[key[0]].dataset_id for key in keys})
    made.ratings.traces.add(*{key[0] for key in keys})
    given = Assignment.objects.filter(round=made).order_by()
    ends = dict(given.values_list("rater").annotate(end=Max("position")))
    new = {}
    for key in sorted(keys, key=lambda key: (key[1], wanted[key].dataset, wanted[key].trace)):
        trace, rater, *_ = key
        ends[rater] = ends.get(rater, -1) + 1
        new[key] = Assignment(
            round=made,
            rater_id=rater,
            trace=traces[trace],
            position=ends[rater],
            started_at=wanted[key].rated_at,
            is_informed=wanted[key].informed,
        )
    Assignment.objects.bulk_create(new.values(), batch_size=BATCH_ROWS)
    # The overlap of a round is what the tables brought, so that it tells the truth.
    counts = given.values("trace").annotate(raters=Count("pk")).values_list("raters", flat=True)
    if max(counts) > made.overlap:
        made.overlap = max(counts)
        made.save(update_fields=["overlap"])
    return new
