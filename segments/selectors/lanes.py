"""The tracks of people's segments as plain arrays for the measures."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import F, Q

from annotation.models import Round
from segments.engine.model import Segment
from segments.engine.scheme import UNDEFINED_STEP, Geometry, LabelSource, Track
from segments.measures.figures import Compared, Options
from segments.measures.report import Revision
from segments.measures.spans import UNDEFINED, Codes, Spans
from segments.models import Segmentation
from segments.selectors.reading import (
    ReadRecording,
    recordings_of,
    stream_first_segments,
    stream_segments,
)
from segments.selectors.saving import WORKED_ON
from segments.selectors.sources import FINISHED


@dataclass(frozen=True, slots=True)
class FinishedSegments:
    """One person's finished segments of one recording, without deleted ones, by time.

    They are those after gesture `head`, with the answers given until `until`; None for all.
    """

    segmentation_id: int
    person: str
    recording: ReadRecording
    segments: tuple[Segment, ...]
    head: int | None = None
    until: datetime | None = None

    def has_gesture(self, head: int) -> bool:
        return self.head is None or head <= self.head

    def has_moment(self, at: datetime) -> bool:
        return self.until is None or at <= self.until


Pair = tuple[FinishedSegments, FinishedSegments]


def sides_of_round(round_: Round, revision: Revision = Revision.FIRST) -> list[FinishedSegments]:
    """The finished work of a round, by recording and then by person (5 queries).

    As first submitted it is what each person submitted before anybody reviewed it: work that was
    returned or reopened since stays in it. After a review it is the finished work as it is now.
    """
    is_first = revision is Revision.FIRST
    counts = Q(status__in=FINISHED)
    if is_first:
        counts |= Q(status__in=WORKED_ON, first_submitted_at__isnull=False)
    work = Segmentation.objects.filter(counts, round=round_)
    changed = Q(first_head__lt=F("head"))
    recordings = recordings_of(round_)
    places = {pk: place for place, pk in enumerate(recordings)}
    guideline = round_.guideline_id
    unchanged = work.exclude(changed) if is_first else work
    segments = dict(stream_segments(unchanged, guideline_id=guideline))
    if is_first:
        segments |= stream_first_segments(work.filter(changed), guideline_id=guideline)
    rows = work.order_by("person__username").values_list(
        "pk", "person__username", "recording", "first_head", "first_submitted_at"
    )
    return [
        FinishedSegments(
            pk,
            person,
            recordings[recording],
            present(segments.get(pk, [])),
            *((head, until) if is_first else ()),
        )
        for pk, person, recording, head, until in sorted(rows, key=lambda row: places[row[2]])
    ]


def present(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    return tuple(segment for segment in segments if not segment.is_deleted)


@dataclass(frozen=True, slots=True)
class Lane:
    """One side's segments of one track; `mistakes` and `texts` are in the order of the spans."""

    spans: Spans
    mistakes: Codes
    texts: tuple[str, ...]
    missing: frozenset[int]


class Lanes:
    """Reads one track of any number of sides; a label has the same number on all of them.

    Steps are numbered by scenario, because step 3 of one procedure is not step 3 of another.
    """

    def __init__(self, track: Track) -> None:
        self.track = track
        self.has_mistakes = track.source is LabelSource.STEPS and bool(track.labels)
        self.codes: dict[tuple[str, str], int] = {}
        self.mistakes = {label.name: place for place, label in enumerate(track.labels)}

    def read(self, side: FinishedSegments, *, with_flagged: bool = False) -> Lane:
        times = {item.key: (item.start_s, item.end_s) for item in side.segments}
        timed, missing = [], set()
        for item in side.segments:
            if item.track != self.track.name or (item.is_flagged and not with_flagged):
                continue
            start_s, end_s = item.start_s, item.end_s
            if start_s is None:
                # It lasts as long as the segment that it belongs to.
                start_s, end_s = times.get(item.parent_key, (None, None))
            if start_s is not None and end_s is not None:
                timed.append((start_s, end_s, item))
            elif item.is_missing:
                missing.add(self.code(side, item))
        timed.sort(key=lambda row: row[:2])
        return Lane(
            Spans.of(
                [start_s for start_s, _, _ in timed],
                [end_s for _, end_s, _ in timed],
                [self.code(side, item) for _, _, item in timed],
            ),
            np.array([self._mistake(item) for _, _, item in timed], dtype=np.int64),
            tuple(item.text for _, _, item in timed),
            frozenset(missing - {UNDEFINED}),
        )

    def code(self, side: FinishedSegments, item: Segment) -> int:
        if self.track.source is LabelSource.STEPS:
            name, scenario = item.step_id, side.recording.scenario
            if name in ("", UNDEFINED_STEP):
                return UNDEFINED
        else:
            name, scenario = item.label or self.track.name, ""
        return self.codes.setdefault((scenario, name), len(self.codes))

    def _mistake(self, item: Segment) -> int:
        if not self.has_mistakes or not item.label:
            return UNDEFINED
        return self.mistakes.setdefault(item.label, len(self.mistakes))

    def undefined_of(self, side: FinishedSegments) -> int:
        return sum(
            item.track == self.track.name and self.code(side, item) == UNDEFINED
            for item in side.segments
        )

    def slots_of(self, mistake: int, text: str) -> dict[str, str] | None:
        name = next((name for name, code in self.mistakes.items() if code == mistake), "")
        label = self.track.label(name)
        for template in label.templates if label else ():
            if (values := template.values(text)) is not None:
                return values
        return None

    def compared(self, pairs: Iterable[Pair]) -> list[Compared]:
        rows = [(side.recording, self.read(first), self.read(side)) for first, side in pairs]
        possible: dict[str, list[int]] = defaultdict(list)
        for (scenario, _), code in self.codes.items():
            possible[scenario].append(code)
        recordings = []
        for recording, first, second in rows:
            ends = np.concatenate([first.spans.ends_s, second.spans.ends_s])
            scenario = recording.scenario if self.track.source is LabelSource.STEPS else ""
            recordings.append(
                Compared(
                    first.spans,
                    second.spans,
                    recording.duration_s or float(ends.max(initial=0.0)),
                    mistakes=(first.mistakes, second.mistakes) if self.has_mistakes else None,
                    recording=str(recording.key),
                    texts=(first.texts, second.texts),
                    missing=(first.missing, second.missing),
                    possible=np.array(possible[scenario], dtype=np.int64),
                    slots_of=self.slots_of,
                )
            )
        return recordings

    def options(self, round_: Round) -> Options:
        return Options(
            np.random.default_rng(round_.seed),
            class_count=len(self.codes) or None,
            mistake_count=len(self.mistakes) if self.has_mistakes else 0,
            may_overlap=self.track.geometry is Geometry.FREE,
        )
