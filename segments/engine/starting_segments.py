"""The segments that people find when they begin: of a data set, a file, or an earlier round.

What somebody gets never tells where it came from: notes of others are gone, every segment has its
first revision, deleted ones are left out. Keys stay, for they join before and after.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace

from segments.engine.model import Segment, Segmentation
from segments.engine.scheme import UNDEFINED_STEP, Scheme

KEY_BYTES = 6


@dataclass(frozen=True, slots=True)
class TimedStep:
    """A step of a reference, with its times on this recording's clock."""

    step_id: str
    text: str
    start_s: float
    end_s: float


def new_key() -> str:
    """A key of 12 random hexadecimal digits, as the page gives to what people add.

    So nobody who looks into an answer can tell what somebody added from what was there before.
    """
    return secrets.token_hex(KEY_BYTES)


def segments_of_steps(steps: Iterable[TimedStep], scheme: Scheme) -> tuple[Segment, ...]:
    """The steps of a recording as segments of the scheme's track of steps.

    The text of a step comes along where it is asked about. Raises ValueError where the scheme has
    no such track.
    """
    track = scheme.track_of_steps()
    segments = []
    for step in steps:
        is_undefined = not step.step_id and track.has_undefined
        step_id = UNDEFINED_STEP if is_undefined else step.step_id
        text = step.text if scheme.questions or is_undefined else ""
        segments.append(
            Segment(new_key(), track.name, step.start_s, step.end_s, step_id, text=text)
        )
    return tuple(segments)


def starting_segments(
    segments: Iterable[Segment],
    *,
    is_proposal: bool,
    has_words: bool = True,
    has_notes: bool = False,
    has_missing: bool = True,
) -> tuple[Segment, ...]:
    """Segments as the next person finds them, by time.

    `is_proposal`: each has to be taken over. Without words, labels and texts are for that person
    to give; steps stay.
    """
    starting = []
    for segment in Segmentation({item.key: item for item in segments}):
        if segment.is_missing and not has_missing:
            continue
        clean = replace(segment, is_proposal=is_proposal, revision=1)
        if not has_notes:
            clean = replace(clean, note="", is_flagged=False)
        if not has_words:
            clean = replace(clean, label="", text="")
        starting.append(clean)
    return tuple(starting)
