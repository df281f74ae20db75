"""The recordings of a round of segments, and the segments that people start with in each."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from django.core.exceptions import ValidationError

from annotation.engine.limits import between
from annotation.models import Dataset, Round
from segments.engine.model import Segment
from segments.engine.scheme import scheme
from segments.engine.starting_segments import segments_of_steps, starting_segments
from segments.models import PublishedAs, Segmentation, SegmentRecording, SegmentSource, Stage
from segments.selectors.sources import (
    Candidate,
    candidates_of,
    finished_work,
    segmentations_with_a_no,
    segments_by_segmentation,
    steps_of,
    work_by_recording,
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The recordings of the campaign's data sets that a round has.

    Of `datasets` (None: all) the recordings of takes, of traces or both; of each scenario one in
    `one_in`, drawn at random, but at least one. `takes_become` is what recordings of takes are
    published as: one whose take has only a written procedure may contain mistakes.
    """

    datasets: Collection[Dataset] | None = None
    has_takes: bool = True
    has_traces: bool = True
    takes_become: PublishedAs = PublishedAs.REFERENCE
    one_in: int = field(default=1, metadata=between(1, 1000))
    needs_video: bool = True


def begin_with(planned: Round, chosen: Chosen) -> tuple[str, ...]:
    """Give a planned round its recordings; returns sentences on recordings left out.

    Raises `ValidationError` where no recording is left.
    """
    segments = planned.segments
    if segments.source == SegmentSource.ROUND:
        fill(planned, is_opening=False)
        return ()
    datasets = None if chosen.datasets is None else {item.pk for item in chosen.datasets}
    candidates = candidates_of(
        planned.campaign,
        has_takes=chosen.has_takes,
        has_traces=chosen.has_traces,
        datasets=datasets,
    )
    usable = [item for item in candidates if item.has_video or not chosen.needs_video]
    drawn = _drawn(usable, one_in=chosen.one_in, seed=[planned.seed, planned.number])
    if not drawn:
        if not candidates:
            raise ValidationError({"datasets": "These data sets have no such recordings."})
        raise ValidationError(
            {
                "needs_video": f"None of {len(candidates)} recordings has a linked video: link the"
                " videos of the data set, or label without them."
            }
        )
    rows = [
        SegmentRecording(
            round=planned,
            take_id=item.take_id,
            trace_id=item.trace_id,
            published_as=PublishedAs.TRACE if item.trace_id else chosen.takes_become,
        )
        for item in drawn
    ]
    SegmentRecording.objects.bulk_create(rows)
    if segments.source == SegmentSource.STEPS:
        fill(planned, is_opening=False)
    left_out = len(candidates) - len(usable)
    if not left_out:
        return ()
    words = "1 recording" if left_out == 1 else f"{left_out:,} recordings"
    return (f"{words} without a linked video {'was' if left_out == 1 else 'were'} left out.",)


def _drawn(candidates: Sequence[Candidate], *, one_in: int, seed: list[int]) -> list[Candidate]:
    """One in `one_in` of each scenario of each data set, in their order."""
    if one_in == 1:
        return list(candidates)
    rng = np.random.default_rng(seed)
    piles: dict[tuple[str, str], list[int]] = {}
    for place, item in enumerate(candidates):
        piles.setdefault((item.dataset, item.scenario), []).append(place)
    drawn: list[int] = []
    for places in piles.values():
        count = ceil(len(places) / one_in)
        drawn += [int(place) for place in rng.choice(places, count, replace=False)]
    return [candidates[place] for place in sorted(drawn)]


def fill(round_: Round, *, is_opening: bool) -> None:
    """Bring recordings and their segments in line with the source of the round.

    An open round only gets what was finished since. Where segments come from a file, recordings
    without any are removed when the round opens.
    """
    segments = round_.segments
    if segments.source == SegmentSource.FILE and is_opening:
        round_.recordings.filter(proposals=[]).delete()
    if segments.source == SegmentSource.STEPS and round_.opened_at is None:
        _give_steps(round_)
    if segments.source != SegmentSource.ROUND:
        return
    source = segments.source_round
    is_corrected = source is not None and source.segments.stage == Stage.CORRECT
    is_blind = segments.control_count > 0 or is_corrected
    if round_.opened_at is not None and segments.stage == Stage.AUDIT and is_blind:
        # Later recordings would stand out from the mixture of corrected ones and controls.
        return
    if round_.opened_at is None:
        round_.recordings.all().delete()
    existing = set(round_.recordings.values_list("source_segmentation_id", flat=True))
    rows = [row for row in _going_on(round_) if row.source_segmentation_id not in existing]
    # Shuffled, so that their order does not show which are controls.
    rng = np.random.default_rng([round_.seed, round_.number, len(existing)])
    SegmentRecording.objects.bulk_create(rows[int(place)] for place in rng.permutation(len(rows)))
    if is_opening:
        segments.control_count = sum(row.is_control for row in rows)
        segments.save(update_fields=["control_count"])


def _give_steps(planned: Round) -> None:
    segments = planned.segments
    scheme_ = scheme(segments.scheme, segments.scheme_version)
    rows = list(planned.recordings.all())
    timed = steps_of(rows)
    is_proposal = segments.stage == Stage.LABEL
    for row in rows:
        try:
            timed_segments = segments_of_steps(timed[row.pk], scheme_)
        except ValueError as error:
            raise ValidationError({"source": str(error)}) from error
        row.proposals = as_rows(starting_segments(timed_segments, is_proposal=is_proposal))
        row.proposal_source = "steps of the data set"
    without = [row for row in rows if not row.proposals]
    if len(without) == len(rows):
        raise ValidationError({"source": "None of these recordings has steps with times."})
    SegmentRecording.objects.bulk_update(rows, ["proposals", "proposal_source"], batch_size=500)
    if segments.stage == Stage.AUDIT:
        planned.recordings.filter(pk__in=[row.pk for row in without]).delete()


def as_rows(segments: Iterable[Segment]) -> list[dict[str, object]]:
    return [segment.to_dict() for segment in segments]


def _going_on(round_: Round) -> list[SegmentRecording]:
    """An unsaved recording for each piece of work that the round goes on from."""
    segments, source = round_.segments, round_.segments.source_round
    assert source is not None  # noqa: S101 - a constraint of the table
    stage = Stage(segments.stage)
    if stage == Stage.CORRECT:
        audited = list(work_by_recording(source).values())
        doubted = segmentations_with_a_no([row.pk for rows in audited for row in rows])
        return [
            _going_on_from(round_, rows[0], audited_segments(rows[0].recording))
            for rows in audited
            if any(row.pk in doubted for row in rows)
        ]
    if stage == Stage.ADJUDICATE:
        several = [rows for rows in work_by_recording(source).values() if len(rows) > 1]
        return [_going_on_from(round_, rows[0], ()) for rows in several]
    work = finished_work(source)
    contents = segments_by_segmentation([row.pk for row in work])
    is_audit = stage == Stage.AUDIT
    recordings = [
        _going_on_from(
            round_,
            row,
            starting_segments(
                contents[row.pk],
                is_proposal=not is_audit,
                has_words=stage != Stage.LABEL,
                has_notes=stage == Stage.REVIEW,
                has_missing=not is_audit,
            ),
        )
        for row in work
    ]
    if is_audit and source.segments.stage == Stage.CORRECT:
        recordings += _controls(round_, source)
    return recordings


def _controls(round_: Round, correction: Round) -> list[SegmentRecording]:
    """Unchanged recordings without a "no": a "no" about one of them is a false alarm."""
    audit = correction.segments.source_round
    count = round_.segments.control_count
    if audit is None or not count:
        return []
    work = work_by_recording(audit)
    doubted = segmentations_with_a_no([row.pk for rows in work.values() for row in rows])
    clean = [rows[0] for rows in work.values() if not any(row.pk in doubted for row in rows)]
    rng = np.random.default_rng([round_.seed, round_.number])
    drawn = rng.permutation(len(clean))[:count]
    controls = []
    for place in sorted(int(place) for place in drawn):
        control = _going_on_from(round_, clean[place], audited_segments(clean[place].recording))
        control.is_control = True
        controls.append(control)
    return controls


def audited_segments(recording: SegmentRecording) -> tuple[Segment, ...]:
    """The segments of a recording as its auditors saw them."""
    proposals = (Segment(**values) for values in recording.proposals)
    return starting_segments(proposals, is_proposal=False, has_missing=False)


def _going_on_from(
    round_: Round, work: Segmentation, segments: Iterable[Segment]
) -> SegmentRecording:
    before = work.recording
    return SegmentRecording(
        round=round_,
        take_id=before.take_id,
        trace_id=before.trace_id,
        published_as=before.published_as,
        proposals=as_rows(segments),
        proposal_source=before.proposal_source,
        source_segmentation=work,
    )
