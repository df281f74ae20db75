"""Onsets of deviations that people marked, in closed rounds of the scheme `onset`."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from django.db.models import Q

from annotation.models import Dataset, Round, User
from annotation.selectors.campaigns.campaigns import visible_campaigns
from benchmarks.engine.material import MarkedOnset
from segments.models import Segmentation, SegmentationStatus
from segments.schemes.onset import TOLERANCE_S
from segments.schemes.onset import VERSIONS as ONSET_SCHEMES
from segments.selectors.reading import stream_segments

# A recording by the ids of its take and its trace, as rounds of segments know it.
Key = tuple[int, int | None]


def marked_onsets(user: User | None, dataset: Dataset) -> dict[Key, tuple[MarkedOnset, ...]]:
    """The onsets in each recording of a data set that the latest closed round on it marked.

    `user` None is the command line; others get those of campaigns that they may look into. A
    recording in which nobody saw a deviation has no onsets, and stands here nevertheless.
    """
    of_trace = Q(recordings__trace__dataset=dataset)
    of_take = Q(recordings__trace__isnull=True, recordings__take__dataset=dataset)
    rounds = Round.objects.filter(
        of_trace | of_take, segments__scheme=ONSET_SCHEMES[0].name, closed_at__isnull=False
    )
    if user is not None:
        rounds = rounds.filter(campaign__in=visible_campaigns(user))
    found: dict[Key, tuple[MarkedOnset, ...]] = {}
    for round_ in rounds.order_by("pk").distinct():
        found |= _onsets_of_round(round_)
    return found


def _onsets_of_round(round_: Round) -> dict[Key, tuple[MarkedOnset, ...]]:
    """Those of accepted work, where there is any, else of all that was submitted."""
    finished = (SegmentationStatus.ACCEPTED, SegmentationStatus.SUBMITTED)
    work = round_.segmentations.filter(status__in=finished).select_related("recording")
    by_recording: dict[Key, list[Segmentation]] = defaultdict(list)
    for own in work.order_by("pk"):
        by_recording[own.recording.take_id, own.recording.trace_id].append(own)
    points = {
        key: [
            MarkedOnset(one.step_id, one.start_s)
            for one in segments
            if not one.is_deleted and not one.is_proposal and one.start_s is not None
        ]
        for key, segments in stream_segments(work)
    }
    found = {}
    for recording, of_one in by_recording.items():
        accepted = [own for own in of_one if own.status == SegmentationStatus.ACCEPTED]
        people = [points.get(own.pk, []) for own in accepted or of_one]
        found[recording] = tuple(agreed_onsets(people))
    return found


def agreed_onsets(people: Sequence[Iterable[MarkedOnset]]) -> list[MarkedOnset]:
    """What more than half of some people marked, at the median of their times, in order of time.

    Points of a step belong together while each is within the scheme's tolerance of the one before.
    """
    by_step: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for person, marks in enumerate(people):
        for mark in marks:
            by_step[mark.step_id].append((mark.time_s, person))
    agreed = []
    for step_id, points in by_step.items():
        groups: list[list[tuple[float, int]]] = []
        for point in sorted(points):
            is_near = groups and point[0] - groups[-1][-1][0] <= TOLERANCE_S
            if is_near:
                groups[-1].append(point)
            else:
                groups.append([point])
        agreed += [
            MarkedOnset(step_id, round(median(time_s for time_s, _ in group), 3))
            for group in groups
            if 2 * len({person for _, person in group}) > len(people)
        ]
    return sorted(agreed, key=lambda mark: (mark.time_s, mark.step_id))
