"""Which moments are not as they should be? Anomaly detection (CaptainCook4D, B.2).

An answer is a score for each frame, higher for what is less usual; frames inside a step that was
done wrongly are abnormal, those between steps are normal. The paper does not say whether frames of
all recordings are ranked together, and its code is not there: both ways are told.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.frame_values import packed
from benchmarks.engine.frames_task import (
    FPS,
    FRAMES,
    SCHEMA,
    FramesTask,
    compared,
    item_of_frames,
)
from benchmarks.engine.happenings import numbered, procedure_of
from benchmarks.engine.labelled_segments import MISTAKE, segments_of
from benchmarks.engine.material import Material
from benchmarks.engine.measures.counts import cluster_names, once, ratio
from benchmarks.engine.measures.decisions import AreaByRecording, RatesByRecording, curve
from benchmarks.engine.task import (
    Answered,
    Baseline,
    Best,
    Earlier,
    Figure,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Setting,
    Tally,
)

CODES = {MISTAKE: 1}
# Every draw ranks all frames: so many are enough for an interval.
MOST_EXACT = 1000
ONE_CLASS = "only of recordings that have both normal and abnormal frames"
VERSION = "anomaly.v1"
SYSTEM = (
    "You watch people follow written procedures and say how unusual what they do is: a step done"
    " wrongly, with the wrong thing, at the wrong place in the order."
)
WARNING = (
    "trained on recordings without errors; whether frames were pooled, and which errors mark"
    " frames, is not said, and no code was found"
)


class Anomaly(FramesTask):
    """A score per frame."""

    name = "anomaly"
    title = "Which moments are unusual?"
    has_scores = True
    description = "For every frame of a recording: a score, higher for what is less usual."
    measures = (
        Measure("auc", "AUC, frames pooled"),
        Measure("eer", "EER, frames pooled", best=Best.LOWEST),
        Measure("auc_mean", "AUC, mean of recordings", note=f"Mean {ONE_CLASS}."),
        Measure("eer_mean", "EER, mean of recordings", best=Best.LOWEST, note=f"Mean {ONE_CLASS}."),
        FRAMES,
    )
    settings = (
        FPS,
        Setting("only", "Only these recordings: ids, separated by blanks", "", is_long=True),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        found = 0
        for recording in material.only(settings["only"]):
            segments = segments_of(recording)
            if not segments:
                continue
            found += 1
            intervals = [
                {"start_s": row.start_s, "end_s": row.end_s, "label": MISTAKE}
                for row, said in segments
                if said == MISTAKE
            ]
            yield item_of_frames(
                material,
                recording,
                settings["fps"],
                payload={"procedure": procedure_of(recording.take)},
                intervals=intervals,
                question="How unusual is each frame of this recording?",
            )
        if not found:
            raise ValueError(f"{material.name} has no recording with timed steps")

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        text = (
            f"Goal: {item.payload['goal']}\n\nThe procedure:\n{numbered(item.payload['procedure'])}"
            f"\n\nThe recording has {item.payload['duration_s']:.1f} s. Answer with a JSON object"
            ' with a list "intervals" of what is unusual: "start_s", "end_s" and "number", from 0'
            " to 1, how unusual it is. What you leave out counts as 0."
        )
        note = "Pictures of the recording, in the order of time:"
        return Prompt(VERSION, SYSTEM, text, SCHEMA, max_tokens=2000, picture_note=note)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        truths, scores, owners = [], [], []
        # Areas and rates of single recordings with how many have one; frames and answers.
        rows = np.zeros((len(names), 5))
        for item, answer, place in zip(items, answers, places.tolist(), strict=True):
            if answer.value is None:
                continue
            truth, said = compared(item, answer.value, CODES)
            truths.append(truth == 1)
            scores.append(said.astype(np.float64))
            owners.append(np.full(len(truth), place))
            found = curve(truths[-1], scores[-1])
            if found is not None:
                rows[place, :3] += found.area, found.equal_error_rate, 1
            rows[place, 3:] += len(truth), 1
        figures: dict[str, Figure] = {
            "auc_mean": lambda sums: ratio(sums[:, -5], sums[:, -3]),
            "eer_mean": lambda sums: ratio(sums[:, -4], sums[:, -3]),
            "frames": lambda sums: ratio(sums[:, -2], sums[:, -1]),
        }
        if truths:
            columns = np.concatenate(truths), np.concatenate(scores), np.concatenate(owners)
            area, rates = AreaByRecording.of(*columns), RatesByRecording.of(*columns)
            # Recordings after the last one that was answered are in neither.
            count = len(area.positives)
            figures["auc"] = lambda sums: area.areas(sums[:, :count])
            figures["eer"] = once(lambda sums: rates.rates(sums[:, :count]))
        return Tally(names, np.hstack([np.eye(len(names)), rows]), figures, MOST_EXACT)

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        rows = []
        for item, answer in zip(items, answers, strict=True):
            if answer.value is None:
                continue
            truth, said = compared(item, answer.value, CODES)
            found = curve(truth == 1, said.astype(np.float64))
            cells = {"frames": Cell(len(truth)), "abnormal": Cell(int(truth.sum()))}
            if found is not None:
                cells |= {"auc": Cell(found.area), "eer": Cell(found.equal_error_rate)}
            rows.append(Row(Cell(item.payload["recording_id"]), cells))
        columns = (
            Column("frames", "Frames"),
            Column("abnormal", "Abnormal frames"),
            Column("auc", "AUC", 3),
            Column("eer", "EER", 3),
        )
        notes = ("A recording with frames of one class alone has neither AUC nor EER.",)
        groups = (RowGroup("", tuple(rows)),)
        return (Table("recordings", "Each recording", "Recording", columns, groups, notes),)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        counts = [(item.payload["frame_count"], item.payload["fps"]) for item in items]
        return (
            Baseline("Every frame alike", [packed(np.zeros(count), fps) for count, fps in counts]),
            Baseline(
                "Random scores",
                [packed(rng.random(count, dtype=np.float32), fps) for count, fps in counts],
            ),
            Baseline(
                "The later, the less usual",
                [packed(np.arange(count, dtype=np.int64), fps) for count, fps in counts],
            ),
        )

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (
            "The paper does not say whether frames of all recordings were ranked together: both"
            " ways are told, and published rows stand beside the pooled one.",
            "A step that was left out has no frames, and what lies between steps is normal.",
        )

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return [
            PublishedRow(
                name,
                {"auc": auc / 100, "eer": eer / 100},
                "CaptainCook4D, Table 9",
                WARNING,
            )
            for name, auc, eer in (("SSMCTB", 50.65, 49.65), ("SSPCAB", 50.25, 49.74))
        ]


TASK = Anomaly()
