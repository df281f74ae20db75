"""The steps of a new recording as WebVTT captions, which every browser and player shows.

Source: W3C, WebVTT: The Web Video Text Tracks Format, sections 1 and 4.
"""

from generation.engine.splicing.edit_list import EditList, StepLabel, StepTime

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_WORDS = {
    StepLabel.MISTAKE: "Mistake",
    StepLabel.CORRECTION: "Correction",
    StepLabel.CASCADE: "Follow-up",
}


def webvtt_document(edits: EditList, *, shows_labels: bool = True) -> str:
    """Return a WebVTT file with one cue per step in the recording, in order of time.

    With `shows_labels` mistakes, corrections and follow-ups are called so; leave them out for
    anybody who is to rate them.
    """
    cues = [
        f"{step.row_index + 1}\n"
        f"{timestamp(step.start_s)} --> {timestamp(step.end_s)}\n"
        f"{_caption(step, shows_labels=shows_labels)}\n"
        for step in edits.steps
        if step.start_s is not None and step.end_s is not None
    ]
    return "\n".join(["WEBVTT\n", *cues])


def timestamp(at_s: float) -> str:
    """Return a moment as WebVTT writes it.

    >>> timestamp(3723.0456)
    '01:02:03.046'
    """
    seconds, milliseconds = divmod(round(at_s * 1000), 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{milliseconds:03d}"


def _caption(step: StepTime, *, shows_labels: bool) -> str:
    # An empty line would end the cue.
    text = " ".join(step.text.split()).translate(_ESCAPES)
    word = _WORDS.get(step.label) if shows_labels else None
    return f"{word}: {text}" if word else text
