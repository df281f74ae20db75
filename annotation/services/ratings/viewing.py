"""Keep what raters have watched, as far as it can be true.

The rows are evidence that is added to every few seconds; the audit log, which is for decisions,
has no entry for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.core import signing
from django.db import transaction
from django.utils import timezone

from annotation.engine.ratings.viewing import Limits, WatchedSpan, add_watched
from annotation.models import Assignment, User, Video, Viewing
from annotation.selectors.ratings.assignments import assignments_of
from annotation.selectors.ratings.audit import content_of
from annotation.services.records.locks import lock_work, writing_turn

SALT = "annotation.viewing"
# A page that was open for longer, or a report that waited for longer, says nothing any more.
OLDEST = timedelta(days=30)

Spans = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class ViewingReport:
    """Newly watched stretches of both sides: `opened` is the page's proof of when it was opened.

    `at` is the browser's clock, as `rated_at` is, so that both can be compared.
    """

    opened: str
    content: str
    at: datetime
    reference: Spans
    trace: Spans


def opened_token(public_id: str, user: User) -> str:
    """What proves when `user` was given the page of an own piece of work, consent asked before."""
    return signing.TimestampSigner(salt=SALT).sign(f"{public_id}.{user.pk}")


def page_opened_at(token: str, public_id: str, user: User) -> datetime | None:
    """When the page was opened; None where the token is no proof of that."""
    signer = signing.TimestampSigner(salt=SALT)
    try:
        value = signer.unsign(token, max_age=OLDEST)
    except signing.BadSignature:
        return None
    if value != f"{public_id}.{user.pk}":
        return None
    stamp = token.rsplit(":", 2)[1]
    return datetime.fromtimestamp(signing.b62_decode(stamp), tz=UTC)


def store_viewing(*, public_id: str, reports: Sequence[ViewingReport], actor: User) -> None:
    """Add the reports to what the rater has watched; what cannot be true is left out.

    Reports of another version of the trace, of somebody else's page or of a closed round are
    left out as well. Raises `Assignment.DoesNotExist` for an assignment that is not the actor's.
    """
    opened = {report.opened: page_opened_at(report.opened, public_id, actor) for report in reports}
    proven = [report for report in reports if opened[report.opened] is not None]
    with writing_turn(), transaction.atomic():
        lock_work(Assignment, public_id)
        assignment = (
            assignments_of(actor)
            .select_related("round", "viewing", "trace__video", "trace__take__video")
            .get(public_id=public_id)
        )
        content = content_of(assignment.trace)
        fitting = [report for report in proven if report.content == content]
        if not fitting or assignment.round.is_closed:
            return
        times = [moment for report in fitting if (moment := opened[report.opened]) is not None]
        viewing = _viewing(assignment, content, min(times))
        before = (viewing.reference, viewing.trace, viewing.refused_s)
        now = timezone.now()
        latest = now + timedelta(days=1)
        moments = [min(report.at, latest).timestamp() for report in fitting]
        open_s = (now - viewing.opened_at).total_seconds()
        viewing.reference, refused_reference_s = added_spans(
            viewing.reference,
            zip(moments, (report.reference for report in fitting), strict=True),
            assignment.trace.take.video,
            open_s,
        )
        viewing.trace, refused_trace_s = added_spans(
            viewing.trace,
            zip(moments, (report.trace for report in fitting), strict=True),
            assignment.trace.video,
            open_s,
        )
        viewing.refused_s += round(refused_reference_s + refused_trace_s, 2)
        if viewing.pk is None or before != (viewing.reference, viewing.trace, viewing.refused_s):
            viewing.save()


def _viewing(assignment: Assignment, content: str, opened_at: datetime) -> Viewing:
    viewing: Viewing | None = getattr(assignment, "viewing", None)
    if viewing is None:
        return Viewing(assignment=assignment, content=content, opened_at=opened_at)
    if viewing.content != content:
        # What was watched was another version.
        viewing.content, viewing.opened_at = content, opened_at
        viewing.reference, viewing.trace, viewing.refused_s = [], [], 0.0
    viewing.opened_at = min(viewing.opened_at, opened_at)
    return viewing


def added_spans(
    stored: list[list[float]],
    reported: Iterable[tuple[float, Spans]],
    video: Video | None,
    open_s: float,
) -> tuple[list[list[float]], float]:
    """A recording's spans with those of the reports, and the seconds that were refused."""
    if video is None:
        return stored, 0.0
    spans = tuple(WatchedSpan.from_list(item) for item in stored)
    limits = Limits(video.duration_s, open_s)
    refused_s = 0.0
    for at_s, stretches in reported:
        if stretches:
            spans, more_s = add_watched(spans, stretches, at_s=at_s, limits=limits)
            refused_s += more_s
    return [span.to_list() for span in spans], refused_s
