"""Reader of EgoOops: segments with mistake labels, captions and instruction numbers.

Order mistakes are not in the file. The four rules of `derive_order_labels` reproduce the counts
that the paper prints, for every task (EgoOops, Table 9).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.corpus.formats.folders import find_file
from annotation.engine.corpus.formats.native_labels import EGOOOPS_PROPOSALS, Derived
from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json
from annotation.engine.corpus.formats.recordings import RecordedStep, Recording, takes_and_traces
from annotation.engine.corpus.procedure import NativeLabel, Reading, WarningList

TITLE = "EgoOops"
DESCRIPTION = (
    "The folder with meta/metadata.json, or that file alone. Videos without a mistake label "
    "become takes, the others traces."
)
IS_VERIFIED = True
LICENCE = "CC BY-SA 4.0"

METADATA_FILE = "metadata.json"
CLASSES_FILE = "mistake_classes.json"
# The six strings of meta/mistake_classes.json in their order, for a metadata file that comes alone.
MISTAKE_CLASSES = tuple(EGOOOPS_PROPOSALS)
# The instruction number of a segment that no instruction describes.
UNDEFINED_INSTRUCTION = -1


@dataclass(frozen=True, slots=True)
class EgoOopsSegment:
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
    segments: tuple[EgoOopsSegment, ...]


def derive_order_labels(
    instructions: Sequence[int], step_count: int
) -> tuple[list[int], list[list[Derived]]]:
    """The left-out steps, and for each segment (by start time) its order labels.

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


def _read_segment(entry: Entry, instruction_count: int, classes: tuple[str, ...]) -> EgoOopsSegment:
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
    return EgoOopsSegment(start_s, end_s, instruction, tuple(label_names), caption)


def _read_videos(
    root: Entry, instructions: dict[str, tuple[str, ...]], classes: tuple[str, ...]
) -> list[Video]:
    videos, places = [], []
    for entry in root.objects("videos"):
        uid, task = entry.text("video_id"), entry.text("task_id")
        if task not in instructions:
            entry.fault("task_id", task, "a task that has instructions")
        count = len(instructions.get(task, ()))
        segments = [_read_segment(item, count, classes) for item in entry.objects("segments")]
        if not segments:
            entry.fault("segments", [], "at least one segment")
        videos.append(Video(uid, task, tuple(segments)))
        places.append((uid, entry.place))
    note_repeats(places, root.faults, "video_id")
    for video in videos:
        for index, segment in enumerate(video.segments):
            if segment.instruction == UNDEFINED_INSTRUCTION and not segment.caption.strip():
                root.faults.add(
                    f"video {video.uid} segment {index}",
                    "caption",
                    segment.caption,
                    "a caption where no instruction describes the segment",
                )
    root.faults.raise_if_any()
    return videos


def _make_recording(
    video: Video, instructions: tuple[str, ...], warnings: WarningList
) -> Recording:
    segments = tuple(sorted(video.segments, key=lambda segment: segment.start_s))
    if segments != video.segments:
        warnings.add(f"video {video.uid}", "segments were not in time order and have been sorted")
    numbers = [segment.instruction for segment in segments]
    missing, derived = derive_order_labels(numbers, len(instructions))
    steps = []
    for segment, names in zip(segments, derived, strict=True):
        is_undefined = segment.instruction == UNDEFINED_INSTRUCTION
        labels = [NativeLabel(name=name, note=segment.caption) for name in segment.label_names]
        labels += [NativeLabel(name=name.value, is_derived=True) for name in names]
        steps.append(
            RecordedStep(
                # The caption says what the person did; the instruction what the step should be.
                text=segment.caption or ("" if is_undefined else instructions[segment.instruction]),
                step_id="" if is_undefined else str(segment.instruction),
                start_s=segment.start_s,
                end_s=segment.end_s,
                labels=tuple(labels),
            )
        )
    missing_label = NativeLabel(name=Derived.MISSING.value, is_derived=True)
    steps += [
        RecordedStep(instructions[n], str(n), labels=(missing_label,), is_missing=True)
        for n in missing
    ]
    return Recording(
        uid=video.uid,
        scenario=video.task,
        steps=tuple(steps),
        order_deviations=len(missing) + sum(map(len, derived)),
    )


def read(path: Path) -> Reading:
    warnings = WarningList()
    metadata_path = find_file(path, METADATA_FILE)
    classes_path = metadata_path.with_name(CLASSES_FILE)
    classes = MISTAKE_CLASSES
    if classes_path.is_file():
        classes_root = read_json(classes_path)
        classes = tuple(item.as_text() for item in classes_root.elements())
        classes_root.faults.raise_if_any()
    else:
        warnings.add(metadata_path.name, f"{CLASSES_FILE} is not beside it: used the published six")
    root = read_json(metadata_path)
    instructions = {
        task: tuple(item.as_text() for item in entry.elements())
        for task, entry in root.child("instructions").items()
    }
    videos = _read_videos(root, instructions, classes)
    recordings = [_make_recording(video, instructions[video.task], warnings) for video in videos]
    with_mistakes = {
        video.uid for video in videos if any(segment.label_names for segment in video.segments)
    }
    texts = {
        task: {str(number): text for number, text in enumerate(of_task)}
        for task, of_task in instructions.items()
    }
    labels = [label for item in recordings for step in item.steps for label in step.labels]
    derived = Counter(label.name for label in labels if label.is_derived)
    return Reading(
        *takes_and_traces(recordings, with_mistakes, texts, EGOOOPS_PROPOSALS),
        native_labels=dict(Counter(label.name for label in labels if not label.is_derived)),
        derived={name.value: derived[name.value] for name in Derived},
        warnings=warnings.as_tuple(),
    )
