"""WebVTT: a cue for each segment, which browsers and players show as subtitles or chapters.

Times are whole milliseconds. Fields that a cue has no place for are in a NOTE before it. Source:
W3C, WebVTT: The Web Video Text Tracks Format, sections 1 and 4.
"""

import re
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.reading import read_text
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    json_of,
    note_of_moved,
    on_frames,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
    whole_ms,
)
from segments.formats.returning import Row, meaning_of_caption, returned, shown_caption

TITLE = "WebVTT"
SUFFIX = ".vtt"
ONE_RECORDING = True
RECORDING, SEGMENT, UNTIMED = "NOTE piev-recording ", "NOTE piev ", "NOTE piev-untimed "

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_TIME = r"(?:(\d{2,6}):)?([0-5]\d):([0-5]\d)\.(\d{3})"
_IDENTIFIER = re.compile(r"[\w.-]+")
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
        caption = shown_caption(segment, recording.steps)["caption"].translate(_ESCAPES)
        blocks.append(SEGMENT + packed(segment))
        # Tools that sort cues or add some leave their identifiers.
        identifier = f"{segment.key}\n" if _IDENTIFIER.fullmatch(segment.key) else ""
        blocks.append(f"{identifier}{times[0]} --> {times[1]}\n{caption}")
    return Written("\n\n".join(blocks) + "\n", note_of_moved(moved, "millisecond"))


def read(path: Path, settings: Settings) -> SegmentFile:
    """Cues of other tools become steps with their text and the keys c1, c2 and so on."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    if not re.match(r"WEBVTT(?:[ \t\n]|$)", text):
        raise fault_of_file(path.name, text[:20], "a file that begins with WEBVTT", place="line 1")
    faults = Faults(path.name)
    about, untimed = "", []
    # Remarks by the keys of their segments; cues with the key of the remark before them.
    remarks: dict[str, str] = {}
    cues: list[tuple[str, list[str], str]] = []
    key, line = "", 1
    for block in re.split(r"\n(?=\n)", text):
        place = f"line {line + block.count(chr(10), 0, len(block) - len(block.lstrip(chr(10))))}"
        line += block.count("\n") + 1
        lines = block.strip("\n").split("\n")
        if lines[0].startswith(RECORDING):
            about = lines[0].removeprefix(RECORDING)
        elif lines[0].startswith(UNTIMED):
            packed_segment = lines[0].removeprefix(UNTIMED)
            untimed.append(unpacked(packed_segment, place, faults, (None, None)))
            key = ""
        elif lines[0].startswith(SEGMENT):
            remark = lines[0].removeprefix(SEGMENT)
            key = str(json_of(remark, place, faults, dict).get("key"))
            remarks[key] = remark
        elif any("-->" in item for item in lines[:2]):
            cues.append((place, lines, key))
            key = ""
    identifiers = {lines[0].strip() for _, lines, _ in cues}
    rows = []
    for number, (place, lines, before) in enumerate(cues, start=1):
        # A cue that was put between a remark and its cue has another identifier, or none.
        key = lines[0].strip() if lines[0].strip() in remarks else before
        is_its_own = key == lines[0].strip() or key not in identifiers
        remark = remarks.get(key, "") if is_its_own else ""
        rows.append(_row(place, lines, remark, f"c{number}", faults))
    about = about or packed_recording(SegmentedRecording(path.stem, ()))
    recording, notes = returned(
        unpacked_recording(about, "line 3", faults),
        rows,
        untimed,
        shown_of=shown_caption,
        meaning_of=meaning_of_caption,
    )
    faults.raise_if_any()
    return SegmentFile((on_frames(recording),), notes=notes)


def _row(place: str, lines: list[str], remark: str, key: str, faults: Faults) -> Row:
    first = 0 if "-->" in lines[0] else 1
    match = _TIMES.fullmatch(lines[first].strip())
    if match is None:
        faults.add(place, "times", lines[first], "00:00:01.000 --> 00:00:02.000")
        return Row(place, key, (0, 0), {})
    parts = [int(part or 0) for part in match.groups()]
    start_s, end_s = (
        (3_600_000 * hours + 60_000 * minutes + 1000 * seconds + milliseconds) / 1000
        for hours, minutes, seconds, milliseconds in (parts[:4], parts[4:])
    )
    if end_s < start_s:
        faults.add(place, "end", end_s, f"not before {start_s}")
    caption = " ".join(lines[first + 1 :])
    # Behind the last ">" is no tag, but perhaps many a "<" that would be looked for the end of.
    tagged, sign, rest = caption.rpartition(">")
    caption = re.sub(r"<[^>]*>", "", tagged + sign) + rest
    for sign, escaped in (("<", "&lt;"), (">", "&gt;"), ("&", "&amp;")):
        caption = caption.replace(escaped, sign)
    times = start_s, end_s
    ours = unpacked(remark, place, faults, times, point_s=0.001) if remark else None
    return Row(place, key, times, {"caption": caption}, ours)
