"""What an uploaded clip has to be, and how one that does not quite fit is adapted."""

from dataclasses import dataclass
from fractions import Fraction

# A clip may be as short as this share of the needed length; the video then gets shorter.
SHORTEST_SHARE = 0.5
# A picture that is enlarged more than four times shows its pixels.
LEAST_SIDE_SHARE = Fraction(1, 4)
# Cropping less than this share is not worth a note.
NOTED_CROP = 0.02
NOTED_LENGTH_S = 0.1


@dataclass(frozen=True, slots=True)
class ClipFrame:
    """A picture in pixels, upright and with square pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


def shortest_s(wanted_s: float) -> float:
    """The minimum length of an uploaded clip, in seconds."""
    return wanted_s * SHORTEST_SHARE


def least_frame(recording: ClipFrame) -> ClipFrame:
    """The smallest picture that can be enlarged to the recording's.

    >>> str(least_frame(ClipFrame(1920, 1080)))
    '480x270'
    """
    return ClipFrame(
        -(-recording.width * LEAST_SIDE_SHARE.numerator // LEAST_SIDE_SHARE.denominator),
        -(-recording.height * LEAST_SIDE_SHARE.numerator // LEAST_SIDE_SHARE.denominator),
    )


def upload_fault(
    *, length_s: float, frame: ClipFrame, wanted_s: float, recording: ClipFrame
) -> str:
    """Why an upload cannot be used, and what was expected; empty if it can."""
    if length_s < shortest_s(wanted_s):
        return (
            f"it lasts {length_s:.2f} s; expected {wanted_s:.2f} s,"
            f" at least {shortest_s(wanted_s):.2f} s"
        )
    least = least_frame(recording)
    if frame.width < least.width or frame.height < least.height:
        return f"its picture has {frame}; expected {recording}, at least {least}"
    return ""


def upload_notes(
    *, length_s: float, frame: ClipFrame, wanted_s: float, recording: ClipFrame
) -> tuple[str, ...]:
    """How an upload that does not quite fit is adapted."""
    notes = []
    if length_s > wanted_s + NOTED_LENGTH_S:
        notes.append(f"Of its {length_s:.1f} s the first {wanted_s:.1f} s are used.")
    elif length_s < wanted_s - NOTED_LENGTH_S:
        notes.append(
            f"It lasts {length_s:.1f} s instead of {wanted_s:.1f} s;"
            " the video gets shorter by the difference."
        )
    share = cropped_share(frame, recording)
    if share > NOTED_CROP:
        notes.append(
            f"Its picture ({frame}) has another shape than the recording's ({recording}):"
            f" {share:.0%} of it is cropped, evenly on both sides."
        )
    return tuple(notes)


def cropped_share(frame: ClipFrame, recording: ClipFrame) -> float:
    """The share of a picture that is cropped so that it fills the recording's.

    >>> cropped_share(ClipFrame(1000, 1000), ClipFrame(1280, 720))
    0.4375
    """
    wanted = Fraction(recording.width, recording.height)
    width = min(Fraction(frame.width), frame.height * wanted)
    height = min(Fraction(frame.height), frame.width / wanted)
    return float(1 - width * height / (frame.width * frame.height))
