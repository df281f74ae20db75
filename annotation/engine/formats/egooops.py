"""Reader of EgoOops: segments with mistake labels, captions and instruction numbers.

Order mistakes are not in the file. The four rules of `derive_order_labels` reproduce the counts
that the paper prints, for every task (EgoOops, Table 9).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from annotation.engine.formats.native_labels import EGOOOPS_PROPOSALS, Derived, propose_type
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

TITLE = "EgoOops"
DESCRIPTION = (
    "The folder with meta/metadata.json, or that file alone. Videos without a mistake label "
    "become takes, the others traces."
)
IS_VERIFIED = True

METADATA_FILE = "metadata.json"
CLASSES_FILE = "mistake_classes.json"
# The six strings of meta/mistake_classes.json in their order, for a metadata file that comes alone.
MISTAKE_CLASSES = tuple(EGOOOPS_PROPOSALS)
# The instruction number of a segment that no instruction describes.
UNDEFINED_INSTRUCTION = -1


@dataclass(frozen=True, slots=True)
class Segment:
    """One annotated segment; `instruction` counts from 0, -1 where none describes it."""

    start_s: float
    end_s: float
    instruction: int
    label_names: tuple[str, ...]
    caption: str


@dataclass(frozen=True, slots=True)
class Video:
    """One recording of a task; its segments stand as in the file until they are sorted by time."""

    uid: str
    task: str
    segments: tuple[Segment, ...]


def derive_order_labels(
    instructions: Sequence[int], step_count: int
) -> tuple[list[int], list[list[Derived]]]:
    """Return the left-out steps, and for each segment (by start time) its order labels.

    With -1 taken out of `instructions`: missing is a step without a segment; out_of_order a
    segment whose neighbour before it has a higher number; pause_and_resume the first segment of a
    step that has several; undefined_step a segment with -1.
    """
    counts = Counter(number for number in instructions if number != UNDEFINED_INSTRUCTION)
    labels: list[list[Derived]] = [[] for _ in instructions]
    seen: set[int] = set()
    number_before = UNDEFINED_INSTRUCTION
    for found, number in zip(labels, instructions, strict=True):
        if number == UNDEFINED_INSTRUCTION:
            found.append(Derived.UNDEFINED_STEP)
            continue
        if number < number_before:
            found.append(Derived.OUT_OF_ORDER)
        if counts[number] > 1 and number not in seen:
            found.append(Derived.PAUSE_AND_RESUME)
        seen.add(number)
        number_before = number
    return [number for number in range(step_count) if number not in counts], labels


def _read_classes(metadata_path: Path, warnings: WarningList) -> tuple[str, ...]:
    path = metadata_path.with_name(CLASSES_FILE)
    if not path.is_file():
        warnings.add(metadata_path.name, f"{CLASSES_FILE} is not beside it: used the published six")
        return MISTAKE_CLASSES
    root = read_json(path)
    names = tuple(item.as_text() for item in root.elements())
    root.faults.raise_if_any()
    return names


def _read_segment(entry: Entry, instruction_count: int, classes: tuple[str, ...]) -> Segment:
    start_s, end_s = entry.times("startTime", "endTime")
    instruction = entry.integer("instruction")
    if not UNDEFINED_INSTRUCTION <= instruction < instruction_count:
        expected = f"-1 or an instruction from 0 to {instruction_count - 1}"
        entry.fault("instruction", instruction, expected)
    label_names = []
    for item in entry.elements_of("labels"):
        if type(item.value) is int and 0 <= item.value < len(classes):  # True is no class
            label_names.append(classes[item.value])
        else:
            item.fault("", item.value, f"a mistake class from 0 to {len(classes) - 1}")
    caption = entry.text("caption", is_required=False)
    return Segment(start_s, end_s, instruction, tuple(label_names), caption)


def _read_video(
    entry: Entry, instructions: dict[str, tuple[str, ...]], classes: tuple[str, ...]
) -> Video:
    uid, task = entry.text("video_id"), entry.text("task_id")
    if task not in instructions:
        entry.fault("task_id", task, "a task that has instructions")
    instruction_count = len(instructions.get(task, ()))
    segments = [
        _read_segment(item, instruction_count, classes) for item in entry.objects("segments")
    ]
    if not segments:
        entry.fault("segments", [], "at least one segment")
    return Video(uid, task, tuple(segments))


def _sorted_by_time(video: Video, warnings: WarningList) -> Video:
    ordered = tuple(sorted(video.segments, key=lambda segment: segment.start_s))
    if ordered != video.segments:
        warnings.add(f"video {video.uid}", "segments were not in time order and have been sorted")
    return replace(video, segments=ordered)


def _recorded_step(
    segment: Segment, derived: list[Derived], instructions: tuple[str, ...]
) -> RecordedStep:
    is_undefined = segment.instruction == UNDEFINED_INSTRUCTION
    native = [NativeLabel(name=name, note=segment.caption) for name in segment.label_names]
    return RecordedStep(
        # The caption says what the person did; the instruction what the step should be.
        text=segment.caption or ("" if is_undefined else instructions[segment.instruction]),
        step_id="" if is_undefined else str(segment.instruction),
        start_s=segment.start_s,
        end_s=segment.end_s,
        labels=(*native, *(NativeLabel(name=name.value, is_derived=True) for name in derived)),
    )


def _missing_step(number: int, instructions: tuple[str, ...]) -> RecordedStep:
    label = NativeLabel(name=Derived.MISSING.value, is_derived=True)
    return RecordedStep(
        text=instructions[number], step_id=str(number), labels=(label,), is_missing=True
    )


def _make_recording(video: Video, instructions: tuple[str, ...]) -> Recording:
    numbers = [segment.instruction for segment in video.segments]
    missing, derived = derive_order_labels(numbers, len(instructions))
    steps = [
        _recorded_step(segment, names, instructions)
        for segment, names in zip(video.segments, derived, strict=True)
    ]
    steps.extend(_missing_step(number, instructions) for number in missing)
    return Recording(
        uid=video.uid,
        scenario=video.task,
        steps=tuple(steps),
        order_deviations=len(missing) + sum(map(len, derived)),
    )


def _written_procedure(instructions: dict[str, tuple[str, ...]], task: str) -> Take:
    return Take(
        uid=f"{task}:written",
        name=f"{task}, written procedure",
        scenario=task,
        steps=tuple(
            Step(text=text, step_id=str(number)) for number, text in enumerate(instructions[task])
        ),
    )


def _has_native_label(recording: Recording) -> bool:
    return any(not label.is_derived for step in recording.steps for label in step.labels)


def _count_labels(recordings: Sequence[Recording], *, is_derived: bool) -> Counter[str]:
    return Counter(
        label.name
        for recording in recordings
        for step in recording.steps
        for label in step.labels
        if label.is_derived is is_derived
    )


def _check_texts(videos: Sequence[Video], root: Entry) -> None:
    for video in videos:
        for index, segment in enumerate(video.segments):
            if segment.instruction == UNDEFINED_INSTRUCTION and not segment.caption.strip():
                root.faults.add(
                    place=f"video {video.uid} segment {index}",
                    field="caption",
                    value=segment.caption,
                    expected="a caption where no instruction describes the segment",
                )


def _read_videos(
    root: Entry, instructions: dict[str, tuple[str, ...]], classes: tuple[str, ...]
) -> list[Video]:
    entries = root.objects("videos")
    videos = [_read_video(entry, instructions, classes) for entry in entries]
    places = ((video.uid, entry.place) for video, entry in zip(videos, entries, strict=True))
    note_repeats(places, root.faults, "video_id")
    _check_texts(videos, root)
    root.faults.raise_if_any()
    return videos


def read(path: Path) -> Reading:
    """Return takes, traces and label counts of `meta/metadata.json`."""
    warnings = WarningList()
    metadata_path = find_file(path, METADATA_FILE)
    classes = _read_classes(metadata_path, warnings)
    root = read_json(metadata_path)
    instructions = {
        task: tuple(item.as_text() for item in entry.elements())
        for task, entry in root.child("instructions").items()
    }
    videos = [
        _sorted_by_time(video, warnings) for video in _read_videos(root, instructions, classes)
    ]
    recordings = [_make_recording(video, instructions[video.task]) for video in videos]
    takes = tuple(
        make_take(replace(item, steps=tuple(step for step in item.steps if not step.is_missing)))
        for item in recordings
        if not _has_native_label(item)
    )
    chooser = ReferenceChooser(takes, partial(_written_procedure, instructions))
    propose = partial(propose_type, proposals=EGOOOPS_PROPOSALS)
    traces = tuple(
        make_trace(item, chooser.choose(item.scenario, item.left_out_step_ids()), propose)
        for item in recordings
        if _has_native_label(item)
    )
    derived = _count_labels(recordings, is_derived=True)
    return Reading(
        takes=takes + chooser.written_takes(),
        traces=traces,
        native_labels=dict(_count_labels(recordings, is_derived=False)),
        derived={name.value: derived[name.value] for name in Derived},
        warnings=warnings.as_tuple(),
    )
