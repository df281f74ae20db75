"""Stored segments, read for figures, files and new data sets."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath

from django.db.models import F, QuerySet
from django.http import Http404
from django.utils.crypto import salted_hmac

from annotation.engine.exceptions import NotNowError
from annotation.engine.videos.clock import FrameTimes
from annotation.models import Campaign, Round, Step, User
from annotation.selectors.campaigns.campaigns import get_readable_campaign, may_change_campaign
from annotation.selectors.videos.media import frame_times
from segments.engine.model import FIELDS, Segment, order_in_time
from segments.engine.scheme import Scheme, scheme
from segments.models import SEGMENTS, Segmentation, SegmentEvent, SegmentRecording
from segments.models import Segment as SegmentRow
from segments.selectors.rounds import segment_round_of
from segments.selectors.segmentations import media_of
from segments.selectors.sources import FINISHED

CHUNK_ROWS = 10_000
# The client id of gestures that the site logged itself: the segments that a person started with.
SITE = "site"


class MixedSchemesError(NotNowError):
    """Segments of several schemes or guidelines would be pooled; names them."""


def get_readable_segment_round(user: User, public_id: str, number: int) -> Round:
    """A round of segments whose work the user may read.

    Raises Http404, or HiddenWhileRatingError where the user works in the open campaign.
    """
    return segment_round_of(get_readable_campaign(user, public_id, SEGMENTS), number)


def get_publishable_round(user: User, public_id: str, number: int) -> Round:
    """A readable round of a campaign that the user may change; raises Http404 otherwise."""
    round_ = get_readable_segment_round(user, public_id, number)
    if not may_change_campaign(user, round_.campaign):
        raise Http404
    return round_


def scheme_of_round(round_: Round) -> Scheme:
    """The scheme of a round; raises `MixedSchemesError` where its guideline is for another."""
    about, text = round_.segments, round_.guideline.text
    named = text.get("scheme", about.scheme), text.get("scheme_version", about.scheme_version)
    if named != (about.scheme, about.scheme_version):
        raise MixedSchemesError(
            f"Round {round_.number} has the scheme {about.scheme} {about.scheme_version}, and its"
            f" guideline is for {named[0]} {named[1]}: figures of two schemes are never pooled."
        )
    return scheme(about.scheme, about.scheme_version)


def person_code(campaign: Campaign, person_id: int) -> str:
    """An opaque code for a person in files, the same in all rounds of a campaign."""
    digest = salted_hmac("piev.segments.person", f"{campaign.public_id} {person_id}").hexdigest()
    return f"p-{digest[:10]}"


def people_of(round_: Round) -> dict[str, str]:
    """The people with finished segments in a round: user names by code."""
    finished = round_.segmentations.filter(status__in=FINISHED).order_by("person__username")
    rows = finished.values_list("person", "person__username").distinct()
    return {person_code(round_.campaign, pk): name for pk, name in rows}


@dataclass(frozen=True, slots=True)
class ReadRecording:
    """A recording of a round, as figures and files need it.

    `key`, (take, trace), is the same in all rounds; `uid` is the name in files, `media` that of the
    video's file. `steps` are the
    texts of the procedure by id, `scores` a model's scores by segment key. `frame_times` are only
    read where `has_frame_times` is set.
    """

    pk: int
    key: tuple[int, int | None]
    uid: str
    dataset: str
    scenario: str
    duration_s: float | None
    rate: float | None
    steps: Mapping[str, str]
    is_control: bool
    scores: Mapping[str, float]
    frame_times: FrameTimes | None
    media: str


def recordings_of(
    round_: Round, keys: Iterable[int] | None = None, *, has_frame_times: bool = False
) -> dict[int, ReadRecording]:
    """All of a round or those of `keys`, in the order of their uids (2 queries)."""
    chosen = SegmentRecording.objects.filter(round=round_)
    if keys is not None:
        chosen = chosen.filter(pk__in=set(keys))
    rows = list(
        chosen.select_related(
            "take__video__ingest", "take__dataset", "trace__video__ingest", "trace__dataset"
        ).order_by("take__uid", "trace__uid", "pk")
    )
    steps = steps_of_takes({row.take_id for row in rows})
    recordings = {}
    for row in rows:
        shown, media = row.recorded, media_of(row)
        recordings[row.pk] = ReadRecording(
            pk=row.pk,
            key=(row.take_id, row.trace_id),
            uid=shown.uid,
            dataset=shown.dataset.name,
            scenario=row.take.scenario,
            duration_s=media.duration_s,
            rate=media.file_rate,
            steps=steps.get(row.take_id, {}),
            is_control=row.is_control,
            scores=row.proposal_scores,
            frame_times=frame_times(media.video) if has_frame_times and media.video else None,
            media=PurePosixPath(media.video.path).name if media.video else "",
        )
    return recordings


def steps_of_takes(takes: Iterable[int]) -> dict[int, dict[str, str]]:
    """The step texts of takes by step id, each id once, in the order of the procedure.

    Where a take has no ids at all, the places of its steps, counted from 0, stand for them.
    """
    by_take: dict[int, dict[str, str]] = {}
    rows = Step.objects.filter(take__in=set(takes)).order_by("take_id", "index")
    for take, of_one in groupby(
        rows.values_list("take_id", "index", "step_id", "text"), key=lambda row: row[0]
    ):
        steps = list(of_one)
        has_ids = any(step_id for _, _, step_id, _ in steps)
        texts: dict[str, str] = {}
        for _, index, step_id, text in steps:
            name = step_id if has_ids else str(index)
            if name:
                texts.setdefault(name, text)
        by_take[take] = texts
    return by_take


def stream_segments(
    segmentations: QuerySet[Segmentation], *, guideline_id: int | None = None
) -> Iterator[tuple[int, list[Segment]]]:
    """The segments of each segmentation that has any, deleted ones too, by time; streamed.

    With a `guideline_id` raises `MixedSchemesError` where a segment was made under another.
    """
    rows = (
        SegmentRow.objects.filter(segmentation__in=segmentations.order_by().values("pk"))
        .order_by("segmentation_id")
        .values_list("segmentation_id", "guideline_id", *FIELDS)
        .iterator(chunk_size=CHUNK_ROWS)
    )
    for key, of_one in groupby(rows, key=lambda row: row[0]):
        segments = []
        for _, guideline, *values in of_one:
            if guideline_id is not None:
                _refuse_another(guideline, guideline_id)
            segments.append(Segment(*values))
        yield key, sorted(segments, key=order_in_time)


def stream_first_segments(
    segmentations: QuerySet[Segmentation], *, guideline_id: int
) -> Iterator[tuple[int, list[Segment]]]:
    """As `stream_segments`, as they were when first submitted, by the log of gestures."""
    rows = (
        SegmentEvent.objects.filter(
            segmentation__in=segmentations.order_by().values("pk"),
            head__lte=F("segmentation__first_head"),
        )
        .order_by("segmentation_id", "head")
        .values_list("segmentation_id", "guideline_id", "after")
        .iterator(chunk_size=CHUNK_ROWS)
    )
    for key, of_one in groupby(rows, key=lambda row: row[0]):
        last = {after["key"]: (guideline, Segment(**after)) for _, guideline, after in of_one}
        for guideline, _ in last.values():
            _refuse_another(guideline, guideline_id)
        yield key, sorted((segment for _, segment in last.values()), key=order_in_time)


def _refuse_another(guideline: int, expected: int) -> None:
    if guideline != expected:
        raise MixedSchemesError(
            "Segments of this round were made under several versions of the guideline: their"
            " figures are never pooled."
        )
