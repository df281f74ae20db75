"""The segments that people start with: from a data set, a file, or an earlier round.

They never tell where they came from: other people's notes are removed, every segment is at revision
1, deleted ones are left out. Keys stay, so that before and after can be joined.
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
    """A key of 12 random hexadecimal digits, like those of the page for segments that people add.

    So the key does not tell which segments somebody added and which were there before.
    """
    return secrets.token_hex(KEY_BYTES)


def segments_of_steps(steps: Iterable[TimedStep], scheme: Scheme) -> tuple[Segment, ...]:
    """The steps of a recording as segments of the scheme's track of steps.

    The text of a step is kept where the scheme asks questions about it. Raises ValueError where
    the scheme has no such track.
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
    """Segments as the next person gets them, by time.

    `is_proposal`: each has to be accepted or changed. Without `has_words` labels and texts are
    removed for that person to write; steps stay.
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
