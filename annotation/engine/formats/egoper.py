"""Reader of EgoPER, written against a description of `annotation.json` and not yet against a file.

Shape: {task: {"action2idx", "actiontype2idx", "segments": [{"video_id", "labels": {"action": [],
"action_type": [], "time_stamp": [[start, end]], "error_description": []}}]}}.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotation.engine.formats.native_labels import EGOPER_PROPOSALS, propose_type
from annotation.engine.formats.pairing import ReferenceChooser
from annotation.engine.formats.reading import (
    Entry,
    WarningList,
    find_file,
    note_repeats,
    read_json,
)
from annotation.engine.formats.recordings import RecordedStep, Recording, make_take, make_trace
from annotation.engine.procedure import NativeLabel, Reading, Step, Take

TITLE = "EgoPER"
DESCRIPTION = (
    "annotation.json, or the folder with it. Videos without error segments become takes, the "
    "others traces. Omissions are not in this file and are not derived."
)
# No file of this data set was at hand; the shape is that of a third party's note.
IS_VERIFIED = False

ANNOTATION_FILE = "annotation.json"
NORMAL_TYPE = "Normal"
# The numbers of actiontype2idx, for files that do not have it.
ACTION_TYPES = (
    "Normal",
    "Error_Modification",
    "Error_Slip",
    "Error_Correction",
    "Error_Addition",
)
# A segment in which nothing of the procedure happens.
BACKGROUND_ACTIONS = frozenset({"BG", "background"})


@dataclass(frozen=True, slots=True)
class Names:
    """The names behind the numbers of one task."""

    actions: Mapping[int, str]
    types: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Columns:
    """The parallel lists of one video, of equal length."""

    actions: Sequence[Entry]
    types: Sequence[Entry]
    times: Sequence[Entry]
    notes: Sequence[Entry]


def _read_names(entry: Entry, field: str) -> dict[int, str]:
    """Return name by number of a mapping from name to number."""
    names: dict[int, str] = {}
    for name, item in entry.child(field).items():
        if type(item.value) is not int:
            item.fault("", item.value, "a whole number")
        elif item.value in names:
            item.fault("", item.value, f"a number that {names[item.value]} does not have")
        else:
            names[item.value] = name
    return names


def _name_of(entry: Entry, names: Mapping[int, str]) -> str:
    """Return the name of an action or a type, written as its number or as its name."""
    if type(entry.value) is int and entry.value in names:
        return names[entry.value]
    if isinstance(entry.value, str) and entry.value in names.values():
        return entry.value
    entry.fault("", entry.value, "a number or name of this task's table")
    return ""


def _read_time(entry: Entry) -> tuple[float, float]:
    ends = entry.value
    if not isinstance(ends, list) or len(ends) != 2:
        entry.fault("", ends, "[start, end] in seconds")
        return 0.0, 0.0
    named = Entry({"start": ends[0], "end": ends[1]}, entry.place, entry.faults)
    return named.times("start", "end")


def _read_note(entry: Entry) -> str:
    named = Entry({"error_description": entry.value}, entry.place, entry.faults)
    return named.text("error_description", is_required=False)


def _read_columns(entry: Entry) -> Columns:
    actions = entry.elements_of("action")
    types = entry.elements_of("action_type")
    times = entry.elements_of("time_stamp")
    has_notes = entry.has("error_description")
    notes = entry.elements_of("error_description") if has_notes else []
    lengths = {len(actions), len(types), len(times)} | ({len(notes)} if has_notes else set())
    if len(lengths) > 1:
        expected = "lists of equal length: action, action_type, time_stamp, error_description"
        entry.fault("", f"lengths {sorted(lengths)}", expected)
        return Columns([], [], [], [])
    if not actions:
        entry.fault("action", [], "at least one segment")
    return Columns(actions, types, times, notes)


def _read_steps(entry: Entry, names: Names) -> tuple[RecordedStep, ...]:
    columns = _read_columns(entry)
    steps = []
    for index, action_entry in enumerate(columns.actions):
        action = _name_of(action_entry, names.actions)
        type_name = _name_of(columns.types[index], names.types)
        start_s, end_s = _read_time(columns.times[index])
        note = _read_note(columns.notes[index]) if columns.notes else ""
        is_normal = type_name == NORMAL_TYPE
        if action in BACKGROUND_ACTIONS and is_normal:
            continue
        steps.append(
            RecordedStep(
                # What was done, where the annotators say it; the action is what it should be.
                text=note if note.strip() and not is_normal else action,
                step_id="" if action in BACKGROUND_ACTIONS else action,
                start_s=start_s,
                end_s=end_s,
                labels=() if is_normal else (NativeLabel(name=type_name, note=note),),
            )
        )
    return tuple(steps)


def _read_recording(entry: Entry, task: str, names: Names, warnings: WarningList) -> Recording:
    uid = entry.text("video_id")
    labels = entry.child("labels").as_object()
    steps = _read_steps(labels, names)
    starts = [step.start_s or 0.0 for step in steps]
    if starts != sorted(starts):
        warnings.add(f"video {uid}", "segments were not in time order and have been sorted")
    background_count = len(labels.elements_of("action")) - len(steps)
    if background_count and steps:
        warnings.add(f"video {uid}", f"{background_count} background segments left out")
    return Recording(
        uid=uid,
        scenario=task,
        steps=steps,
        # No written order comes with the file: an action done again is what can be counted.
        order_deviations=len(steps) - len({step.step_id for step in steps}),
    )


def _read_task(task: str, entry: Entry, warnings: WarningList) -> list[Recording]:
    has_types = entry.has("actiontype2idx")
    types = _read_names(entry, "actiontype2idx") if has_types else dict(enumerate(ACTION_TYPES))
    names = Names(actions=_read_names(entry, "action2idx"), types=types)
    for name in types.values():
        if name != NORMAL_TYPE and name not in EGOPER_PROPOSALS:
            warnings.add(f"task {task}", f"action type {name!r} is not known: no type proposed")
    items = entry.objects("segments")
    recordings = [_read_recording(item, task, names, warnings) for item in items]
    places = ((item.uid, place.place) for item, place in zip(recordings, items, strict=True))
    note_repeats(places, entry.faults, "video_id")
    return recordings


def _has_labels(recording: Recording) -> bool:
    return any(step.labels for step in recording.steps)


def _without_steps(recordings: Iterable[Recording], warnings: WarningList) -> list[Recording]:
    kept = []
    for recording in recordings:
        if recording.steps:
            kept.append(recording)
        else:
            warnings.add(f"video {recording.uid}", "left out: it has background segments only")
    return kept


def _written_procedure(recordings: Sequence[Recording], task: str) -> Take:
    """Return the actions that the recordings of the task did without an error, first seen first."""
    actions = {
        step.step_id: step.text
        for recording in recordings
        if recording.scenario == task
        for step in recording.steps
        if not step.labels
    }
    return Take(
        uid=f"{task}:written",
        name=f"{task}, written procedure",
        scenario=task,
        steps=tuple(Step(text=text, step_id=step_id) for step_id, text in actions.items()),
    )


def read(path: Path) -> Reading:
    """Return takes, traces and the counts of error segments by type."""
    warnings = WarningList()
    root = read_json(find_file(path, ANNOTATION_FILE))
    read_all = [
        recording
        for task, entry in root.items()
        for recording in _read_task(task, entry.as_object(), warnings)
    ]
    note_repeats(((item.uid, f"task {item.scenario}") for item in read_all), root.faults, "video")
    root.faults.raise_if_any()
    recordings = _without_steps(read_all, warnings)
    takes = tuple(make_take(item) for item in recordings if not _has_labels(item))
    chooser = ReferenceChooser(takes, partial(_written_procedure, recordings))
    propose = partial(propose_type, proposals=EGOPER_PROPOSALS)
    traces = tuple(
        make_trace(item, chooser.choose(item.scenario, item.left_out_step_ids()), propose)
        for item in recordings
        if _has_labels(item)
    )
    labels = Counter(
        label.name for item in recordings for step in item.steps for label in step.labels
    )
    return Reading(
        takes=takes + chooser.written_takes(),
        traces=traces,
        native_labels=dict(labels),
        derived={"normal_segments": sum(not s.labels for item in recordings for s in item.steps)},
        warnings=warnings.as_tuple(),
    )
