"""Which moments are unusual? Anomaly detection (CaptainCook4D, B.2).

An answer is a score for each frame, higher for less usual ones. Frames within a step that was done
wrongly are abnormal, those between steps are normal. The paper does not say whether the frames of
all recordings are ranked together, and its code was not released: figures are given for both.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.frames_task import (
    FPS,
    FRAMES,
    FRAMES_FIGURE,
    SCHEMA,
    FramesTask,
    frames_baseline,
    item_of_frames,
    truth_and_answer,
)
from benchmarks.engine.happenings import references_of
from benchmarks.engine.labelled_segments import MISTAKE, segments_of
from benchmarks.engine.material import Material, written_of
from benchmarks.engine.measures.counts import cluster_names, computed_once
from benchmarks.engine.measures.decisions import (
    AreaByRecording,
    Bools,
    Floats,
    Ints,
    RatesByRecording,
    curve,
)
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.prompts import goal_and_procedure, prompt_of_recording
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.task import (
    PLAIN,
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
    Turn,
)

CODES = {MISTAKE: 1}
# Every draw ranks all frames, which is slow; this many draws are enough for an interval.
MOST_EXACT = 1000
ONE_CLASS = "only of recordings that have both normal and abnormal frames"
UNANSWERED = "Frames of a recording without an answer are ranked worst."
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
    version = 2
    changes = {
        2: "Both of two steps that changed places are mistakes, and steps that merely follow from"
        " a mistake are none; recordings without mistakes have the procedure of the others, no"
        " longer their own steps in their own order."
    }
    has_scores = True
    details_with_truth = frozenset({"recordings"})
    description = "For every frame of a recording: a score, higher for what is less usual."
    measures = (
        Measure("auc", "AUC, frames pooled"),
        Measure("eer", "EER, frames pooled", best=Best.LOWEST),
        Measure("auc_mean", "AUC, mean of recordings", note=f"Mean {ONE_CLASS}."),
        Measure("eer_mean", "EER, mean of recordings", best=Best.LOWEST, note=f"Mean {ONE_CLASS}."),
        Measure("auc_of_all", "AUC of all, frames pooled", note=UNANSWERED),
        Measure("eer_of_all", "EER of all, frames pooled", best=Best.LOWEST, note=UNANSWERED),
        Measure("auc_mean_of_all", "AUC of all, mean of recordings", note=UNANSWERED),
        Measure(
            "eer_mean_of_all", "EER of all, mean of recordings", best=Best.LOWEST, note=UNANSWERED
        ),
        FRAMES,
    )
    settings = (
        FPS,
        Setting("only", "Only these recordings: ids, separated by blanks", "", is_long=True),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        references = references_of(material)
        return [
            item_of_frames(
                material,
                recording,
                settings["fps"],
                payload=written_of(references[recording.key]),
                intervals=[
                    {"start_s": row.start_s, "end_s": row.end_s, "label": MISTAKE}
                    for row, label in segments_of(recording)
                    if label == MISTAKE
                ],
                question="How unusual is each frame of this recording?",
            )
            for recording in material.timed(settings["only"])
        ]

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        entries = (
            ' of what is unusual: "start_s", "end_s" and "number", from 0 to 1, how unusual it is.'
            " What you leave out counts as 0."
        )
        context = goal_and_procedure(item.payload)
        return prompt_of_recording(VERSION, SYSTEM, item.payload, context, entries, SCHEMA)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        truths, scores, owners, is_read = [], [], [], []
        # Per cluster: sums of AUC and EER of single recordings, their number, the number of those
        # without an answer; frames, answers.
        rows = np.zeros((len(names), 6))
        for item, answer, place in zip(items, answers, places.tolist(), strict=True):
            value = answer.value or self.worst(item) or {}
            truth, predicted = truth_and_answer(item, value, CODES)
            truths.append(truth == 1)
            scores.append(predicted.astype(np.float64))
            owners.append(np.full(len(truth), place))
            is_read.append(np.full(len(truth), answer.value is not None))
            roc = curve(truths[-1], scores[-1])
            if answer.value is None:
                # With every frame ranked worst its AUC is 0 and its EER 1.
                rows[place, 3] += roc is not None
                continue
            if roc is not None:
                rows[place, :3] += roc.area, roc.equal_error_rate, 1
            rows[place, 4:] += len(truth), 1
        figures: dict[str, Figure] = {
            "auc_mean": lambda sums: ratio(sums[:, -6], sums[:, -4]),
            "eer_mean": lambda sums: ratio(sums[:, -5], sums[:, -4]),
            "auc_mean_of_all": lambda sums: ratio(sums[:, -6], sums[:, -4] + sums[:, -3]),
            "eer_mean_of_all": lambda sums: ratio(
                sums[:, -5] + sums[:, -3], sums[:, -4] + sums[:, -3]
            ),
            **FRAMES_FIGURE,
        }
        truth, owner = np.concatenate(truths), np.concatenate(owners)
        score, read = np.concatenate(scores), np.concatenate(is_read)
        if read.any():
            figures |= _pooled("", truth[read], score[read], owner[read])
            worst = np.where(truth, score[read].min() - 1, score[read].max() + 1)
            figures |= _pooled("_of_all", truth, np.where(read, score, worst), owner)
        return Tally(names, np.hstack([np.eye(len(names)), rows]), figures, MOST_EXACT)

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        rows = []
        for item, answer in zip(items, answers, strict=True):
            if answer.value is None:
                continue
            truth, predicted = truth_and_answer(item, answer.value, CODES)
            roc = curve(truth == 1, predicted.astype(np.float64))
            cells = {"frames": Cell(len(truth)), "abnormal": Cell(int(truth.sum()))}
            if roc is not None:
                cells |= {"auc": Cell(roc.area), "eer": Cell(roc.equal_error_rate)}
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
        counts = [item.payload["frame_count"] for item in items]
        numbers = {
            "Every frame alike": [np.zeros(count) for count in counts],
            "Random scores": [rng.random(count, dtype=np.float32) for count in counts],
            "The later, the less usual": [np.arange(count, dtype=np.int64) for count in counts],
        }
        return [frames_baseline(name, items, frames) for name, frames in numbers.items()]

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (
            "The paper does not say whether frames of all recordings were ranked together: there"
            " are columns for both, and published rows are in the pooled ones.",
            "A step that was left out has no frames, and frames between steps are normal.",
        )

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, WARNING)


def _pooled(ending: str, truth: Bools, scores: Floats, owners: Ints) -> dict[str, Figure]:
    """AUC and EER of frames, (F,) each; `owners` are the clusters, from 0 on."""
    area = AreaByRecording.of(truth, scores, owners)
    rates = RatesByRecording.of(truth, scores, owners)
    # Neither knows the clusters after the last one with an answer.
    count = len(area.positives)
    return {
        f"auc{ending}": lambda sums: area.areas(sums[:, :count]),
        f"eer{ending}": computed_once(lambda sums: rates.rates(sums[:, :count])),
    }


TASK = Anomaly()
