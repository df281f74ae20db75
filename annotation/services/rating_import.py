"""Bring in ratings that were made elsewhere: all rows of a table or, on any problem, none."""

from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction
from django.db.models import Count, Max

from annotation.engine.formats.errors import FormatError, Problem, problem
from annotation.engine.rating_table import RatingRow, find_repeats, whole_number
from annotation.engine.rubric import IMPORTED_VERSION
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignRater,
    Dataset,
    Event,
    Rating,
    RatingEvent,
    Role,
    Trace,
    User,
)
from annotation.services.audit_log import record
from annotation.services.rating_completion import id_batches, submit_complete
from annotation.services.rating_counts import note_changes
from annotation.services.rating_skeleton import create_skeleton

IMPORT_CLIENT = "import"
IMPORTED_CAMPAIGN = "Imported ratings (guideline {})"
BATCH_ROWS = 1000
SKELETON_WARNING = (
    "There was no data set yet, so empty ones were made from the ids in the file: the"
    " ratings can be analysed, but there are no steps or videos to show."
)

NumberedRow = tuple[int, RatingRow]
AnswerKey = tuple[int, int | None, str]


@dataclass(frozen=True, slots=True)
class RatingImportOutcome:
    """What an import did; a file that was imported before is all `unchanged_count`."""

    created_count: int
    updated_count: int
    unchanged_count: int
    new_raters: tuple[str, ...]
    campaigns: tuple[str, ...]
    submitted_count: int
    warnings: tuple[str, ...]


@dataclass(slots=True)
class _Import:
    """The working set of one import: ids by the source's own names."""

    file: str
    campaign_name: str | None
    traces: dict[tuple[str, str], Trace] = field(default_factory=dict)
    events: dict[tuple[int, str], int] = field(default_factory=dict)
    raters: dict[str, User] = field(default_factory=dict)
    assignments: dict[tuple[int, int, str], Assignment] = field(default_factory=dict)
    new_raters: list[str] = field(default_factory=list)


@transaction.atomic
def import_ratings(
    rows: Sequence[NumberedRow],
    *,
    file: str,
    actor: User | None = None,
    campaign_name: str | None = None,
    changes_submitted: bool = False,
) -> RatingImportOutcome:
    """Store the rows and return what changed; the same rows again change nothing.

    An answer goes to the campaign in which its rater has the trace under the row's guideline
    version, else to `campaign_name` or a campaign named after that version. What a rater has
    submitted changes only with `changes_submitted`. Raises `FormatError` with every row that names
    something unknown or must not be changed, and then nothing is written.
    """
    work = _Import(file, campaign_name)
    has_skeleton = bool(rows) and not Dataset.objects.exists()
    if has_skeleton:
        create_skeleton(row for _, row in rows)
    rows = _find_corpus(work, rows)
    _find_people(work, rows)
    _find_assignments(work, rows)
    stored = _stored(work)
    changed = [(line, row) for line, row in rows if _is_changed(work, row, stored)]
    _refuse_frozen(work, changed, changes_submitted=changes_submitted)
    created_count, updated_count = _write(work, [row for _, row in changed], stored)
    touched = {_assignment(work, row).pk: _assignment(work, row) for _, row in changed}
    submitted_count = submit_complete(touched.values())
    campaigns = {item.campaign_id: item.campaign for item in touched.values()}
    for campaign in campaigns.values():
        record(
            actor=actor,
            action="ratings.import",
            subject=f"campaign:{campaign.public_id}",
            detail={"file": file, "created": created_count, "updated": updated_count},
        )
    return RatingImportOutcome(
        created_count=created_count,
        updated_count=updated_count,
        unchanged_count=len(rows) - len(changed),
        new_raters=tuple(work.new_raters),
        campaigns=tuple(sorted(campaign.name for campaign in campaigns.values())),
        submitted_count=submitted_count,
        warnings=(SKELETON_WARNING,) if has_skeleton else (),
    )


def _as_known(text: str, known: Container[str]) -> str:
    """Return an id as it is known: a program that took it for a number wrote "3.0" for "3"."""
    number = whole_number(text)
    if text in known or number is None or str(number) not in known:
        return text
    return str(number)


def _with_known_ids(work: _Import, rows: Sequence[NumberedRow]) -> list[NumberedRow]:
    """Return the rows with events and guideline versions in the spelling that is known here."""
    versions = set(Campaign.objects.values_list("guideline_version", flat=True))
    events: defaultdict[int, set[str]] = defaultdict(set)
    for trace, event_id in work.events:
        events[trace].add(event_id)

    def known(row: RatingRow) -> RatingRow:
        trace = work.traces.get((row.dataset, row.trace))
        event = row.event if trace is None else _as_known(row.event, events[trace.pk])
        version = _as_known(row.guideline_version, versions)
        if (event, version) == (row.event, row.guideline_version):
            return row
        return replace(row, event=event, guideline_version=version)

    return [(line, known(row)) for line, row in rows]


def _find_corpus(work: _Import, rows: Sequence[NumberedRow]) -> list[NumberedRow]:
    """Return the rows by the ids of the traces and events they name, or refuse all unknown ones."""
    names = {row.dataset for _, row in rows}
    datasets = dict(Dataset.objects.filter(name__in=names).values_list("pk", "name"))
    traces = Trace.objects.filter(dataset__in=datasets).select_related("take")
    work.traces = {(datasets[trace.dataset_id], trace.uid): trace for trace in traces}
    events = Event.objects.filter(trace__dataset__in=datasets)
    work.events = {
        (trace, event_id): key
        for trace, event_id, key in events.values_list("trace_id", "event_id", "pk")
    }
    known_rows = _with_known_ids(work, rows)
    problems = [
        found
        for line, row in known_rows
        if (found := _unknown(work, line, row, set(datasets.values()))) is not None
    ]
    # The same answer may stand there in two spellings.
    problems = problems or find_repeats(known_rows, work.file)
    if problems:
        raise FormatError(problems)
    return known_rows


def _unknown(work: _Import, line: int, row: RatingRow, datasets: set[str]) -> Problem | None:
    def refuse(name: str, value: str, expected: str) -> Problem:
        return problem(
            file=work.file, place=f"row {line}", field=name, value=value, expected=expected
        )

    if row.dataset not in datasets:
        return refuse("dataset", row.dataset, "a data set that was imported before")
    trace = work.traces.get((row.dataset, row.trace))
    if trace is None:
        return refuse("trace", row.trace, f"a trace of {row.dataset}")
    if trace.take.uid != row.take:
        return refuse("take", row.take, f"{trace.take.uid!r}, the take of trace {row.trace!r}")
    if row.event and (trace.pk, row.event) not in work.events:
        return refuse("event", row.event, f"an event of trace {row.trace!r}")
    return None


def _find_people(work: _Import, rows: Sequence[NumberedRow]) -> None:
    names = {row.rater for _, row in rows}
    known = User.objects.in_bulk(sorted(names), field_name="username")
    work.raters = dict(known)
    for name in sorted(names - set(work.raters)):
        user = User(username=name, role=Role.ANNOTATOR)
        user.set_unusable_password()
        user.save()
        work.raters[name] = user
        work.new_raters.append(name)


def _assignment_key(work: _Import, row: RatingRow) -> tuple[int, int, str]:
    trace = work.traces[row.dataset, row.trace]
    return trace.pk, work.raters[row.rater].pk, row.guideline_version


def _assignment(work: _Import, row: RatingRow) -> Assignment:
    return work.assignments[_assignment_key(work, row)]


def _find_assignments(work: _Import, rows: Sequence[NumberedRow]) -> None:
    """Find each rater's reservation of each trace, and make those that are missing."""
    wanted: dict[tuple[int, int, str], RatingRow] = {}
    for _, row in rows:
        wanted.setdefault(_assignment_key(work, row), row)
    held = Assignment.objects.filter(
        trace__dataset__name__in={row.dataset for _, row in rows}
    ).select_related("campaign", "trace")
    if work.campaign_name is not None:
        held = held.filter(campaign__name=work.campaign_name)
    for assignment in held.order_by("-campaign__created_at", "-campaign_id"):
        key = (
            assignment.trace_id, assignment.rater_id, assignment.campaign.guideline_version,
        )  # fmt: skip
        # The oldest campaign wins, so that the same file always finds the same place.
        if key in wanted:
            work.assignments[key] = assignment
    missing = [key for key in wanted if key not in work.assignments]
    by_version: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for key in missing:
        by_version[key[2]].append(key)
    for version, keys in sorted(by_version.items()):
        _create_assignments(work, _campaign(work, version), keys, wanted)


def _campaign(work: _Import, version: str) -> Campaign:
    name = work.campaign_name or IMPORTED_CAMPAIGN.format(version)
    campaign, _ = Campaign.objects.get_or_create(
        name=name,
        defaults={"guideline_version": version, "rubric_version": IMPORTED_VERSION},
    )
    if campaign.guideline_version != version:
        raise FormatError(
            [
                problem(
                    file=work.file,
                    place="",
                    field="guideline_version",
                    value=version,
                    expected=f"{campaign.guideline_version!r}, the version of campaign {name!r}",
                )
            ]
        )
    return campaign


def _create_assignments(
    work: _Import,
    campaign: Campaign,
    keys: Sequence[tuple[int, int, str]],
    wanted: dict[tuple[int, int, str], RatingRow],
) -> None:
    raters = sorted({rater for _, rater, _ in keys})
    CampaignRater.objects.bulk_create(
        (CampaignRater(campaign=campaign, rater_id=rater) for rater in raters),
        ignore_conflicts=True,
    )
    traces = {trace.pk: trace for trace in work.traces.values()}
    campaign.datasets.add(*{traces[trace].dataset_id for trace, _, _ in keys})
    ends = dict(
        Assignment.objects.filter(campaign=campaign)
        .order_by()
        .values_list("rater")
        .annotate(end=Max("position"))
    )
    new = []
    for key in sorted(keys, key=lambda key: (key[1], wanted[key].dataset, wanted[key].trace)):
        trace, rater, _ = key
        ends[rater] = ends.get(rater, -1) + 1
        new.append(
            Assignment(
                campaign=campaign,
                rater_id=rater,
                trace=traces[trace],
                position=ends[rater],
                started_at=wanted[key].rated_at,
                is_informed=wanted[key].is_informed,
            )
        )
    for assignment in Assignment.objects.bulk_create(new, batch_size=BATCH_ROWS):
        key = (assignment.trace_id, assignment.rater_id, campaign.guideline_version)
        work.assignments[key] = assignment
    _widen_overlap(campaign)


def _widen_overlap(campaign: Campaign) -> None:
    """Let the overlap of a campaign be what the tables brought, so that it tells the truth."""
    counts = Assignment.objects.filter(campaign=campaign).order_by().values("trace")
    highest = max(counts.annotate(raters=Count("pk")).values_list("raters", flat=True))
    if highest > campaign.overlap:
        campaign.overlap = highest
        campaign.save(update_fields=["overlap"])


def _stored(work: _Import) -> dict[AnswerKey, Rating]:
    return {
        (item.assignment_id, item.event_id, item.metric): item
        for ids in id_batches(item.pk for item in work.assignments.values())
        for item in Rating.objects.filter(assignment__in=ids)
    }


def _answer_key(work: _Import, row: RatingRow) -> AnswerKey:
    trace = work.traces[row.dataset, row.trace]
    event_id = work.events[trace.pk, row.event] if row.event else None
    return _assignment(work, row).pk, event_id, row.metric


def _columns(row: RatingRow) -> dict[str, Any]:
    return {
        "value": row.value,
        "confidence": row.confidence,
        "cannot_judge": "",
        "is_implied": row.is_implied,
        "rated_at": row.rated_at,
    }


def _watched(row: RatingRow) -> dict[str, float | None]:
    return {
        "reference_watched_s": row.reference_watched_s,
        "trace_watched_s": row.trace_watched_s,
    }


def _is_changed(work: _Import, row: RatingRow, stored: dict[AnswerKey, Rating]) -> bool:
    rating = stored.get(_answer_key(work, row))
    if rating is None:
        return True
    # What was watched for an answer that was given here is known here; a table adds nothing to it.
    is_imported = rating.client_id == IMPORT_CLIENT
    compared = _columns(row) | (_watched(row) if is_imported else {})
    return any(getattr(rating, name) != value for name, value in compared.items())


def _refuse_frozen(
    work: _Import, changed: Sequence[NumberedRow], *, changes_submitted: bool
) -> None:
    problems = []
    for line, row in changed:
        assignment = _assignment(work, row)
        why = ""
        if assignment.campaign.is_closed:
            why = f"campaign {assignment.campaign.name!r} is closed"
        elif assignment.status == AssignmentStatus.SUBMITTED and not changes_submitted:
            why = (
                f"{row.rater} has submitted this trace (--change-submitted changes it all the same)"
            )
        if why:
            problems.append(
                problem(
                    file=work.file,
                    place=f"row {line}",
                    field="trace",
                    value=row.trace,
                    expected=f"nothing new, because {why}",
                )
            )
    if problems:
        raise FormatError(problems)


def _write(
    work: _Import, rows: Sequence[RatingRow], stored: dict[AnswerKey, Rating]
) -> tuple[int, int]:
    """Write ratings and log rows; return how many ratings are new and how many differ now."""
    note_changes(Counter(_assignment(work, row).pk for row in rows))
    sequences = _last_sequences(work)
    new: list[Rating] = []
    old: list[Rating] = []
    log: list[RatingEvent] = []
    for row in rows:
        assignment_id, event_id, metric = key = _answer_key(work, row)
        rating = stored.get(key)
        (new if rating is None else old).append(
            rating := rating
            or Rating(assignment_id=assignment_id, event_id=event_id, metric=metric, revision=0)
        )
        rating.revision += 1
        rating.client_id = IMPORT_CLIENT
        rating.guideline_version = row.guideline_version
        for name, value in (_columns(row) | _watched(row)).items():
            setattr(rating, name, value)
        sequences[assignment_id] += 1
        log.append(
            RatingEvent(
                assignment_id=assignment_id,
                event_id=event_id,
                metric=metric,
                revision=rating.revision,
                client_id=IMPORT_CLIENT,
                client_sequence=sequences[assignment_id],
                guideline_version=row.guideline_version,
                **_columns(row),
            )
        )
    Rating.objects.bulk_create(new, batch_size=BATCH_ROWS)
    if old:
        changed = ["revision", "client_id", *_columns(rows[0]), *_watched(rows[0])]
        Rating.objects.bulk_update(old, changed, batch_size=100)
    RatingEvent.objects.bulk_create(log, batch_size=BATCH_ROWS)
    return len(new), len(old)


def _last_sequences(work: _Import) -> defaultdict[int, int]:
    found: defaultdict[int, int] = defaultdict(int)
    for ids in id_batches(item.pk for item in work.assignments.values()):
        rows = RatingEvent.objects.filter(assignment__in=ids, client_id=IMPORT_CLIENT).order_by()
        found.update(rows.values_list("assignment").annotate(last=Max("client_sequence")))
    return found
