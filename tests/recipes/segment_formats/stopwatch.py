"""Lists of a stopwatch: a line for each segment, "from TAB to TAB text", in milliseconds.

A line may end with a fourth cell, which holds what the three cannot say; lines that begin with "#"
are remarks. Segments without times are left out, and counted.
"""

from collections.abc import Mapping
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.reading import read_text
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    is_remark,
    note_of_moved,
    on_frames,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
    whole_ms,
)
from segments.formats.returning import Row, returned

TITLE = "Lists of a stopwatch"
SUFFIX = ".stopwatch"
# A file has no place for the name of its recording but its own.
ONE_RECORDING = True
RECORDING = "# piev "


def write(file: SegmentFile, settings: Settings) -> Written:
    """A file of one recording; raises ValueError for several."""
    [recording] = file.recordings
    timed = [item for item in recording.shown if item.start_s is not None]
    moved = sum(whole_ms(time_s) / 1000 != time_s for item in timed for time_s in item.span)
    lines = [RECORDING + packed_recording(recording), *map(_line, timed)]
    without = len(recording.shown) - len(timed)
    notes = (f"{without:,} without times left out",) if without else ()
    return Written("\n".join(lines) + "\n", note_of_moved(moved, "millisecond") + notes)


def read(path: Path, settings: Settings) -> SegmentFile:
    """Lines of other makers become steps with their text, called s1, s2 and so on."""
    if path.suffix != SUFFIX:
        raise fault_of_file(path.name, path.suffix, f"a file whose name ends in {SUFFIX}")
    faults = Faults(path.name)
    about = packed_recording(SegmentedRecording(path.stem, ()))
    rows: list[Row] = []
    # No `splitlines`: a text may hold U+2028, which `packed` leaves as it is.
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if line.startswith(RECORDING):
            about = line.removeprefix(RECORDING)
        elif line.strip() and not line.startswith("#"):
            rows.append(_row(line, len(rows) + 1, f"line {number}", faults))
    recording, notes = returned(
        unpacked_recording(about, "line 1", faults),
        rows,
        (),
        shown_of=_shown,
        meaning_of=lambda shown, row, vocabulary: shown,
    )
    faults.raise_if_any()
    return SegmentFile((on_frames(recording),), notes=notes)


def _line(segment: Segment) -> str:
    start_ms, end_ms = map(whole_ms, segment.span)
    # A tab or the end of a line in the text would end its cell.
    return f"{start_ms}\t{end_ms}\t{' '.join(segment.text.split())}\t{packed(segment)}"


def _shown(segment: Segment, steps: Mapping[str, str]) -> dict[str, str]:
    """What a line shows besides the times, by the name of the field that it is."""
    return {"text": segment.text}


def _row(line: str, number: int, place: str, faults: Faults) -> Row:
    start, end, text, remark = [*line.split("\t", 3), "", "", ""][:4]
    if not (start.isdecimal() and end.isdecimal()):
        faults.add(place, "times", line, "milliseconds, a tab, milliseconds, a tab and a text")
        return Row(place, f"s{number}", (0, 0), {"text": ""})
    times = int(start) / 1000, int(end) / 1000
    if times[1] < times[0]:
        faults.add(place, "end", end, f"not before {start}")
    ours = unpacked(remark, place, faults, times) if is_remark(remark) else None
    return Row(place, f"s{number}", times, {"text": text}, ours)
