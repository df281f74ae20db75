"""Which steps were done wrongly, and when? Mistake detection of EgoOops (4, 5.1).

An answer is a segment for each step with one of three classes. A hit names video, step and class
and overlaps; segments of no step have the step -1. Correct segments are part of an answer but are
in no figure.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from annotation.engine.corpus.procedure import Take
from benchmarks.engine.claims import Claim
from benchmarks.engine.folds import OWN_FOLDS, POOLED, fold_places, fold_setting, fold_warnings
from benchmarks.engine.happenings import references_of
from benchmarks.engine.labelled_intervals import (
    PER_RECORDING,
    Draws,
    IntervalsTask,
    Rows,
    equal_parts,
    interval,
    interval_columns,
    intervals_baseline,
    intervals_schema,
    precision_figures,
    random_intervals,
)
from benchmarks.engine.labelled_segments import (
    CLASSES,
    CORRECT,
    CORRECTION,
    MISTAKE,
    segment_row,
    segments_of,
    step_of,
    steps_by_id,
)
from benchmarks.engine.labelled_segments import NO_STEP as NO_STEP_IN_WORDS
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.localisation import Intervals, ranked_hits
from benchmarks.engine.prompts import prompt_of_recording
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    Baseline,
    Earlier,
    Figure,
    Item,
    Measure,
    Prediction,
    Prompt,
    PublishedRow,
    Sample,
    Turn,
    Value,
)

NO_STEP = "-1"
OVERLAPS = (0.1, 0.2, 0.3)
SCORED = (MISTAKE, CORRECTION)
VERSION = "mistake_detection.v1"
SYSTEM = (
    "You watch people follow written procedures. Say from when to when each step is done, and look"
    " closely for what they do wrongly and for what they put right again."
)
NOT_TO_BE_FOUND = (
    "In EgoOops 35 of 95 labelled segments belong to no step, all 7 corrections among them: who"
    " gives segments of steps alone has an mAP of 34.1 per cent at most, with one segment per step"
    " 31.8."
)
OVER = (
    "Mean over mistakes, corrections and overlaps; where there is no correction, over mistakes"
    " alone."
)
COUNTED = {
    "true": "True segments",
    "true_known": "of a step",
    "said": "Found",
    "said_known": "of a step",
}
WARNING = (
    "the paper's five folds are not published, and how segments of no step count is not said; all"
    " corrections are such segments, so who gives one segment per step cannot pass 34.1"
)

ALSO_OVER_ALL = {
    "map": "mAP",
    "ap_mistake": "AP of mistakes",
    "ap_correction": "AP of corrections",
    "map_known": "mAP of known steps",
}


class MistakeDetection(IntervalsTask):
    """Intervals per recording, labelled with class and step: "mistake:3"."""

    name = "mistake_detection"
    title = "Which steps were done wrongly, and when?"
    version = 2
    changes = {
        2: "Both of two steps that changed places are mistakes, and steps that merely follow from"
        " a mistake are none; recordings without mistakes have the procedure of the others, no"
        " longer their own steps in their own order."
    }
    description = (
        "For every recording: from when to when each step is done, and whether it is right, a"
        " mistake or a correction."
    )
    measures = (
        Measure("map", "mAP", note=OVER),
        *(Measure(f"map_{overlap:g}", f"mAP at {overlap:g}") for overlap in OVERLAPS),
        Measure("ap_mistake", "AP of mistakes", note="Mean over the overlaps."),
        Measure("ap_correction", "AP of corrections", note="Mean over the overlaps."),
        Measure("map_known", "mAP of known steps", note="Without segments of no step (-1)."),
        *(Measure(f"map_known_{at:g}", f"mAP of known steps at {at:g}") for at in OVERLAPS),
        *(
            Measure(f"{key}_of_all", f"{title} of all", note="No answer counts as nothing found.")
            for key, title in ALSO_OVER_ALL.items()
        ),
        PER_RECORDING,
    )
    settings = (fold_setting(POOLED), OWN_FOLDS)
    also_over_all = tuple(ALSO_OVER_ALL)
    learns = CLASSES
    trained_with = "true segments"
    other_columns = ("video", "step", "start", "end", "class", "score")

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        places, references = fold_places(material, settings), references_of(material)
        return [
            places[recording.uid].assign(_item(material, recording, references[recording.key]))
            for recording in material.timed()
            if recording.uid in places
        ]

    def row_of_file(self, row: Mapping[str, str]) -> Mapping[str, str]:
        return {
            "key": row["video"],
            "start_s": row["start"],
            "end_s": row["end"],
            "label": f"{row['class']}:{row['step']}",
            "score": row["score"],
        }

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        kind, _, step = label.partition(":")
        words = f"{kind}, no step" if step == NO_STEP else f"{kind}, step {step}"
        return replace(super().claim(start_s, end_s, label, score), label=words)

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        steps = "\n".join(f"{step}: {text}" for step, text in item.payload["steps"])
        goal = f"Goal: {item.payload['goal']}\n\nThe steps by their ids:\n{steps}"
        entries = (
            ' of what is done: "start_s", "end_s", "label" and "score", from 0 to 1,'
            f" how sure you are. A label is {CORRECT}, {MISTAKE} or {CORRECTION}, a colon, and the"
            f' id of the step, {NO_STEP} for none of them: "{MISTAKE}:{NO_STEP}".'
        )
        return prompt_of_recording(VERSION, SYSTEM, item.payload, goal, entries, intervals_schema())

    def figures_of(
        self, truth: Rows, predictions: Rows, labels: Sequence[str], drawn: Draws
    ) -> dict[str, Figure]:
        def figures(key: str, kinds: Sequence[str], *, knows: bool = False) -> dict[str, Figure]:
            codes: dict[tuple[int, str], int] = {}
            true = _columns(truth, kinds, codes, knows=knows)
            predicted = _columns(predictions, kinds, codes, knows=knows)
            # A hit must name recording and step, so pairs of these stand in for the recordings.
            owners = [row for row, _ in codes]
            hits = ranked_hits(true, predicted, OVERLAPS)
            return precision_figures(key, hits, OVERLAPS, lambda sums: drawn(sums)[:, owners])

        return {
            **figures("map", SCORED),
            **figures("map_known", SCORED, knows=True),
            **{f"ap_{kind}": figures("ap", (kind,))["ap"] for kind in SCORED},
        }

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        counts: dict[str, Counter[str]] = {column: Counter() for column in COUNTED}
        for item, answer in zip(items, answers, strict=True):
            for side, value in (("true", item.truth), ("said", answer.value or {})):
                for segment in value.get("intervals", ()):
                    kind, _, step = segment["label"].partition(":")
                    counts[side][kind] += 1
                    counts[f"{side}_known"][kind] += step != NO_STEP
        columns = tuple(Column(column, title) for column, title in COUNTED.items())
        rows = tuple(
            Row(Cell(kind), {column: Cell(count[kind]) for column, count in counts.items()})
            for kind in CLASSES
        )
        notes = tuple(
            f"Without {kind}s here, mAP is that of {other}s alone."
            for kind, other in (SCORED, SCORED[::-1])
            if not counts["true"][kind]
        )
        title = "Segments by class"
        return (Table("segments", title, "Class", columns, (RowGroup("", rows),), notes),)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        participants: dict[str, Callable[[Item], Sequence[Mapping[str, Any]]]] = {
            "Finds nothing": lambda item: [],
            "Every step in equal parts, a mistake": lambda item: equal_parts(
                item, [f"{MISTAKE}:{step}" for step, _ in item.payload["steps"]], None
            ),
            "Twenty random intervals": lambda item: random_intervals(item, 20, rng),
            "A segment of no step is a mistake (true segments)": _segments_of_no_step,
            "Ceiling: every true segment of a step": lambda item: _segments_of_steps(item, False),
            "Ceiling: one true segment of a step": lambda item: _segments_of_steps(item, True),
        }
        baselines = [intervals_baseline(name, items, rule) for name, rule in participants.items()]
        return [*baselines, *_trained_baselines(items)]

    def samples(self, item: Item, settings: Mapping[str, Any]) -> Sequence[Sample]:
        """The true segments: models learn their classes, not their boundaries."""
        texts = dict(item.payload["steps"])
        samples = []
        for segment in item.truth["intervals"]:
            label, _, step = segment["label"].partition(":")
            pieces = ((segment["start_s"], segment["end_s"]),)
            text = texts.get(step, NO_STEP_IN_WORDS)
            samples.append(Sample(item.payload["recording_id"], pieces, label, text=text))
        return samples

    def trained_value(self, item: Item, predictions: Mapping[int, Prediction]) -> Value:
        intervals = []
        for place, segment in enumerate(item.truth["intervals"]):
            if place in predictions:
                (label, score), step = predictions[place], segment["label"].partition(":")[2]
                intervals.append(
                    interval(segment["start_s"], segment["end_s"], f"{label}:{step}", score)
                )
        return {"intervals": intervals}

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, WARNING)

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (NOT_TO_BE_FOUND, *fold_warnings(settings))


def _item(material: Material, recording: Recording, reference: Take) -> Item:
    steps = steps_by_id(replace(recording, take=reference))
    whole = recording.whole(max(float(row.end_s or 0.0) for row in recording.timed_rows))
    intervals = []
    for row, kind in segments_of(recording):
        step = step_of(recording, row)
        label = f"{kind}:{step if step in steps else NO_STEP}"
        intervals.append({"start_s": row.start_s, "end_s": row.end_s, "label": label})
    return Item(
        key=recording.key,
        **material.origin(recording),
        # A list: databases do not keep the order of an object.
        payload={**whole, "steps": [list(pair) for pair in steps.items()]},
        question=f"Which steps are done wrongly in these {whole['duration_s']:.1f} s, and when?",
        truth={"intervals": intervals},
        choices=tuple(f"{kind}:{step}" for kind in CLASSES for step in (*steps, NO_STEP)),
        start_s=0.0,
        moment_s=whole["duration_s"],
        take=recording.uid,
    )


def _columns(
    by_row: Rows, kinds: Sequence[str], codes: dict[tuple[int, str], int], *, knows: bool
) -> Intervals:
    """Intervals of these classes, with codes of (row, step) in place of recordings."""
    entries = []
    for row, intervals in enumerate(by_row):
        for entry in intervals:
            kind, _, step = entry["label"].partition(":")
            if kind in kinds and not (knows and step == NO_STEP):
                code = codes.setdefault((row, step), len(codes))
                entries.append((code, kinds.index(kind), entry))
    return interval_columns(entries)


def _trained_baselines(items: Sequence[Item]) -> list[Baseline]:
    # scikit-learn takes a second to load, and only a freeze needs it.
    from benchmarks.engine.segment_classifier import NAME, classify  # noqa: PLC0415

    rows = []
    for item in items:
        steps, texts = zip(*item.payload["steps"], strict=True)
        for segment in item.truth["intervals"]:
            answer, _, step = segment["label"].partition(":")
            place = None if step == NO_STEP else steps.index(step)
            rows.append(segment_row(item, segment, place, texts, answer))
    predictions = classify(rows)
    if predictions is None:
        return []
    answers = iter(predictions)
    values = [
        TASK.trained_value(item, dict(enumerate(islice(answers, len(item.truth["intervals"])))))
        for item in items
    ]
    return [Baseline(NAME, values)]


def _segments_of_no_step(item: Item) -> list[dict[str, Any]]:
    return [
        interval(segment["start_s"], segment["end_s"], f"{MISTAKE}:{NO_STEP}", None)
        for segment in item.truth["intervals"]
        if segment["label"].partition(":")[2] == NO_STEP
    ]


def _segments_of_steps(item: Item, is_one_each: bool) -> list[dict[str, Any]]:
    """The true segments of steps, or one for each step: one that is not correct, if any."""
    segments: dict[object, Mapping[str, Any]] = {}
    for place, segment in enumerate(item.truth["intervals"]):
        kind, _, step = segment["label"].partition(":")
        key = step if is_one_each else place
        if step != NO_STEP and (key not in segments or kind != CORRECT):
            segments[key] = segment
    return [{**segment, "score": None} for segment in segments.values()]


TASK = MistakeDetection()
