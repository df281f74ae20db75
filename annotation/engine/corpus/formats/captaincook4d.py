"""Reader of CaptainCook4D: steps with any number of error tags, and the task graphs.

Source: CaptainCook4D annotations, `annotation_json/error_annotations.json` and `task_graphs/`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.corpus.formats.folders import files_named, files_under, find_file
from annotation.engine.corpus.formats.native_labels import CAPTAINCOOK4D_PROPOSALS
from annotation.engine.corpus.formats.reading import note_repeats, read_json
from annotation.engine.corpus.formats.recordings import RecordedStep, Recording, takes_and_traces
from annotation.engine.corpus.formats.task_graphs import count_order_deviations, read_task_graph
from annotation.engine.corpus.procedure import NativeLabel, Reading, TaskGraph, WarningList

TITLE = "CaptainCook4D"
DESCRIPTION = (
    "The folder of the annotations with annotation_json/ and task_graphs/, or "
    "error_annotations.json alone. Recordings without errors become takes, the others traces."
)
IS_VERIFIED = True
LICENCE = "MIT (annotations)"

ERRORS_FILE = "error_annotations.json"
# Names the activities; in spite of its description it holds no errors.
ACTIVITIES_FILE = "complete_step_annotations.json"
DESCRIPTIONS_FILE = "step_idx_description.json"
GRAPHS_FOLDER = "task_graphs"
MISSING_TAG = "Missing Step"
# Every description begins with its action and a hyphen: "Measure and add-Measure and add 2 tbsp
# flour to the bowl", "Add-1/2 tsp salt to the pan", "Chop-Mince 1/4 medium onion". Some changed
# ones say before it what went wrong: "(Spill)Fill-Fill a mug".
_PREFIX = re.compile(r"\s*(?:\(\w+\)\s*)?(?P<action>[A-Za-z]+(?: (?:and |or )?[A-Za-z]+)?)\s*-\s*")
_ENDING = re.compile(r"(?:ting|ing|ed|s|e)$")
# Tags that a changed description has among its words: "Improper technique (side not cleaned)".
_TAG = re.compile(r"\s?\bimproper (?:technique|measurement)\b[.:]?", re.IGNORECASE)
# What the action takes where it is not said again, and small words that say another instead.
_OBJECT_START = re.compile(r"\d|(?:a|less|pepper)\b")
_OTHER_ACTIONS = frozenset({"dry", "increase", "mince", "mix", "slice"})
# What the file writes as start and end of a step without a time.
UNTIMED = -1.0


def shown_text(text: str) -> str:
    """The description without the action before its hyphen, as a person would write it.

    >>> shown_text("Measure and add-Measure and add 2 tbsp flour to the bowl")
    'Measure and add 2 tbsp flour to the bowl'
    >>> shown_text("Add-1/2 tsp salt to the pan"), shown_text("season-pepper to taste")
    ('Add 1/2 tsp salt to the pan', 'Season pepper to taste')
    >>> shown_text("pour-Slowly pour the whisked eggs into the pan")
    'Slowly pour the whisked eggs into the pan'
    >>> shown_text("Use the zip-top bag"), shown_text("Microwave the egg for 15-30 seconds")
    ('Use the zip-top bag', 'Microwave the egg for 15-30 seconds')
    >>> shown_text("Clean-Clean the knife. Improper technique (one side not cleaned)")
    'Clean the knife. (one side not cleaned)'
    """
    text = _TAG.sub("", text).strip()
    found = _PREFIX.match(text)
    rest = "" if found is None else text[found.end() :].strip()
    if found is None or not rest:
        return text
    action = found["action"]
    stem = _ENDING.sub("", action.lower().split()[-1])
    words = re.findall("[a-z]+", rest.lower())
    is_said_again = stem in {_ENDING.sub("", word) for word in words}
    if not is_said_again and _OBJECT_START.match(rest):
        return f"{action[0].upper()}{action[1:]} {rest}"
    if is_said_again or rest[0].isupper() or words[0] in _OTHER_ACTIONS:
        return rest[0].upper() + rest[1:]
    return text


@dataclass(frozen=True, slots=True)
class AnnotatedStep:
    """One row of `step_annotations`; times are None where the file says -1."""

    step_id: str
    description: str
    modified_description: str
    start_s: float | None
    end_s: float | None
    labels: tuple[NativeLabel, ...]

    @property
    def is_tagged_missing(self) -> bool:
        return any(label.name == MISSING_TAG for label in self.labels)


@dataclass(frozen=True, slots=True)
class AnnotatedRecording:
    """One recording; `is_error` is what its file says, whatever its steps are labelled."""

    uid: str
    activity_id: str
    is_error: bool
    steps: tuple[AnnotatedStep, ...]

    @property
    def has_labels(self) -> bool:
        return any(step.labels for step in self.steps)


def _read_recordings(path: Path) -> list[AnnotatedRecording]:
    root = read_json(path)
    recordings, places = [], []
    for entry in [item.as_object() for item in root.elements()]:
        steps = []
        for item in entry.objects("step_annotations"):
            is_untimed = item.number("start_time") == UNTIMED == item.number("end_time")
            start_s, end_s = (None, None) if is_untimed else item.times("start_time", "end_time")
            errors = item.objects("errors") if item.has("errors") else []
            steps.append(
                AnnotatedStep(
                    step_id=item.identifier("step_id"),
                    description=item.text("description"),
                    modified_description=item.text("modified_description", is_required=False),
                    start_s=start_s,
                    end_s=end_s,
                    labels=tuple(
                        NativeLabel(error.text("tag"), error.text("description", is_required=False))
                        for error in errors
                    ),
                )
            )
        if not any(step.start_s is not None for step in steps):
            entry.fault("step_annotations", f"{len(steps)} steps", "at least one step with a time")
        uid, activity_id = entry.text("recording_id"), entry.identifier("activity_id")
        is_error = entry.boolean("is_error")
        recordings.append(AnnotatedRecording(uid, activity_id, is_error, tuple(steps)))
        places.append((uid, entry.place))
    note_repeats(places, root.faults, "recording_id")
    root.faults.raise_if_any()
    return recordings


def _read_activity_names(path: Path, warnings: WarningList) -> dict[str, str]:
    """The name of each activity id; none when the file that names them is not there."""
    if not files_named(path, ACTIVITIES_FILE):
        warnings.add(path.name, f"without {ACTIVITIES_FILE} activities are named by their number")
        return {}
    root = read_json(find_file(path, ACTIVITIES_FILE))
    names: dict[str, str] = {}
    for _uid, item in root.items():
        entry = item.as_object()
        activity_id, name = entry.identifier("activity_id"), entry.text("activity_name")
        if names.setdefault(activity_id, name) != name:
            entry.fault("activity_name", name, f"{names[activity_id]}, as for other recordings")
    root.faults.raise_if_any()
    return names


def _read_graphs(
    path: Path, names: Mapping[str, str], warnings: WarningList
) -> dict[str, TaskGraph]:
    """The task graphs by scenario; an upload may have lost the folder they were in."""
    # `Mug Cake` is in mugcake.json.
    scenarios = {name.replace(" ", "").lower(): name for name in names.values()}
    files = [
        item
        for item in (files_under(path, ".json") if path.is_dir() else [])
        if item.parent.name == GRAPHS_FOLDER or item.stem in scenarios
    ]
    if not files:
        warnings.add(path.name, f"without {GRAPHS_FOLDER}/ order deviations are not counted")
    graphs = {}
    for file in files:
        if file.stem not in scenarios:
            warnings.add(file.name, "no activity has the name of this task graph")
        scenario = scenarios.get(file.stem, file.stem)
        graphs[scenario] = read_task_graph(file, scenario)
    return graphs


def _warn_of_other_descriptions(
    path: Path, recordings: Sequence[AnnotatedRecording], warnings: WarningList
) -> None:
    found = files_named(path, DESCRIPTIONS_FILE)
    if not found:
        return
    root = read_json(found[0])
    known = {step_id: entry.value for step_id, entry in root.items()}
    root.faults.raise_if_any()
    for item in recordings:
        for step in item.steps:
            if known.get(step.step_id, step.description) != step.description:
                where = f"recording {item.uid} step_id {step.step_id}"
                message = f"{DESCRIPTIONS_FILE} has {known[step.step_id]!r} for this step"
                warnings.add(where, message)


def _warn_of(recording: AnnotatedRecording, warnings: WarningList) -> None:
    where = f"recording {recording.uid}"
    starts = [step.start_s for step in recording.steps if step.start_s is not None]
    if starts != sorted(starts):
        warnings.add(where, "steps were not in time order and have been sorted by start time")
    if recording.is_error != recording.has_labels:
        said = "is_error is true without any error" if recording.is_error else "is_error is false"
        kept = "a take" if not recording.has_labels else "a trace, as steps carry errors"
        warnings.add(where, f"{said}: read as {kept}")
    for step in recording.steps:
        where = f"recording {recording.uid} step_id {step.step_id}"
        is_timed, is_missing = step.start_s is not None, step.is_tagged_missing
        if not is_timed and not is_missing:
            warnings.add(where, f"has no time and no {MISSING_TAG!r}: kept as an untimed step")
        if is_timed and is_missing:
            warnings.add(where, f"is tagged {MISSING_TAG!r} but has a time: kept as performed")
        if step.modified_description and not step.labels:
            warnings.add(where, "has a modified description but no error")
        notes = {"", *(label.note for label in step.labels)}
        if is_missing and step.modified_description not in notes:
            warnings.add(where, f"left out, so not shown: {step.modified_description!r}")
        for name in (label.name for label in step.labels):
            if name not in CAPTAINCOOK4D_PROPOSALS:
                warnings.add(where, f"tag {name!r} is not one of the eight: no type proposed")


def _make_recording(
    item: AnnotatedRecording, names: Mapping[str, str], graphs: Mapping[str, TaskGraph]
) -> Recording:
    scenario = names.get(item.activity_id, f"Activity {item.activity_id}")
    graph = graphs.get(scenario)
    starts: dict[str, float] = {}
    steps = []
    for step in item.steps:
        if step.start_s is not None:
            first = starts.get(step.description, step.start_s)
            starts[step.description] = min(first, step.start_s)
        # A take is read as the procedure has it.
        is_as_done = item.has_labels and not step.is_tagged_missing
        steps.append(
            RecordedStep(
                text=(step.modified_description if is_as_done else "") or step.description,
                step_id=step.step_id,
                start_s=step.start_s,
                end_s=step.end_s,
                labels=step.labels,
                is_missing=step.is_tagged_missing and step.start_s is None,
            )
        )
    # Each use of a step beyond its first departs from a procedure that has it once.
    repeat_count = sum(step.start_s is not None for step in item.steps) - len(starts)
    return Recording(
        uid=item.uid,
        scenario=scenario,
        steps=tuple(steps),
        order_deviations=repeat_count + (count_order_deviations(graph, starts) if graph else 0),
    )


def read(path: Path) -> Reading:
    warnings = WarningList()
    items = _read_recordings(find_file(path, ERRORS_FILE))
    names = _read_activity_names(path, warnings)
    graphs = _read_graphs(path, names, warnings)
    _warn_of_other_descriptions(path, items, warnings)
    for item in items:
        _warn_of(item, warnings)
    recordings = [_make_recording(item, names, graphs) for item in items]
    texts: dict[str, dict[str, str]] = defaultdict(dict)  # by step id, of each scenario
    for item, recording in zip(items, recordings, strict=True):
        for step in item.steps:
            texts[recording.scenario].setdefault(step.step_id, step.description)
    with_mistakes = {item.uid for item in items if item.has_labels}
    is_timed = [step.start_s is not None for item in items for step in item.steps]
    tags = Counter(label.name for item in items for step in item.steps for label in step.labels)
    return Reading(
        *takes_and_traces(recordings, with_mistakes, texts, CAPTAINCOOK4D_PROPOSALS),
        task_graphs=tuple(graphs[scenario] for scenario in sorted(graphs)),
        native_labels=dict(tags),
        derived={
            "timed_steps": is_timed.count(True),
            "untimed_steps": is_timed.count(False),
            "task_graphs": len(graphs),
            "graph_nodes": sum(len(graph.nodes) for graph in graphs.values()),
            "graph_edges": sum(len(graph.edges) for graph in graphs.values()),
        },
        warnings=warnings.as_tuple(),
    )
