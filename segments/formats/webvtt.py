"""WebVTT: a cue for each segment, which browsers and players show as subtitles or chapters.

Times are whole milliseconds. Fields that a cue has no place for are in a NOTE before it. Source:
W3C, WebVTT: The Web Video Text Tracks Format, sections 1 and 4.
"""

import re
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.reading import read_text
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    note_of_moved,
    on_frames,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
    whole_ms,
)

TITLE = "WebVTT"
SUFFIX = ".vtt"
ONE_RECORDING = True
TRACK = "steps"
RECORDING, SEGMENT, UNTIMED = "NOTE piev-recording ", "NOTE piev ", "NOTE piev-untimed "

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_TIME = r"(?:(\d{2,6}):)?([0-5]\d):([0-5]\d)\.(\d{3})"
_TIMES = re.compile(rf"{_TIME}[ \t]+-->[ \t]+{_TIME}(?:[ \t].*)?")


def timestamp(at_s: float) -> str:
    """A moment as WebVTT writes it.

    >>> timestamp(3723.0456)
    '01:02:03.046'
    """
    seconds, milliseconds = divmod(whole_ms(at_s), 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}.{milliseconds:03d}"


def caption_of(segment: Segment, recording: SegmentedRecording) -> str:
    """The label of a segment and its text, or the text of its step."""
    text = segment.text or recording.steps.get(segment.step_id, segment.step_id)
    return ": ".join(part for part in (segment.label, " ".join(text.split())) if part)


def write(file: SegmentFile, settings: Settings) -> Written:
    """A file of one recording; raises ValueError for several."""
    [recording] = file.recordings
    blocks, moved = ["WEBVTT", RECORDING + packed_recording(recording)], 0
    for segment in recording.shown:
        if segment.start_s is None:
            blocks.append(UNTIMED + packed(segment))
            continue
        times = [timestamp(time_s) for time_s in segment.span]
        moved += sum(whole_ms(time_s) / 1000 != time_s for time_s in segment.span)
        if times[0] == times[1]:
            # Players skip a cue without length.
            times[1] = timestamp(whole_ms(segment.span[0]) / 1000 + 0.001)
        # An empty line would end the cue.
        caption = caption_of(segment, recording).translate(_ESCAPES) or "-"
        blocks.append(SEGMENT + packed(segment))
        blocks.append(f"{times[0]} --> {times[1]}\n{caption}")
    return Written("\n\n".join(blocks) + "\n", note_of_moved(moved, "millisecond"))


def read(path: Path, settings: Settings) -> SegmentFile:
    """Cues of other tools become steps with their text and the keys c1, c2 and so on."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    if not re.match(r"WEBVTT(?:[ \t\n]|$)", text):
        raise fault_of_file(path.name, text[:20], "a file that begins with WEBVTT", place="line 1")
    faults = Faults(path.name)
    segments: list[Segment] = []
    remark, about = "", packed_recording(SegmentedRecording(path.stem, ()))
    line = 1
    for block in re.split(r"\n(?=\n)", text):
        place = f"line {line + block.count(chr(10), 0, len(block) - len(block.lstrip(chr(10))))}"
        line += block.count("\n") + 1
        lines = block.strip("\n").split("\n")
        if lines[0].startswith(RECORDING):
            about = lines[0].removeprefix(RECORDING)
        elif lines[0].startswith(UNTIMED):
            packed_segment = lines[0].removeprefix(UNTIMED)
            segments.append(unpacked(packed_segment, place, faults, (None, None)))
            remark = ""
        elif lines[0].startswith(SEGMENT):
            remark = lines[0].removeprefix(SEGMENT)
        elif any("-->" in item for item in lines[:2]):
            segments.append(_cue(lines, remark, len(segments) + 1, (place, faults)))
            remark = ""
    recording = unpacked_recording(about, "line 3", faults, segments)
    faults.raise_if_any()
    return SegmentFile((on_frames(recording),))


def _cue(lines: list[str], remark: str, number: int, at: tuple[str, Faults]) -> Segment:
    place, faults = at
    first = 0 if "-->" in lines[0] else 1
    match = _TIMES.fullmatch(lines[first].strip())
    if match is None:
        expected = "00:00:01.000 --> 00:00:02.000"
        faults.add(place, "times", lines[first], expected)
        return Segment(f"c{number}", TRACK, 0, 0)
    parts = [int(part or 0) for part in match.groups()]
    start_s, end_s = (
        (3_600_000 * hours + 60_000 * minutes + 1000 * seconds + milliseconds) / 1000
        for hours, minutes, seconds, milliseconds in (parts[:4], parts[4:])
    )
    if remark:
        return unpacked(remark, place, faults, (start_s, end_s))
    if end_s < start_s:
        faults.add(place, "end", end_s, f"not before {start_s}")
    text = re.sub(r"<[^>]*>", "", " ".join(lines[first + 1 :]))
    for plain, escaped in (("<", "&lt;"), (">", "&gt;"), ("&", "&amp;")):
        text = text.replace(escaped, plain)
    return Segment(f"c{number}", TRACK, start_s, end_s, text=text)
