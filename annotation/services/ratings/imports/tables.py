"""Bring in ratings that were made elsewhere: all rows of the tables or, on any problem, none."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import ReadingWarning
from annotation.engine.counting import counted
from annotation.engine.ratings.table import RatingRow, RatingTable
from annotation.engine.rubric.rubric import Metric
from annotation.models import AssignmentStatus, Campaign, Rating, RatingEvent, User
from annotation.services.ratings.counts import note_changes, recount_work
from annotation.services.ratings.imports.completion import id_batches, submit_complete
from annotation.services.ratings.imports.places import PlacedRow, place_targets
from annotation.services.ratings.imports.skeleton import create_skeleton
from annotation.services.ratings.imports.targets import find_targets
from annotation.services.records.audit_log import record_campaign

IMPORT_CLIENT = "import"
BATCH_ROWS = 1000
SKELETON_WARNING = (
    "There was no data set yet, so empty ones were made from the ids in the file: the"
    " ratings can be analysed, but there are no steps or videos to show."
)

AnswerKey = tuple[int, int | None, str]


@dataclass(frozen=True, slots=True)
class RatingSource:
    """What one file, or one sheet of it, brought."""

    file: str
    sheet: str
    raters: tuple[str, ...]
    trace_count: int
    rating_count: int

    @classmethod
    def of(cls, table: RatingTable) -> "RatingSource":
        return cls(
            table.file,
            table.sheet,
            tuple(sorted({row.rater for _, row in table.rows})),
            len({(row.dataset, row.trace) for _, row in table.rows}),
            len(table.rows),
        )


@dataclass(frozen=True, slots=True)
class ImportedInto:
    """A campaign that ratings came into, or would; its id says nothing where it is yet to come."""

    public_id: str
    name: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class RatingImportOutcome:
    """What an import did, or would do; files imported before are all `unchanged_count`.

    `submitted_count` is None on a dry run.
    """

    sources: tuple[RatingSource, ...]
    datasets: tuple[str, ...]
    created_count: int
    updated_count: int
    unchanged_count: int
    metrics: Mapping[str, int]
    new_raters: tuple[str, ...]
    campaigns: tuple[ImportedInto, ...]
    submitted_count: int | None
    warnings: tuple[ReadingWarning, ...]

    @property
    def has_changed(self) -> bool:
        return bool(self.created_count or self.updated_count)

    def to_dict(self) -> dict[str, object]:
        return {
            "ratings": sum(item.rating_count for item in self.sources),
            "created": self.created_count,
            "updated": self.updated_count,
            "unchanged": self.unchanged_count,
            "files": [
                {
                    "file": item.file,
                    "sheet": item.sheet,
                    "raters": list(item.raters),
                    "traces": item.trace_count,
                    "ratings": item.rating_count,
                }
                for item in self.sources
            ],
            "datasets": list(self.datasets),
            "metrics": dict(self.metrics),
            "new_raters": list(self.new_raters),
            "campaigns": [{"name": item.name, "is_new": item.is_new} for item in self.campaigns],
            "submitted": self.submitted_count,
            "warnings": [{"where": item.where, "message": item.message} for item in self.warnings],
        }


@transaction.atomic
def import_ratings(
    tables: Sequence[RatingTable],
    *,
    campaign_name: str | None = None,
    changes_submitted: bool = False,
    actor: User | None = None,
    is_dry_run: bool = False,
) -> RatingImportOutcome:
    """Store the rows and return what changed; the same rows again change nothing.

    An answer goes to the round in which its rater has the trace under the row's versions of
    guideline and rubric (any rubric and round where the row tells none), else to a round of
    `campaign_name` or of a campaign named after these versions. What a rater has submitted changes
    only with `changes_submitted`. `actor` sees and changes only what is theirs; None is the command
    line. Raises `FormatError` with every row that names something unknown or must not be changed;
    nothing is written then, nor on a dry run.
    """
    rows = [row for table in tables for _, row in table.rows]
    warnings = [item for table in tables for item in table.warnings]
    if not any(table.is_workbook for table in tables) and create_skeleton(rows, owner=actor):
        warnings.append(ReadingWarning("", SKELETON_WARNING))
    earlier_campaigns = set(Campaign.objects.values_list("pk", flat=True))
    targets, concluded = find_targets(tables, user=actor)
    placed, new_raters = place_targets(targets, campaign_name=campaign_name, actor=actor)
    changed, stored = _differing(placed)
    _refuse_frozen(changed, changes_submitted=changes_submitted)
    created_count = sum(_key(item) not in stored for item in changed)
    counts = Counter(row.metric for row in rows)
    submitted_count = None
    if is_dry_run:
        transaction.set_rollback(True)
    else:
        submitted_count = _store(changed, stored, created_count, tables, actor)
    return RatingImportOutcome(
        sources=tuple(map(RatingSource.of, tables)),
        datasets=tuple(sorted({item.row.dataset for item in targets})),
        created_count=created_count,
        updated_count=len(changed) - created_count,
        unchanged_count=len(rows) - len(changed),
        new_raters=tuple(new_raters),
        metrics={metric: counts[metric] for metric in Metric if metric in counts},
        campaigns=tuple(
            ImportedInto(item.public_id, item.name, item.pk not in earlier_campaigns)
            for item in sorted({item.assignment.round.campaign for item in placed}, key=str)
        ),
        submitted_count=submitted_count,
        warnings=(*warnings, *concluded, *_unknown(placed)),
    )


def _unknown(placed: Sequence[PlacedRow]) -> Iterable[ReadingWarning]:
    """What no file says, and is therefore recorded as unknown."""
    for name, words in (("guideline_version", "guideline version"), ("rated_at", "time")):
        count = sum(not getattr(item.row, name) for item in placed)
        if count:
            yield ReadingWarning(
                "", f"no file says the {words} of {counted(count, 'rating')}: recorded as unknown"
            )


def _key(item: PlacedRow) -> AnswerKey:
    return item.assignment.pk, item.target.event, item.row.metric


def _answer(row: RatingRow) -> dict[str, Any]:
    return {
        "value": row.value,
        "confidence": row.confidence,
        "cannot_judge": "",
        "is_implied": row.implied,
        "rated_at": row.rated_at,
    }


def _watched(row: RatingRow) -> dict[str, float | None]:
    return {
        "reference_watched_s": row.reference_watched_s,
        "trace_watched_s": row.trace_watched_s,
    }


def _differing(placed: Sequence[PlacedRow]) -> tuple[list[PlacedRow], dict[AnswerKey, Rating]]:
    """The rows that differ from what is stored, and what is stored."""
    stored = {
        (rating.assignment_id, rating.event_id, rating.metric): rating
        for ids in id_batches({item.assignment.pk for item in placed})
        for rating in Rating.objects.filter(assignment__in=ids)
    }
    changed = []
    for item in placed:
        row, rating = item.row, stored.get(_key(item))
        compared = _answer(row)
        # For answers given on this site, the site itself knows what was watched.
        if rating is not None and rating.client_id == IMPORT_CLIENT:
            compared |= _watched(row)
        if row.rated_at is None:
            del compared["rated_at"]
        if rating is None or any(getattr(rating, key) != compared[key] for key in compared):
            changed.append(item)
    return changed, stored


def _refuse_frozen(changed: Iterable[PlacedRow], *, changes_submitted: bool) -> None:
    problems = []
    for item in changed:
        round_ = item.assignment.round
        if round_.is_closed:
            why = f"round {round_.number} of campaign {round_.campaign.name!r} is closed"
        elif item.assignment.status == AssignmentStatus.SUBMITTED and not changes_submitted:
            why = (
                f"{item.row.rater} has submitted this trace"
                " (--change-submitted, or its box in the browser, changes it all the same)"
            )
        else:
            continue
        problems.append(item.target.problem("trace", item.row.trace, f"nothing new, because {why}"))
    if problems:
        raise FormatError(problems)


def _store(
    changed: Sequence[PlacedRow],
    stored: dict[AnswerKey, Rating],
    created_count: int,
    tables: Sequence[RatingTable],
    actor: User | None,
) -> int:
    """Write the rows and submit what is complete now; returns how many were submitted."""
    _write(changed, stored)
    touched = {item.assignment.pk: item.assignment for item in changed}
    detail = {
        "file": ", ".join(dict.fromkeys(table.file for table in tables)),
        "created": created_count,
        "updated": len(changed) - created_count,
    }
    submitted_count = submit_complete(touched.values())
    for campaign in {item.round.campaign for item in touched.values()}:
        record_campaign(actor, "ratings.import", campaign, detail)
    return submitted_count


def _write(changed: Sequence[PlacedRow], stored: dict[AnswerKey, Rating]) -> None:
    sequences: defaultdict[int, int] = defaultdict(int)
    for ids in id_batches({item.assignment.pk for item in changed}):
        rows = RatingEvent.objects.filter(assignment__in=ids, client_id=IMPORT_CLIENT).order_by()
        sequences.update(rows.values_list("assignment").annotate(last=Max("client_sequence")))
    note_changes(Counter(item.assignment.pk for item in changed))
    new: list[Rating] = []
    old: list[Rating] = []
    log: list[RatingEvent] = []
    for item in changed:
        row, (assignment_id, event_id, metric) = item.row, _key(item)
        place = {"assignment_id": assignment_id, "event_id": event_id, "metric": metric}
        rating = stored.get(_key(item))
        if rating is None:
            rating = Rating(**place, revision=0)
            new.append(rating)
        else:
            old.append(rating)
        rating.revision += 1
        rating.client_id = IMPORT_CLIENT
        guideline_id = item.assignment.round.guideline_id if row.guideline_version else None
        rating.guideline_id = guideline_id
        for name, value in (_answer(row) | _watched(row)).items():
            setattr(rating, name, value)
        sequences[assignment_id] += 1
        log.append(
            RatingEvent(
                **place,
                revision=rating.revision,
                client_id=IMPORT_CLIENT,
                client_sequence=sequences[assignment_id],
                guideline_id=guideline_id,
                **_answer(row),
            )
        )
    Rating.objects.bulk_create(new, batch_size=BATCH_ROWS)
    if old:
        names = ["revision", "client_id", *_answer(changed[0].row), *_watched(changed[0].row)]
        Rating.objects.bulk_update(old, names, batch_size=100)
    RatingEvent.objects.bulk_create(log, batch_size=BATCH_ROWS)
    recount_work({item.assignment.pk for item in changed})
