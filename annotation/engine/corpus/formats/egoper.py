"""Reader of EgoPER, written against a description of `annotation.json` and not yet against a file.

Shape: {task: {"action2idx", "actiontype2idx", "segments": [{"video_id", "labels": {"action": [],
"action_type": [], "time_stamp": [[start, end]], "error_description": []}}]}}.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from annotation.engine.corpus.formats.folders import find_file
from annotation.engine.corpus.formats.native_labels import EGOPER_PROPOSALS
from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json
from annotation.engine.corpus.formats.recordings import RecordedStep, Recording, takes_and_traces
from annotation.engine.corpus.procedure import NativeLabel, Reading, WarningList

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


def _read_names(entry: Entry, field: str) -> dict[int, str]:
    """Name by number, of a mapping from name to number."""
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
    """The name of an action or a type, written as its number or as its name."""
    if type(entry.value) is int and entry.value in names:
        return names[entry.value]
    if isinstance(entry.value, str) and entry.value in names.values():
        return entry.value
    entry.fault("", entry.value, "a number or name of this task's table")
    return ""


def _read_steps(
    entry: Entry, actions: Mapping[int, str], types: Mapping[int, str]
) -> tuple[RecordedStep, ...]:
    """The steps of a video; `actions` and `types` are the names behind the numbers of its task."""
    fields = ["action", "action_type", "time_stamp", "error_description"]
    given = fields if entry.has(fields[-1]) else fields[:-1]
    columns = [entry.elements_of(field) for field in given]
    lengths = sorted({len(column) for column in columns})
    if len(lengths) > 1:
        entry.fault("", f"lengths {lengths}", f"lists of equal length: {', '.join(fields)}")
        return ()
    if not columns[0]:
        entry.fault("action", [], "at least one segment")
    steps = []
    for action_entry, type_entry, time, *notes in zip(*columns, strict=True):
        action = _name_of(action_entry, actions)
        type_name = _name_of(type_entry, types)
        start_s, end_s = 0.0, 0.0
        if isinstance(time.value, list) and len(time.value) == 2:
            named = Entry(
                dict(zip(("start", "end"), time.value, strict=True)), time.place, time.faults
            )
            start_s, end_s = named.times("start", "end")
        else:
            time.fault("", time.value, "[start, end] in seconds")
        note = ""
        for written in notes:
            named = Entry({"error_description": written.value}, written.place, written.faults)
            note = named.text("error_description", is_required=False)
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


def _read_task(task: str, entry: Entry, warnings: WarningList) -> list[Recording]:
    has_types = entry.has("actiontype2idx")
    types = _read_names(entry, "actiontype2idx") if has_types else dict(enumerate(ACTION_TYPES))
    actions = _read_names(entry, "action2idx")
    for name in types.values():
        if name != NORMAL_TYPE and name not in EGOPER_PROPOSALS:
            warnings.add(f"task {task}", f"action type {name!r} is not known: no type proposed")
    recordings, places = [], []
    for item in entry.objects("segments"):
        uid = item.text("video_id")
        labels = item.child("labels").as_object()
        steps = _read_steps(labels, actions, types)
        starts = [step.start_s or 0.0 for step in steps]
        if starts != sorted(starts):
            warnings.add(f"video {uid}", "segments were not in time order and have been sorted")
        background_count = len(labels.elements_of("action")) - len(steps)
        if background_count and steps:
            warnings.add(f"video {uid}", f"{background_count} background segments left out")
        # No written order comes with the file: an action done again is what can be counted.
        repeat_count = len(steps) - len({step.step_id for step in steps})
        recordings.append(Recording(uid, task, steps, order_deviations=repeat_count))
        places.append((uid, item.place))
    note_repeats(places, entry.faults, "video_id")
    return recordings


def read(path: Path) -> Reading:
    warnings = WarningList()
    root = read_json(find_file(path, ANNOTATION_FILE))
    recordings = [
        recording
        for task, entry in root.items()
        for recording in _read_task(task, entry.as_object(), warnings)
    ]
    note_repeats(((item.uid, f"task {item.scenario}") for item in recordings), root.faults, "video")
    root.faults.raise_if_any()
    for item in recordings:
        if not item.steps:
            warnings.add(f"video {item.uid}", "left out: it has background segments only")
    recordings = [item for item in recordings if item.steps]
    steps = [(item, step) for item in recordings for step in item.steps]
    # The actions that the recordings of a task did without an error, first seen first.
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for item, step in steps:
        if not step.labels:
            texts[item.scenario][step.step_id] = step.text
    with_mistakes = {item.uid for item, step in steps if step.labels}
    labels = Counter(label.name for _item, step in steps for label in step.labels)
    return Reading(
        *takes_and_traces(recordings, with_mistakes, texts, EGOPER_PROPOSALS),
        native_labels=dict(labels),
        derived={"normal_segments": sum(not step.labels for _item, step in steps)},
        warnings=warnings.as_tuple(),
    )
