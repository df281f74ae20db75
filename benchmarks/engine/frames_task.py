"""What tasks share whose answers are a number for every frame of a recording.

Files have the numbers as they are. A model or a person says intervals with a number each; frames
outside of them count as 0.
"""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.engine.answer_values import NUMBERED_FIELDS, ValueFaultError, value_of
from benchmarks.engine.frame_values import (
    Numbers,
    frames_of_intervals,
    levels_of_frames,
    packed,
    runs_of_frames,
    thinned,
    unpacked,
)
from benchmarks.engine.labelled_segments import errors_of, segments_of, step_of
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.prompts import NUMBER, numbered, prompt_of_recording, strict_intervals
from benchmarks.engine.reading import NO_LIST, json_object
from benchmarks.engine.task import (
    LEVEL,
    AnswerShape,
    Baseline,
    Claim,
    Figure,
    Item,
    Measure,
    Prompt,
    Reading,
    Setting,
    Task,
    Value,
)

FPS = Setting("fps", "Frames a second", 2.0, least=0.1, most=60)
FRAMES = Measure(
    "frames", "Frames of a recording", decimals=0, best=None, most=math.inf,
    note="Compared: those that both the recording and the answer have.",
)  # fmt: skip
# Where the frames that were compared, and the answers, are the last columns of the sums.
FRAMES_FIGURE: Mapping[str, Figure] = {"frames": lambda sums: ratio(sums[:, -2], sums[:, -1])}
# Tools that sample frames differ in the first and the last; so many seconds may be missing.
SLACK_S = 2.0
# A timeline shows so many levels, or runs, at most.
LEVELS = 60


class FramesTask(Task):
    """Its items have `fps`, `frame_count`, `duration_s`, and "has_video" as intervals have.

    The truth is intervals all the same, which a timeline can draw. `has_scores`: numbers say how
    much, not which.
    """

    shape = AnswerShape.FRAMES
    has_scores: ClassVar[bool] = False

    def label_of(self, item: Item, number: float) -> str:
        """What a timeline says at a run of a number, "" where that stands for nothing."""
        return f"number {number:g}" if number >= 0 else ""

    def fault_of(self, item: Item, numbers: Numbers) -> str:
        """What is wrong with the numbers themselves, or ""."""
        return ""

    def check(self, item: Item, value: Value) -> str:
        numbers = unpacked(value)
        expected, fps = item.payload["frame_count"], item.payload["fps"]
        slack = math.ceil(SLACK_S * fps)
        # Without a video nobody knows how long a recording goes on after the last that is marked.
        is_too_long = item.payload["has_video"] and len(numbers) > expected + slack
        if len(numbers) < expected - slack or is_too_long or not len(numbers):
            return f"has {len(numbers)} frames; expected {expected} at {fps:g} a second"
        return self.fault_of(item, numbers)

    def claims(self, item: Item, value: Value) -> Sequence[Claim]:
        """Runs of the same number; of scores the level of each part of the recording.

        Where there are more runs than can be seen, a part has its commonest number.
        """
        if "frames" not in value:
            return super().claims(item, value)
        if not self.has_scores:
            return [
                Claim(one["start_s"], one["end_s"], label)
                for one in runs_of_frames(thinned(value, LEVELS))
                if (label := self.label_of(item, one["number"]))
            ]
        levels = levels_of_frames(value, LEVELS)
        part_s = len(unpacked(value)) / value["fps"] / max(1, len(levels))
        return [
            Claim(place * part_s, (place + 1) * part_s, f"level {level:.2f}", LEVEL, level)
            for place, level in enumerate(levels)
        ]

    def read(self, item: Item, text: str) -> Reading:
        given = (json_object(text) or {}).get("intervals")
        if not isinstance(given, list):
            return Reading(None, NO_LIST)
        try:
            return Reading(value_of(self, item, {"intervals": given}))
        except ValueFaultError as error:
            return Reading(None, str(error))


SCHEMA = strict_intervals(**dict.fromkeys(NUMBERED_FIELDS, NUMBER))
OF_STEPS = (
    "You watch people follow written procedures and say from when to when each step is done. What"
    " lies between the steps belongs to none."
)


def prompt_of_steps(version: str, item: Item) -> Prompt:
    """Asks for the pieces of the steps in its "steps", each by its number."""
    steps = numbered([text for _, text in item.payload["steps"]])
    told = f"Goal: {item.payload['goal']}\n\nThe steps by their numbers:\n{steps}"
    asked = ': of each piece of a step "start_s", "end_s" and "number", the number of the step.'
    return prompt_of_recording(version, OF_STEPS, item.payload, told, asked, SCHEMA)


def item_of_frames(
    material: Material,
    recording: Recording,
    fps: float,
    *,
    payload: Mapping[str, Any],
    intervals: Sequence[Mapping[str, Any]],
    question: str,
) -> Item:
    """The item of a recording; `intervals` are its truth, `payload` what the task adds."""
    whole = recording.whole(recording.last_s or 0.0)
    frame_count = math.ceil(whole["duration_s"] * fps - 1e-6)
    return Item(
        key=recording.key,
        **material.origin(recording, {"errors": errors_of(recording)}),
        payload={**whole, "fps": fps, "frame_count": frame_count, **payload},
        question=question,
        truth={"intervals": list(intervals)},
        start_s=0.0,
        moment_s=whole["duration_s"],
        take=recording.uid,
    )


def intervals_of_steps(recording: Recording, steps: Container[str]) -> list[dict[str, Any]]:
    """When the known steps are done, by time; labels are their ids."""
    return [
        {"start_s": row.start_s, "end_s": row.end_s, "label": step}
        for row, _ in segments_of(recording)
        if (step := step_of(recording, row)) in steps
    ]


def fault_of_whole(numbers: Numbers, most: int, expected: str) -> str:
    """The first that is no whole number from 0 to `most`, with what was `expected`, or ""."""
    is_wrong = (numbers < 0) | (numbers > most) | (numbers != np.round(numbers))
    if not is_wrong.any():
        return ""
    place = int(np.argmax(is_wrong))
    return f"frame {place} is {numbers[place]:g}; expected {expected}"


def compared(item: Item, value: Value, codes: Mapping[str, int]) -> tuple[Numbers, Numbers]:
    """Truth by the codes of its labels, 0 outside of any, and answer: the frames that both have."""
    intervals = item.truth["intervals"]
    numbers = [codes[one["label"]] for one in intervals]
    count, fps = item.payload["frame_count"], item.payload["fps"]
    truth, said = frames_of_intervals(intervals, numbers, count, fps), unpacked(value)
    length = min(len(truth), len(said))
    return truth[:length], said[:length]


def frames_baseline(name: str, items: Sequence[Item], numbers: Iterable[Numbers]) -> Baseline:
    """A participant with so many numbers for each item as it has frames."""
    pairs = zip(items, numbers, strict=True)
    return Baseline(name, [packed(said, item.payload["fps"]) for item, said in pairs])
