"""The steps of a new recording as WebVTT captions, which every browser and player shows.

Source: W3C, WebVTT: The Web Video Text Tracks Format, sections 1 and 4.
"""

from generation.engine.splicing.edit_list import EditList, StepLabel

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_WORDS = {
    StepLabel.MISTAKE: "Mistake",
    StepLabel.CORRECTION: "Correction",
    StepLabel.CASCADE: "Follow-up",
}


def webvtt_document(edits: EditList, *, shows_labels: bool = True) -> str:
    """A WebVTT file with one cue per step in the recording, in order of time.

    With `shows_labels` mistakes, corrections and follow-ups are called so; leave them out for
    anybody who is to rate them.
    """
    cues = []
    for step in edits.steps:
        if step.start_s is None or step.end_s is None:
            continue
        # An empty line would end the cue.
        caption = " ".join(step.text.split()).translate(_ESCAPES)
        if shows_labels and step.label in _WORDS:
            caption = f"{_WORDS[step.label]}: {caption}"
        times = f"{timestamp(step.start_s)} --> {timestamp(step.end_s)}"
        cues.append(f"{step.row_index + 1}\n{times}\n{caption}\n")
    return "\n".join(["WEBVTT\n", *cues])


def timestamp(at_s: float) -> str:
    """A moment as WebVTT writes it.

    >>> timestamp(3723.0456)
    '01:02:03.046'
    """
    seconds, milliseconds = divmod(round(at_s * 1000), 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{milliseconds:03d}"
