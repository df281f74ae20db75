"""TextGrid files of Praat, which many phoneticians label in: long and short text files.

Each track is an interval tier, whose empty intervals are gaps; points have a text tier of their
own. Intervals of a tier cannot overlap: such segments go to tiers `steps-2`, `steps-3` and so on.
Praat keeps no remarks, so what it has no place for stands behind the text of a segment, after the
mark `<piev>`; two tiers more hold what is known of the recording and the segments without times.
Source: the manual of Praat, "TextGrid file formats".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.reading import decode, read_bytes
from segments.engine.model import MAX_TIME_S, Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    is_remark,
    lanes_of,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
)
from segments.formats.returning import Row, meaning_of_caption, returned, shown_caption

TITLE = "Praat TextGrid"
SUFFIX = ".TextGrid"
ONE_RECORDING = True
RECORDING, UNTIMED = "piev-recording", "piev-untimed"
MARK = " <piev> "
POINTS = ".points"
INTERVAL_TIER, TEXT_TIER = "IntervalTier", "TextTier"
HEADER = ("ooTextFile", "TextGrid")
# Of a tier that holds what overlaps on its track.
_LANE = re.compile(r"-\d+$")
# Praat reads free-standing texts, numbers and flags; everything else in a file is for people.
_TOKEN = re.compile(r'"((?:[^"]|"")*)"|![^\n]*|<(\w+)>|([^\s"!<]+)|.', re.DOTALL)
_NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{0,30})?(?:[eE][-+]?\d{1,2})?")
# The text of each point or interval, by its times.
Marks = list[tuple[float, float, str]]


@dataclass(frozen=True, slots=True)
class _Tier:
    kind: str
    name: str
    marks: Marks


def write(file: SegmentFile, settings: Settings) -> Written:
    """A file of one recording; raises ValueError for several."""
    [recording] = file.recordings
    timed = [item for item in recording.shown if item.start_s is not None]
    untimed = [item for item in recording.shown if item.start_s is None]
    # Praat wants a time domain that lasts.
    end_s = max([item.span[1] for item in timed] + [recording.duration_s or 0]) or 1
    tiers, lanes_added = [], 0
    for track in dict.fromkeys(item.track for item in timed):
        on_track = [item for item in timed if item.track == track]
        points = [item for item in on_track if item.start_s == item.end_s]
        lanes = lanes_of([item for item in on_track if item not in points], lambda item: item.span)
        lanes_added += max(len(lanes) - 1, 0)
        for place, lane in enumerate(lanes, start=1):
            name = track + (f"-{place}" if place > 1 else "")
            tiers.append(_Tier(INTERVAL_TIER, name, _marks(lane, recording)))
        if points:
            tiers.append(_Tier(TEXT_TIER, track + POINTS, _marks(points, recording)))
    about: list[tuple[str, str]] = [(RECORDING, packed_recording(recording))]
    about += [(f"{UNTIMED}-{place}", packed(item)) for place, item in enumerate(untimed)]
    tiers += [_Tier(INTERVAL_TIER, name, [(0, end_s, text)]) for name, text in about]
    notes = (f"{lanes_added} more tiers hold segments that overlap",) if lanes_added else ()
    return Written("".join(_lines(tiers, end_s)), notes)


def _marks(segments: list[Segment], recording: SegmentedRecording) -> Marks:
    return [
        (*item.span, f"{shown_caption(item, recording.steps)['caption']}{MARK}{packed(item)}")
        for item in sorted(segments, key=lambda item: item.span)
    ]


def _lines(tiers: list[_Tier], end_s: float) -> Iterator[str]:
    yield f'File type = "{HEADER[0]}"\nObject class = "{HEADER[1]}"\n\n'
    yield f"xmin = 0 \nxmax = {end_s!r} \ntiers? <exists> \nsize = {len(tiers)} \nitem []: \n"
    for number, tier in enumerate(tiers, start=1):
        is_points = tier.kind == TEXT_TIER
        marks = tier.marks if is_points else list(_with_gaps(tier.marks, end_s))
        kind = "points" if is_points else "intervals"
        yield f'    item [{number}]:\n        class = "{tier.kind}" \n'
        yield f"        name = {_quoted(tier.name)} \n        xmin = 0 \n"
        yield f"        xmax = {end_s!r} \n        {kind}: size = {len(marks)} \n"
        for place, (start_s, stop_s, text) in enumerate(marks, start=1):
            yield f"        {kind} [{place}]:\n"
            if is_points:
                yield f"            number = {start_s!r} \n"
                yield f"            mark = {_quoted(text)} \n"
            else:
                yield f"            xmin = {start_s!r} \n            xmax = {stop_s!r} \n"
                yield f"            text = {_quoted(text)} \n"


def _with_gaps(marks: Marks, end_s: float) -> Iterator[tuple[float, float, str]]:
    """Intervals from 0 to the end, as Praat wants them: those between the segments are empty."""
    at_s: float = 0
    for start_s, stop_s, text in marks:
        if start_s > at_s:
            yield at_s, start_s, ""
        yield start_s, stop_s, text
        at_s = stop_s
    if at_s < end_s:
        yield at_s, end_s, ""


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def read(path: Path, settings: Settings) -> SegmentFile:
    """Tiers of other people become tracks, with the words of their intervals and points as text."""
    faults = Faults(path.name)
    about, untimed = "", []
    rows: list[Row] = []
    tiers = _tiers(_text(path), path.name, faults)
    is_ours = any(tier.name == RECORDING for tier in tiers)
    for tier in tiers:
        if is_ours and tier.name == RECORDING:
            about = "".join(text for _, _, text in tier.marks)
        elif is_ours and tier.name.startswith(UNTIMED):
            untimed += [
                unpacked(text, f"tier {tier.name}", faults, (None, None))
                for _, _, text in tier.marks
                if text
            ]
        else:
            rows += list(_rows(tier, faults, len(rows), is_ours=is_ours))
    about = about or packed_recording(SegmentedRecording(path.stem, ()))
    recording, notes = returned(
        unpacked_recording(about, f"tier {RECORDING}", faults),
        rows,
        untimed,
        shown_of=shown_caption,
        meaning_of=meaning_of_caption
        if is_ours
        else lambda shown, row, vocabulary: {"text": shown["caption"]},
    )
    faults.raise_if_any()
    return SegmentFile((recording,), notes=notes)


def _text(path: Path) -> str:
    """Praat saves in UTF-16 what is not ASCII, unless it is told otherwise."""
    content = read_bytes(path)
    if content[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return decode(content, path.name, expected="text in UTF-8 or UTF-16", shown_bytes=4)
    try:
        return content.decode("utf-16")
    except UnicodeDecodeError as error:
        place = f"byte {error.start}"
        raise fault_of_file(path.name, "half a character", "UTF-16", place=place) from error


def _rows(tier: _Tier, faults: Faults, before: int, *, is_ours: bool) -> Iterator[Row]:
    track = tier.name.removesuffix(POINTS)
    track = _LANE.sub("", track) if is_ours else track
    filled = [item for item in enumerate(tier.marks, start=1) if item[1][2].strip()]
    for row, (number, (start_s, end_s, text)) in enumerate(filled, start=before + 1):
        place = f"tier {tier.name}, {'point' if tier.kind == TEXT_TIER else 'interval'} {number}"
        caption, _, remark = text.rpartition(MARK) if is_ours else ("", "", "")
        times, ours = (start_s, end_s), None
        if is_remark(remark):
            ours = unpacked(remark, place, faults, times)
        else:
            caption = text
        words = " ".join(caption.split())
        yield Row(place, f"p{row}", times, {"caption": words}, ours, track)


class _Tokens:
    """The free-standing values of a file in order, each with its line."""

    def __init__(self, text: str, file: str) -> None:
        self._values = self._split(text)
        self._file = file
        self.line = 1

    def _split(self, text: str) -> Iterator[tuple[str, str]]:
        for match in _TOKEN.finditer(text):
            quoted, flag, word = match.groups()
            if quoted is not None:
                yield "text", quoted.replace('""', '"')
            elif flag is not None:
                yield "flag", flag
            elif word is not None and _NUMBER.fullmatch(word):
                yield "number", word
            elif match[0] == '"':
                yield "text without end", text[match.start() : match.start() + 20]
            self.line += match[0].count("\n")

    def next(self, kind: str, name: str) -> str:
        """Raises `FormatError` where the next value is none of this kind."""
        found, value = next(self._values, ("end of the file", "end of the file"))
        if found != kind:
            raise self.fault(name, value, f"a {kind}")
        return value

    def fault(self, name: str, value: str, expected: str) -> Exception:
        return fault_of_file(self._file, value, expected, place=f"line {self.line}", field=name)

    def time_s(self, name: str) -> float:
        value = self.next("number", name)
        # A number is written again as it was: 2 does not become 2.0.
        return int(value) if value.removeprefix("-").isdecimal() else float(value)

    def count(self, name: str) -> int:
        value = self.next("number", name)
        if not value.isdecimal():
            raise self.fault(name, value, "how many follow")
        return int(value)


def _tiers(text: str, file: str, faults: Faults) -> list[_Tier]:
    """Raises `FormatError` at the first value that is not what has to stand there."""
    if not text.startswith(("File type = ", '"ooTextFile')):
        expected = 'a text file of Praat, which begins with File type = "ooTextFile"'
        raise fault_of_file(file, text[:20], expected, place="line 1")
    tokens = _Tokens(text, file)
    for name, expected in zip(("File type", "Object class"), HEADER, strict=True):
        if (value := tokens.next("text", name)) != expected:
            raise tokens.fault(name, value, expected)
    tokens.time_s("xmin"), tokens.time_s("xmax")
    if tokens.next("flag", "tiers?") != "exists":
        return []
    tiers = []
    for _ in range(tokens.count("size")):
        if (kind := tokens.next("text", "class")) not in (INTERVAL_TIER, TEXT_TIER):
            raise tokens.fault("class", kind, f"{INTERVAL_TIER} or {TEXT_TIER}")
        name = tokens.next("text", "name")
        tokens.time_s("xmin"), tokens.time_s("xmax")
        is_points = kind == TEXT_TIER
        count = tokens.count("points: size" if is_points else "intervals: size")
        marks = [_mark(tokens, faults, is_points=is_points) for _ in range(count)]
        tiers.append(_Tier(kind, name, marks))
    return tiers


def _mark(tokens: _Tokens, faults: Faults, *, is_points: bool) -> tuple[float, float, str]:
    start_s = end_s = tokens.time_s("number" if is_points else "xmin")
    if not is_points:
        end_s = tokens.time_s("xmax")
    place = f"line {tokens.line}"
    if not 0 <= start_s <= MAX_TIME_S:
        faults.add(place, "number" if is_points else "xmin", start_s, "a time from 0 on")
    if not start_s <= end_s <= MAX_TIME_S:
        faults.add(place, "xmax", end_s, f"a time not before the start, {start_s}")
    return start_s, end_s, tokens.next("text", "mark" if is_points else "text")
