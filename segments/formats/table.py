"""A CSV row per segment with seconds and frame numbers, for spreadsheets and scripts.

`start_pts` and `end_pts` say when the first and last frame of a segment are shown on the video
file's own clock, in ticks of `time_base` seconds; empty where its frames were not read.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from pathlib import Path

from annotation.engine.corpus.formats.csv_tables import number_in, read_csv_table
from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.csv_cells import Cell, csv_lines, restore_cell
from annotation.engine.videos.clock import FrameTimes, first_frame, last_frame
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written

TITLE = "Table of segments"
SUFFIX = ".csv"
HAS_FRAME_TIMES = True
COLUMNS = (
    "recording", "track", "key", "start_s", "end_s", "start_frame", "end_frame", "step_id", "label",
    "text", "annotator", "round", "scheme", "guideline", "revision", "status", "parent_key", "note",
    "score", "start_pts", "end_pts", "time_base",
)  # fmt: skip
NEEDED = ("recording", "track", "key", "start_s", "end_s")
NUMBERS = ("start_s", "end_s", "start_frame", "end_frame", "revision", "status", "score")
TEXTS = ("key", "track", "step_id", "label", "text", "parent_key", "note")
# Of a revision or a version.
MOST_DIGITS = 10
STATUSES = ("", "flagged", "proposal", "deleted")


def read(path: Path, settings: Settings) -> SegmentFile:
    faults = Faults(path.name)
    header, rows = read_csv_table(path, faults)
    if not header:
        raise fault_of_file(path.name, "nothing", "a header and rows")
    missing = [name for name in NEEDED if name not in header]
    if missing or len(set(header)) < len(header):
        expected = f"each column once, {', '.join(NEEDED)} among them"
        raise fault_of_file(path.name, ", ".join(header), expected, place="line 1")
    by_owner: dict[tuple[str, ...], list[Segment]] = {}
    scores: dict[tuple[str, ...], dict[str, float]] = {}
    seen: set[tuple[str, ...]] = set()
    for item in rows:
        place = item.place
        row = {
            name: cell if name in NUMBERS else restore_cell(cell)
            for name, cell in item.cells.items()
        }
        owner = tuple(row.get(name, "") for name in ("recording", *_OWNERS))
        segment = _segment(row, place, faults)
        if (*owner, segment.key) in seen:
            faults.add(place, "key", segment.key, "each key once")
        seen.add((*owner, segment.key))
        by_owner.setdefault(owner, []).append(segment)
        if score_text := row.get("score", "").strip():
            score = number_in(score_text)
            if score is None:
                faults.add(place, "score", score_text, "a number, or nothing")
            else:
                scores.setdefault(owner, {})[segment.key] = score
    faults.raise_if_any()
    recordings = (
        replace(_recording(owner, of_one), scores=scores.get(owner, {}))
        for owner, of_one in by_owner.items()
    )
    return SegmentFile(tuple(recordings))


_OWNERS = ("annotator", "round", "scheme", "guideline")


def _recording(owner: tuple[str, ...], segments: list[Segment]) -> SegmentedRecording:
    uid, annotator, round_id, scheme, guideline = owner
    name, _, version = scheme.rpartition(" ")
    return SegmentedRecording(
        uid,
        tuple(segments),
        annotator=annotator,
        round=round_id,
        scheme=name if _is_count(version) else scheme,
        scheme_version=int(version) if _is_count(version) and name else 0,
        guideline=guideline,
    )


def _segment(row: Mapping[str, str], place: str, faults: Faults) -> Segment:
    def fault(field: str, expected: str) -> None:
        faults.add(place, field, row[field], expected)

    times: list[float | None] = []
    for name in ("start_s", "end_s"):
        cell = row[name].strip()
        value = number_in(cell)
        times.append(value if value is not None and value >= 0 else None)
        if cell and times[-1] is None:
            fault(name, "seconds with a point, 0 or more, or nothing for both times")
    start_s, end_s = times
    if bool(row["start_s"].strip()) != bool(row["end_s"].strip()):
        fault("end_s", "both times or none")
    elif start_s is not None and end_s is not None and end_s < start_s:
        fault("end_s", f"a time not before the start, {start_s}")
    for name in ("recording", "track", "key"):
        if not row[name].strip():
            fault(name, "text")
    status = row.get("status", "")
    if status not in STATUSES:
        fault("status", "nothing, flagged, proposal or deleted")
    revision = row.get("revision") or "1"
    if not _is_count(revision):
        fault("revision", "a whole number")
        revision = "1"
    return Segment(
        start_s=start_s,
        end_s=end_s,
        **{name: row.get(name, "") for name in TEXTS},
        is_flagged=status == "flagged",
        is_proposal=status == "proposal",
        is_deleted=status == "deleted",
        revision=int(revision),
    )


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < MOST_DIGITS


def write(file: SegmentFile, settings: Settings) -> Written:
    return Written("".join(lines(file.recordings, settings)))


_texts_of = attrgetter(*TEXTS)


def lines(recordings: Iterable[SegmentedRecording], settings: Settings) -> Iterator[str]:
    """Deleted segments are left out; frame numbers are empty where the rate is unknown."""
    return csv_lines(chain([COLUMNS], _rows(recordings, settings)), ending="\r\n")


def _rows(
    recordings: Iterable[SegmentedRecording], settings: Settings
) -> Iterator[tuple[Cell, ...]]:
    for recording in recordings:
        rate = recording.rate or settings.rate
        version = f" {recording.scheme_version}" if recording.scheme_version else ""
        scheme = recording.scheme + version
        owner = recording.annotator, recording.round, scheme, recording.guideline
        for item in recording.shown:
            frames: tuple[int | str, int | str] = ("", "")
            pts: tuple[int | str, ...] = ("", "", "")
            if item.start_s is not None:
                if rate is not None:
                    frames = first_frame(item.span[0], rate), last_frame(item.span[1], rate)
                if recording.frame_times is not None:
                    counted, *ticks = _ticks(item, recording.frame_times)
                    pts, frames = tuple(ticks), frames if rate is not None else counted
            status = "flagged" if item.is_flagged else "proposal" if item.is_proposal else ""
            key, track, step_id, label, text, parent, note = _texts_of(item)
            yield (
                recording.uid, track, key, item.start_s, item.end_s, *frames, step_id, label, text,
                *owner, item.revision, status, parent, note, recording.scores.get(item.key),
                *pts,
            )  # fmt: skip


def _ticks(
    segment: Segment, times: FrameTimes
) -> tuple[tuple[int, int], int | str, int | str, str]:
    """The numbers of the first and last frame, their ticks ("" beyond the file), the time base."""
    first, last = times.first_frame(segment.span[0]), times.first_frame(segment.span[1]) - 1
    start, end = (
        int(times.pts[frame]) if 0 <= frame < len(times.pts) else "" for frame in (first, last)
    )
    return (first, last), start, end, str(times.time_base)
