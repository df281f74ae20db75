"""Which step does each frame show? Alignment of steps and video (StepFormer; EgoOops, Table 6).

An answer is a number for each frame: that of the step, from 1 on in the order of the procedure, or
0 for the background. Figures are means over recordings.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.engine.frame_values import Numbers, unpack_frames
from benchmarks.engine.frames_task import (
    FPS,
    FRAMES,
    FRAMES_FIGURE,
    FramesTask,
    fault_of_whole,
    frames_baseline,
    intervals_of_steps,
    item_of_frames,
    prompt_of_steps,
)
from benchmarks.engine.labelled_segments import steps_by_id
from benchmarks.engine.material import Material
from benchmarks.engine.measures.counts import by_column, cluster_names
from benchmarks.engine.measures.frame_alignment import NO_STEP, alignment_figures
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    Baseline,
    Earlier,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Tally,
    Turn,
)

NAMES = {
    "f1": ("F1", "Of labelled frames; saying nothing counts as 0."),
    "precision": ("Precision", "Of the frames that a step was said of."),
    "recall": ("Recall", "Of the frames that show a step."),
    "mof": ("MoF", "Of all frames, the background too."),
    "iou": ("IoU", "Of the frames that show a step or were said to."),
}
VERSION = "step_alignment.v2"
WARNING = (
    "on folds that were not published, with the rows of its own features, and means of videos; the"
    " paper does not say how many rows a second that are"
)


class StepAlignment(FramesTask):
    """A step per frame."""

    name = "step_alignment"
    title = "Which step does each frame show?"
    description = "For every frame of a recording: the number of the step, 0 for none."
    measures = (
        *(Measure(key, title, note=note) for key, (title, note) in NAMES.items()),
        *(
            Measure(f"{key}_of_all", f"{title} of all", note="A recording without answer counts 0.")
            for key, (title, _) in NAMES.items()
        ),
        FRAMES,
    )
    settings = (FPS,)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        return [
            item_of_frames(
                material,
                recording,
                settings["fps"],
                # A list: databases do not keep the order of an object.
                payload={"steps": [list(pair) for pair in steps.items()]},
                intervals=intervals,
                question="Which step does each frame of this recording show?",
            )
            for recording in material.timed()
            if (intervals := intervals_of_steps(recording, steps := steps_by_id(recording)))
        ]

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        return prompt_of_steps(VERSION, item)

    def fault_of(self, item: Item, numbers: Numbers) -> str:
        most = len(item.payload["steps"])
        return fault_of_whole(numbers, most, f"a step from 1 to {most}, or 0")

    def label_of(self, item: Item, number: float) -> str:
        """The id of the step, as in the truth."""
        return str(item.payload["steps"][int(number) - 1][0]) if number else ""

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        # Per cluster: sums of the figures of its recordings, their number, that of those without an
        # answer; frames, answers.
        rows = np.zeros((len(names), len(NAMES) + 4))
        for item, answer, place in zip(items, answers, places.tolist(), strict=True):
            if answer.value is None:
                rows[place, -3] += bool((_truth(item) != NO_STEP).any())
                continue
            truth, predicted = _truth(item), unpack_frames(answer.value)
            length = min(len(truth), len(predicted))
            alignment = alignment_figures(predicted[:length] - 1, truth[:length])
            if alignment.recall is not None:
                rows[place, : len(NAMES)] += [getattr(alignment, name) or 0.0 for name in NAMES]
                rows[place, -4] += 1
            rows[place, -2:] += length, 1
        means = by_column(lambda sums: ratio(sums[:, : len(NAMES)], sums[:, [-4]]), NAMES)
        of_all = by_column(
            lambda sums: ratio(sums[:, : len(NAMES)], sums[:, [-4]] + sums[:, [-3]]),
            [f"{key}_of_all" for key in NAMES],
        )
        return Tally(names, rows, {**means, **of_all, **FRAMES_FIGURE})

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        counts = [(item.payload["frame_count"], len(item.payload["steps"])) for item in items]
        numbers = {
            "No step": [np.zeros(count, dtype=np.int64) for count, _ in counts],
            "The procedure in equal parts": [
                np.arange(count) * steps // count + 1 for count, steps in counts
            ],
            "A random step for each frame": [
                rng.integers(1, steps + 1, size=count) for count, steps in counts
            ],
        }
        return [frames_baseline(name, items, frames) for name, frames in numbers.items()]

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (
            "Without a linked video a recording ends with its last annotation, and the background"
            " after it counts nowhere; published rows are of whole videos.",
        )

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, WARNING)


def _truth(item: Item) -> Numbers:
    """The index of each frame's step, `NO_STEP` for none.

    Both ends of a segment are rounded and included, and later segments overwrite earlier ones.
    Source: released code of StepFormer.
    """
    places = {step: place for place, (step, _) in enumerate(item.payload["steps"])}
    fps = item.payload["fps"]
    steps = np.full(item.payload["frame_count"], NO_STEP)
    for interval in item.truth["intervals"]:
        first, last = round(interval["start_s"] * fps), round(interval["end_s"] * fps)
        steps[first : last + 1] = places[interval["label"]]
    return steps


TASK = StepAlignment()
