"""The base of tasks whose answers are a number for every frame of a recording.

Files hold the numbers. Models and people give intervals with a number each; all other frames are 0.
"""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.engine.answers.values import NUMBERED_FIELDS, ValueFaultError, value_of
from benchmarks.engine.claims import LEVEL, Claim
from benchmarks.engine.frame_values import (
    Numbers,
    frames_of_intervals,
    levels_of_frames,
    pack_frames,
    runs_of_frames,
    thin_frames,
    unpack_frames,
)
from benchmarks.engine.labelled_segments import errors_of, segments_of, step_of
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.prompts import NUMBER, numbered, prompt_of_recording, strict_intervals
from benchmarks.engine.reading import NO_LIST, json_object
from benchmarks.engine.task import (
    AnswerShape,
    Baseline,
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
# For sums whose last two columns are the frames that were compared and the number of answers.
FRAMES_FIGURE: Mapping[str, Figure] = {"frames": lambda sums: ratio(sums[:, -2], sums[:, -1])}
# Tools that sample frames differ at both ends of a recording; this much may be missing or too many.
SLACK_S = 2.0
# The most levels, or runs, that a timeline shows.
LEVELS = 60


class FramesTask(Task):
    """A task whose items have "fps", "frame_count", "duration_s" and "has_video".

    The truth is intervals, which a timeline can draw. `has_scores`: the numbers are scores rather
    than classes.
    """

    shape = AnswerShape.FRAMES
    has_scores: ClassVar[bool] = False

    def label_of(self, item: Item, number: float) -> str:
        """The label of a run of a number on a timeline, "" for a number without a meaning."""
        return f"number {number:g}" if number >= 0 else ""

    def fault_of(self, item: Item, numbers: Numbers) -> str:
        """What is wrong with the numbers, "" for nothing."""
        return ""

    def check(self, item: Item, value: Value) -> str:
        numbers = unpack_frames(value)
        expected, fps = item.payload["frame_count"], item.payload["fps"]
        slack = math.ceil(SLACK_S * fps)
        # Without a video the recording's length is not known beyond its last annotation.
        is_too_long = item.payload["has_video"] and len(numbers) > expected + slack
        if len(numbers) < expected - slack or is_too_long or not len(numbers):
            return f"has {len(numbers)} frames; expected {expected} at {fps:g} a second"
        return self.fault_of(item, numbers)

    def claims(self, item: Item, value: Value) -> Sequence[Claim]:
        """Runs of the same number, or for scores the level of each part of the recording.

        Where there are too many runs to draw, each part gets its commonest number.
        """
        if "frames" not in value:
            return super().claims(item, value)
        if not self.has_scores:
            return [
                Claim(run["start_s"], run["end_s"], label)
                for run in runs_of_frames(thin_frames(value, LEVELS))
                if (label := self.label_of(item, run["number"]))
            ]
        levels = levels_of_frames(value, LEVELS)
        part_s = len(unpack_frames(value)) / value["fps"] / max(1, len(levels))
        return [
            Claim(place * part_s, (place + 1) * part_s, f"level {level:.2f}", LEVEL, level)
            for place, level in enumerate(levels)
        ]

    def read(self, item: Item, text: str) -> Reading:
        intervals = (json_object(text) or {}).get("intervals")
        if not isinstance(intervals, list):
            return Reading(None, NO_LIST)
        try:
            return Reading(value_of(self, item, {"intervals": intervals}))
        except ValueFaultError as error:
            return Reading(None, str(error))


SCHEMA = strict_intervals(**dict.fromkeys(NUMBERED_FIELDS, NUMBER))
STEPS_SYSTEM = (
    "You watch people follow written procedures and say from when to when each step is done. What"
    " lies between the steps belongs to none."
)


def prompt_of_steps(version: str, item: Item) -> Prompt:
    """The prompt that asks for all pieces of the item's "steps", by the steps' numbers."""
    steps = numbered([text for _, text in item.payload["steps"]])
    context = f"Goal: {item.payload['goal']}\n\nThe steps by their numbers:\n{steps}"
    entries = ': of each piece of a step "start_s", "end_s" and "number", the number of the step.'
    return prompt_of_recording(version, STEPS_SYSTEM, item.payload, context, entries, SCHEMA)


def item_of_frames(
    material: Material,
    recording: Recording,
    fps: float,
    *,
    payload: Mapping[str, Any],
    intervals: Sequence[Mapping[str, Any]],
    question: str,
) -> Item:
    """The item of a recording; `intervals` is its truth, `payload` what the task adds to it."""
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
    """When each of `steps` is done, by time; the labels are the steps' ids."""
    return [
        {"start_s": row.start_s, "end_s": row.end_s, "label": step}
        for row, _ in segments_of(recording)
        if (step := step_of(recording, row)) in steps
    ]


def fault_of_whole(numbers: Numbers, most: int, expected: str) -> str:
    """Names the first frame that is not a whole number from 0 to `most`; "" where all are."""
    is_wrong = (numbers < 0) | (numbers > most) | (numbers != np.round(numbers))
    if not is_wrong.any():
        return ""
    place = int(np.argmax(is_wrong))
    return f"frame {place} is {numbers[place]:g}; expected {expected}"


def truth_and_answer(item: Item, value: Value, codes: Mapping[str, int]) -> tuple[Numbers, Numbers]:
    """Truth (codes of its labels, 0 elsewhere) and answer, over the frames that both have."""
    intervals = item.truth["intervals"]
    numbers = [codes[interval["label"]] for interval in intervals]
    count, fps = item.payload["frame_count"], item.payload["fps"]
    truth, answer = frames_of_intervals(intervals, numbers, count, fps), unpack_frames(value)
    length = min(len(truth), len(answer))
    return truth[:length], answer[:length]


def frames_baseline(name: str, items: Sequence[Item], numbers: Iterable[Numbers]) -> Baseline:
    """A baseline with one array of frames per item."""
    pairs = zip(items, numbers, strict=True)
    return Baseline(name, [pack_frames(frames, item.payload["fps"]) for item, frames in pairs])
