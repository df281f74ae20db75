"""Bring in ratings that were made elsewhere: all rows of a table or, on any problem, none."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.engine.formats.errors import FormatError, problem
from annotation.engine.rating_table import RatingRow
from annotation.models import (
    AssignmentStatus,
    Dataset,
    Rating,
    RatingEvent,
)
from annotation.services.audit_log import record
from annotation.services.rating_completion import id_batches, submit_complete
from annotation.services.rating_counts import note_changes
from annotation.services.rating_places import NumberedRow, PlacedRow, place_rows
from annotation.services.rating_skeleton import create_skeleton

IMPORT_CLIENT = "import"
BATCH_ROWS = 1000
SKELETON_WARNING = (
    "There was no data set yet, so empty ones were made from the ids in the file: the"
    " ratings can be analysed, but there are no steps or videos to show."
)

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


@transaction.atomic
def import_ratings(
    rows: Sequence[NumberedRow],
    *,
    file: str,
    campaign_name: str | None = None,
    changes_submitted: bool = False,
) -> RatingImportOutcome:
    """Store the rows and return what changed; the same rows again change nothing.

    An answer goes to the campaign in which its rater has the trace under the row's versions of
    guideline and rubric (any rubric where the row tells none), else to `campaign_name` or a
    campaign named after these versions. What a rater has submitted changes only with
    `changes_submitted`. Raises `FormatError` with every row that names something unknown or must
    not be changed, and then nothing is written.
    """
    has_skeleton = bool(rows) and not Dataset.objects.exists()
    if has_skeleton:
        create_skeleton(row for _, row in rows)
    placed, new_raters = place_rows(rows, file=file, campaign_name=campaign_name)
    batches = list(id_batches({item.assignment.pk for item in placed}))
    stored = {
        (rating.assignment_id, rating.event_id, rating.metric): rating
        for ids in batches
        for rating in Rating.objects.filter(assignment__in=ids)
    }
    changed = [item for item in placed if _is_changed(item.row, stored.get(_key(item)))]
    _refuse_frozen(changed, file, changes_submitted=changes_submitted)
    created_count = _write(changed, stored, _last_sequences(batches))
    updated_count = len(changed) - created_count
    touched = {item.assignment.pk: item.assignment for item in changed}
    submitted_count = submit_complete(touched.values())
    campaigns = {item.round.campaign_id: item.round.campaign for item in touched.values()}
    for campaign in campaigns.values():
        record(
            actor=None,
            action="ratings.import",
            subject=f"campaign:{campaign.public_id}",
            detail={"file": file, "created": created_count, "updated": updated_count},
        )
    return RatingImportOutcome(
        created_count=created_count,
        updated_count=updated_count,
        unchanged_count=len(rows) - len(changed),
        new_raters=tuple(new_raters),
        campaigns=tuple(sorted(campaign.name for campaign in campaigns.values())),
        submitted_count=submitted_count,
        warnings=(SKELETON_WARNING,) if has_skeleton else (),
    )


def _key(item: PlacedRow) -> AnswerKey:
    return item.assignment.pk, item.event, item.row.metric


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


def _is_changed(row: RatingRow, rating: Rating | None) -> bool:
    if rating is None:
        return True
    # What was watched for an answer that was given here is known here; a table adds nothing to it.
    is_imported = rating.client_id == IMPORT_CLIENT
    compared = _answer(row) | (_watched(row) if is_imported else {})
    return any(getattr(rating, name) != value for name, value in compared.items())


def _refuse_frozen(changed: Iterable[PlacedRow], file: str, *, changes_submitted: bool) -> None:
    problems = []
    for item in changed:
        if item.assignment.round.is_closed:
            why = f"campaign {item.assignment.round.campaign.name!r} is closed"
        elif item.assignment.status == AssignmentStatus.SUBMITTED and not changes_submitted:
            why = (
                f"{item.row.rater} has submitted this trace"
                " (--change-submitted changes it all the same)"
            )
        else:
            continue
        problems.append(
            problem(
                file=file,
                place=f"row {item.line}",
                field="trace",
                value=item.row.trace,
                expected=f"nothing new, because {why}",
            )
        )
    if problems:
        raise FormatError(problems)


def _write(
    changed: Sequence[PlacedRow], stored: dict[AnswerKey, Rating], sequences: dict[int, int]
) -> int:
    """Write ratings and log rows; how many ratings are new."""
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
        rating.guideline_id = item.assignment.round.guideline_id
        for name, value in (_answer(row) | _watched(row)).items():
            setattr(rating, name, value)
        sequences[assignment_id] += 1
        log.append(
            RatingEvent(
                **place,
                revision=rating.revision,
                client_id=IMPORT_CLIENT,
                client_sequence=sequences[assignment_id],
                guideline_id=item.assignment.round.guideline_id,
                **_answer(row),
            )
        )
    Rating.objects.bulk_create(new, batch_size=BATCH_ROWS)
    if old:
        names = ["revision", "client_id", *_answer(changed[0].row), *_watched(changed[0].row)]
        Rating.objects.bulk_update(old, names, batch_size=100)
    RatingEvent.objects.bulk_create(log, batch_size=BATCH_ROWS)
    return len(new)


def _last_sequences(batches: Iterable[Sequence[int]]) -> defaultdict[int, int]:
    found: defaultdict[int, int] = defaultdict(int)
    for ids in batches:
        rows = RatingEvent.objects.filter(assignment__in=ids, client_id=IMPORT_CLIENT).order_by()
        found.update(rows.values_list("assignment").annotate(last=Max("client_sequence")))
    return found
