"""Segmentations for tests, and what a browser would send about them."""

from datetime import UTC, datetime

from django.utils import timezone

from segments.engine.model import Gesture, Segment
from segments.selectors.saving import StandingAnswer
from segments.services.saving import SentCheck, SentGesture, save_checks, save_gestures
from tests.factories import (
    SegmentationFactory,
    SegmentRecordingFactory,
    SegmentRoundFactory,
    StepFactory,
    TakeFactory,
    VideoFactory,
)

MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)


def piece(key, start_s=None, end_s=None, track="steps", **content):
    """Return a segment as proposals and files have it."""
    return Segment(key, track, start_s, end_s, **content)


def make_segmentation(*, proposals=(), steps=("1", "2", "3"), person=None, **of_round):
    """Return a person's segmentation of a take of ten seconds with these steps."""
    take = TakeFactory()
    take.video = VideoFactory(dataset=take.dataset)
    take.save()
    for index, step_id in enumerate(steps):
        StepFactory(take=take, index=index, step_id=step_id, text=f"Do {step_id}")
    made = SegmentRoundFactory(**of_round).round
    recording = SegmentRecordingFactory(
        round=made, take=take, proposals=[item.to_dict() for item in proposals]
    )
    return SegmentationFactory(recording=recording, **({"person": person} if person else {}))


def sent(sequence, gesture, *, raw_time_s=None):
    """Return what a browser sends of an engine's gesture."""
    return SentGesture(sequence, MADE_AT, gesture_body(gesture, raw_time_s))


def gesture_body(gesture: Gesture, raw_time_s=None):
    changes = []
    for change in gesture.changes:
        before, after = change.before, change.after
        content = {
            name: value
            for name, value in after.to_dict().items()
            if name not in ("key", "revision")
            and (before is None or getattr(before, name) != value)
        }
        verb = "insert" if before is None else "set"
        base = before.revision if before else 0
        changes.append({"key": change.key, "base_revision": base, verb: content})
    return {"name": gesture.name, "changes": changes, "raw_time_s": raw_time_s}


def insert(sequence, key, start_s, end_s, **content):
    changes = [
        {
            "key": key,
            "base_revision": 0,
            "insert": {"track": "steps", "start_s": start_s, "end_s": end_s, **content},
        }
    ]
    return SentGesture(sequence, MADE_AT, {"name": "draw", "changes": changes})


def put(sequence, key, base_revision, name="label", **values):
    changes = [{"key": key, "base_revision": base_revision, "set": values}]
    return SentGesture(sequence, MADE_AT, {"name": name, "changes": changes})


def save(own, *gestures, client_id="tab", actor=None, content=None):
    return save_gestures(
        public_id=own.public_id,
        client_id=client_id,
        gestures=gestures,
        actor=actor or own.person,
        content=content,
    )


def answer(own, *checks, client_id="tab", first=1):
    """Save (key, revision, question, answer) checks under numbers from `first` on."""
    return save_checks(
        public_id=own.public_id,
        client_id=client_id,
        checks=[
            SentCheck(number, MADE_AT, StandingAnswer(*check, note=""))
            for number, check in enumerate(checks, first)
        ],
        actor=own.person,
    )


def close(own):
    own.round.closed_at = timezone.now()
    own.round.save()
