"""Reader of the annotators' workbook, as .xlsx or as .csv with the same columns.

One row per step: A Dataset, B Video with mistake ID (filled down), C Step ID, D Correct Procedure,
E Procedure with mistake, F to O ratings. The first row of each video holds the names of the two
videos. Step ids count from 0; an event has the step id of its row. The ratings are read by
`rating_workbook`, which finds videos and ids as they are found here.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, FormatError, Problem, fault_of_file
from annotation.engine.corpus.formats.folders import files_in
from annotation.engine.corpus.formats.reading import note_repeats
from annotation.engine.corpus.formats.template_sheets import SheetRow, read_workbook
from annotation.engine.corpus.procedure import (
    Event,
    Reading,
    Step,
    Take,
    Trace,
    TraceStep,
    WarningList,
)
from annotation.engine.counting import counted
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel

TITLE = "Annotators' workbook"
DESCRIPTION = (
    "A workbook .xlsx or .csv with the columns of the annotation template, or a folder of such "
    "files. Each video gives a take without times and a trace; ratings are brought in afterwards."
)
IS_VERIFIED = True

SUFFIXES = (".xlsx", ".csv")
# How the template words a step that was left out: "Deleted step_3 description".
DELETED_WORD = "deleted"


@dataclass(frozen=True, slots=True)
class Video:
    """The rows of one video: the first names the two videos, the others are steps."""

    uid: str
    file: str
    header: SheetRow
    steps: tuple[SheetRow, ...]


def split_videos(rows: Sequence[SheetRow], file: str, faults: Faults) -> list[Video]:
    """The videos of a sheet; rows without any text are padding. Notes what is wrong with them."""
    has_ids = any(row.video_id for row in rows)
    starts: list[tuple[SheetRow, list[SheetRow]]] = []
    video_id = ""
    for row in (row for row in rows if row.has_text):
        # A new id names the videos; where there are no ids, the place for the episode's rating.
        is_new = row.video_id not in ("", video_id) if has_ids else row.is_episode_row
        if is_new:
            starts.append((row, []))
            video_id = row.video_id
        elif not starts:
            expected = "a first row of the video, with its id in column B"
            faults.add(row.place, "Video with mistake ID", "", expected)
        else:
            starts[-1][1].append(row)
    videos = [
        Video(header.video_id or header.performed or header.correct, file, header, tuple(steps))
        for header, steps in starts
    ]
    if not videos:
        faults.add("", "", "no videos", "a row that names two videos")
    for video in videos:
        if not any(row.correct for row in video.steps):
            faults.add(
                video.header.place,
                "Correct Procedure",
                "no steps",
                f"at least one step of video {video.uid}",
            )
        # A video without any id gets its ids from `step_ids`.
        is_numbered = any(row.step_id or row.written_id for row in video.steps)
        for row in video.steps if is_numbered else ():
            if not row.step_id:
                expected = f"a whole number, as each step of video {video.uid} needs one"
                faults.add(row.place, "Step ID", row.written_id, expected)
    return videos


def _mod_of(row: SheetRow, *, has_marks: bool) -> Mod:
    """A changed row without a mark, on a sheet that marks rows to rate, follows from a mistake."""
    is_changed = row.correct != row.performed
    if row.correct and (
        not row.performed
        or row.is_shown_deleted
        or (is_changed and row.performed.casefold().startswith(DELETED_WORD))
    ):
        return Mod.DELETION
    if has_marks and not row.is_to_rate:
        return Mod.CASCADE if is_changed else Mod.UNCHANGED
    if not is_changed and not row.is_to_rate:
        return Mod.UNCHANGED
    return Mod.ERROR if row.correct else Mod.INSERTION


def step_ids(video: Video, warnings: WarningList) -> list[str]:
    """As in column C, or counted from 0 where that cannot be, which a warning then says."""
    counted = [str(number) for number in range(len(video.steps))]
    written = [row.step_id for row in video.steps]
    if written == counted:
        return counted
    where = f"{video.file} video {video.uid}"
    if not any(written):
        warnings.add(where, "Step ID is empty: counted from 0 instead")
        return counted
    # What the template's formula gives where column B holds no ids by which it could tell videos.
    before = int(video.header.step_id or 0)
    running = [str(before + 1 + number) for number in range(len(written))]
    if before and not video.header.video_id and written == running:
        warnings.add(where, "Step ID counts on from the video before: counted from 0 instead")
        return counted
    has_all = len(set(written)) == len(written)
    done = "kept" if has_all else "counted from 0 instead"
    warnings.add(where, f"Step ID does not count 0, 1, 2...: {done}")
    return written if has_all else counted


def _make_trace(video: Video, ids: Sequence[str], warnings: WarningList) -> Trace:
    has_marks = any(row.is_to_rate for row in video.steps)
    rows, events = [], []
    reference_count = 0
    for row, step_id in zip(video.steps, ids, strict=True):
        mod = _mod_of(row, has_marks=has_marks)
        event_id = None if mod in (Mod.UNCHANGED, Mod.CASCADE) else step_id
        is_deleted = mod is Mod.DELETION
        if event_id is not None:
            proposed = TaxonomyLabel.DELETION if is_deleted else None
            events.append(Event(event_id, EventKind.MISTAKE, proposed))
        if mod is Mod.CASCADE:
            message = "differs but is not marked to be rated: read as a cascade edit"
            warnings.add(f"{video.file} {row.place}", message)
        rows.append(
            TraceStep(
                mod=mod,
                text="" if is_deleted else row.performed,
                reference_index=reference_count if row.correct else None,
                event_id=event_id,
                step_id=step_id,
            )
        )
        reference_count += bool(row.correct)
    return Trace(
        uid=video.uid,
        name=video.header.performed or video.uid,
        take_uid=f"{video.uid}:reference",
        steps=tuple(rows),
        events=tuple(events),
        video_stem=video.header.performed,
        reference_reason="The workbook sets this procedure beside the one with mistakes.",
        provenance={"file": Path(video.file).stem},
    )


def _read_videos(path: Path, warnings: WarningList) -> list[Video]:
    files = [path]
    sentence = f"{path.name} is not a workbook (.xlsx or .csv)."
    if path.is_dir():
        files = [item for item in files_in(path) if item.suffix.lower() in SUFFIXES]
        sentence = "No workbook (.xlsx or .csv) in these files."
    if not files or any(item.suffix.lower() not in SUFFIXES for item in files):
        raise fault_of_file(path.name, "no workbook", "a file .xlsx or .csv", sentence=sentence)
    videos: list[Video] = []
    problems: list[Problem] = []
    for file in files:
        try:
            workbook = read_workbook(file)
            warnings.extend(workbook.warnings)
            sheet = workbook.sheets[0]
            for name in (*workbook.others, *(other.name for other in workbook.sheets[1:])):
                warnings.add(file.name, f"sheet {name!r} left out: {sheet.name!r} is read")
            faults = Faults(file.name)
            found = split_videos(sheet.rows, file.name, faults)
            faults.raise_if_any()
        except FormatError as error:
            problems.extend(error.problems)
            continue
        videos += found
        count = sum(row.rating_count for video in found for row in (video.header, *video.steps))
        if count:
            warnings.add(
                file.name, f"{counted(count, 'rating')} in columns F to O: import as ratings"
            )
        if not any(video.header.video_id for video in found):
            warnings.add(file.name, "column B holds no ids: videos are called by their names")
    if problems:
        raise FormatError(problems)
    faults = Faults(path.name)
    places = ((video.uid, f"{video.file} {video.header.place}") for video in videos)
    note_repeats(places, faults, "Video with mistake ID")
    faults.raise_if_any()
    return videos


def read(path: Path) -> Reading:
    """A take and a trace for every video of the workbooks."""
    warnings = WarningList()
    takes, traces = [], []
    for video in _read_videos(path, warnings):
        ids = step_ids(video, warnings)
        takes.append(
            Take(
                uid=f"{video.uid}:reference",
                name=video.header.correct or f"{video.uid}, correct procedure",
                scenario=video.header.dataset or "unnamed",
                steps=tuple(
                    Step(text=row.correct, step_id=step_id)
                    for row, step_id in zip(video.steps, ids, strict=True)
                    if row.correct
                ),
                video_stem=video.header.correct,
            )
        )
        traces.append(_make_trace(video, ids, warnings))
    mods = Counter(step.mod for trace in traces for step in trace.steps)
    if mods[Mod.INSERTION]:
        message = "rows without a correct step may be corrections: the workbook does not say"
        warnings.add(path.name, message)
    return Reading(
        takes=tuple(takes),
        traces=tuple(traces),
        derived={"rows_to_rate": sum(len(trace.events) for trace in traces)},
        warnings=warnings.as_tuple(),
    )
