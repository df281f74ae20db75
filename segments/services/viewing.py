"""Stores which parts of a recording people have watched while they segment it."""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation.models import User
from annotation.services.ratings.viewing import ViewingReport, added_spans, page_opened_at
from annotation.services.records.locks import lock_work, writing_turn
from segments.models import Segmentation, SegmentViewing
from segments.selectors.segmentations import content_of_recording, segmentation_for_person


def store_segment_viewing(*, public_id: str, reports: Sequence[ViewingReport], actor: User) -> None:
    """Add the reports, whose side `trace` is the recording; impossible spans are left out.

    Raises `Segmentation.DoesNotExist` for one that is not the actor's.
    """
    opened = {report.opened: page_opened_at(report.opened, public_id, actor) for report in reports}
    with writing_turn(), transaction.atomic():
        lock_work(Segmentation, public_id)
        own = segmentation_for_person(actor, public_id)
        content = content_of_recording(own.recording)
        fitting = [
            (moment, report)
            for report in reports
            if report.content == content and (moment := opened[report.opened]) is not None
        ]
        if not fitting or own.round.is_closed:
            return
        viewing: SegmentViewing | None = getattr(own, "viewing", None)
        first = min(moment for moment, _ in fitting)
        viewing = viewing or SegmentViewing(segmentation=own, opened_at=first)
        viewing.opened_at = min(viewing.opened_at, first)
        before = (viewing.watched, viewing.refused_s)
        now = timezone.now()
        latest = now + timedelta(days=1)
        viewing.watched, refused_s = added_spans(
            viewing.watched,
            ((min(report.at, latest).timestamp(), report.trace) for _, report in fitting),
            own.recording.recorded.video,
            (now - viewing.opened_at).total_seconds(),
        )
        viewing.refused_s += round(refused_s, 2)
        if viewing.pk is None or before != (viewing.watched, viewing.refused_s):
            viewing.save()
