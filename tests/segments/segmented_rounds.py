"""Rounds of segments in which people have finished their work, as rows of the tables."""

from dataclasses import fields

from django.utils import timezone

from segments.engine.model import Segment as SegmentValue
from segments.models import Segment, SegmentRecording
from tests.factories import SegmentationFactory, StepFactory, TakeFactory, VideoFactory

NAMES = [item.name for item in fields(SegmentValue)]


def make_take(*, dataset=None, scenario="Tea", steps=("a", "b", "c", "d"), duration_s=20.0, **own):
    """Return a take with untimed steps and a video of its own."""
    take = TakeFactory(scenario=scenario, **({"dataset": dataset} if dataset else {}), **own)
    take.video = VideoFactory(dataset=take.dataset, duration_s=duration_s)
    take.video_stem = take.video.stem
    take.save()
    for index, step_id in enumerate(steps):
        StepFactory(take=take, index=index, step_id=step_id, text=f"Do {step_id}")
    return take


def finish(made, take, person, pieces, *, status="submitted", trace=None, **of_recording):
    """Return the segmentation of a take (or trace) that a person finished with these segments."""
    recording, _ = SegmentRecording.objects.get_or_create(
        round=made, take=take, trace=trace, defaults=of_recording
    )
    own = SegmentationFactory(
        recording=recording, person=person, status=status, started_at=timezone.now(),
        submitted_at=timezone.now(), head=len(pieces),
    )  # fmt: skip
    Segment.objects.bulk_create(
        Segment(
            segmentation=own,
            guideline=made.guideline,
            **{name: getattr(item, name) for name in NAMES},
        )
        for item in pieces
    )
    return own


def steps_of(*rows):
    """Return segments of rows (step, start, end) with keys by their places."""
    return [
        SegmentValue(f"k{place}", "steps", start_s, end_s, step_id)
        for place, (step_id, start_s, end_s) in enumerate(rows)
    ]
