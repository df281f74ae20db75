"""Which steps were done wrongly, and when? Mistake detection of EgoOops (4, 5.1).

An answer is a segment for each step with one of three classes. A hit names video, step and class
and overlaps; what belongs to no step has the step -1. Correct segments are part of an answer and
enter no figure.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.analytics.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.folds import OWN, POOLED, Place, fold_setting, fold_warnings, places_of
from benchmarks.engine.happenings import common_groups
from benchmarks.engine.labelled_intervals import (
    PER_RECORDING,
    IntervalsTask,
    interval,
    interval_counts,
    per_recording,
    random_intervals,
    schema_of,
)
from benchmarks.engine.labelled_segments import (
    CLASSES,
    CORRECT,
    CORRECTION,
    MISTAKE,
    SegmentRow,
    segments_of,
    step_of,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names, once
from benchmarks.engine.measures.localisation import Intervals, ranked_hits
from benchmarks.engine.task import (
    Answered,
    Baseline,
    Claim,
    Earlier,
    Figure,
    Floats,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Tally,
    Value,
)
from benchmarks.engine.tasks.mistake_detection.published import PUBLISHED

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
ABSENT = "Without {} here, mAP is that of {} alone."
Rows = Sequence[Mapping[str, Any]]


class MistakeDetection(IntervalsTask):
    """Intervals per recording, labelled with class and step: "mistake:3"."""

    name = "mistake_detection"
    title = "Which steps were done wrongly, and when?"
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
        Measure("map_of_all", "mAP of all", note="What could not be read counts as nothing found."),
        PER_RECORDING,
    )
    settings = (fold_setting(POOLED), OWN)
    other_columns = ("video", "step", "start", "end", "class", "score")

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        places = places_of(material, settings)
        found = 0
        for recording in material.recordings:
            if recording.uid in places and segments_of(recording):
                found += 1
                yield _item(material, recording, places[recording.uid])
        if not found:
            raise ValueError(f"{material.name} has no recording with timed steps")

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

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        steps = "\n".join(f"{step}: {text}" for step, text in item.payload["steps"])
        text = (
            f"Goal: {item.payload['goal']}\n\nThe steps by their ids:\n{steps}\n\nThe recording has"
            f" {item.payload['duration_s']:.1f} s. Answer with a JSON object with a list"
            ' "intervals" of what is done: "start_s", "end_s", "label" and "score", from 0 to 1,'
            f" how sure you are. A label is {CORRECT}, {MISTAKE} or {CORRECTION}, a colon, and the"
            f' id of the step, {NO_STEP} for none of them: "{MISTAKE}:{NO_STEP}".'
        )
        note = "Pictures of the recording, in the order of time:"
        return Prompt(VERSION, SYSTEM, text, schema_of(), max_tokens=2000, picture_note=note)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        read = [row for row, answer in enumerate(answers) if answer.value is not None]

        def means(rows: Sequence[int], kinds: Sequence[str], *, knows: bool = False) -> Figure:
            truth = [items[row].truth["intervals"] for row in rows]
            said = [(answers[row].value or {"intervals": []})["intervals"] for row in rows]
            codes: dict[tuple[int, str], int] = {}
            right, found = (_columns(side, kinds, codes, knows=knows) for side in (truth, said))
            hits = ranked_hits(right, found, OVERLAPS)
            # A hit is of one recording and one step, so these are what hits are looked for in.
            owners = places[[rows[row] for row, _ in codes]] if codes else places[:0]
            return once(lambda sums: hits.drawn_means(sums[:, : len(names)][:, owners]))

        whole, known = means(read, SCORED), means(read, SCORED, knows=True)
        of_all = means(range(len(items)), SCORED)
        figures: dict[str, Figure] = {
            "map": _mean_of(whole),
            "map_known": _mean_of(known),
            "map_of_all": _mean_of(of_all),
            "ap_mistake": _mean_of(means(read, (MISTAKE,))),
            "ap_correction": _mean_of(means(read, (CORRECTION,))),
            "per_recording": per_recording,
        }
        for at, overlap in enumerate(OVERLAPS):
            figures[f"map_{overlap:g}"] = lambda sums, at=at: whole(sums)[:, at]  # type: ignore[misc]
            figures[f"map_known_{overlap:g}"] = lambda sums, at=at: known(sums)[:, at]  # type: ignore[misc]
        given = [(answers[row].value or {})["intervals"] for row in read]
        counts = interval_counts(given, places[read], len(names))
        return Tally(names, np.hstack([np.eye(len(names)), counts]), figures)

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        truth, said = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
        for item, answer in zip(items, answers, strict=True):
            truth.update(_kind_and_known(one) for one in item.truth["intervals"])
            if answer.value is not None:
                said.update(_kind_and_known(one) for one in answer.value["intervals"])
        columns = (
            Column("true", "True segments"),
            Column("true_known", "of a step"),
            Column("said", "Found"),
            Column("said_known", "of a step"),
        )
        rows = tuple(
            Row(
                Cell(kind),
                {
                    "true": Cell(truth[kind, True] + truth[kind, False]),
                    "true_known": Cell(truth[kind, True]),
                    "said": Cell(said[kind, True] + said[kind, False]),
                    "said_known": Cell(said[kind, True]),
                },
            )
            for kind in CLASSES
        )
        absent = [kind for kind in SCORED if not truth[kind, True] + truth[kind, False]]
        notes = tuple(
            ABSENT.format(f"{kind}s", " and ".join(f"{one}s" for one in SCORED if one != kind))
            for kind in absent
        )
        title = "Segments by class"
        return (Table("segments", title, "Class", columns, (RowGroup("", rows),), notes),)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        participants: dict[str, Callable[[Item], Value]] = {
            "Finds nothing": lambda item: {"intervals": []},
            "Every step in equal parts, a mistake": _equal_parts,
            "Twenty random intervals": lambda item: random_intervals(item, 20, rng),
            "A segment of no step is a mistake (true segments)": _of_no_step,
            "Ceiling: every true segment of a step": lambda item: _of_steps(item, False),
            "Ceiling: one true segment of a step": lambda item: _of_steps(item, True),
        }
        found = [
            Baseline(name, [answer(item) for item in items])
            for name, answer in participants.items()
        ]
        return [*found, *_trained(items)]

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return PUBLISHED

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (NOT_TO_BE_FOUND, *fold_warnings(settings))


def _item(material: Material, recording: Recording, place: Place) -> Item:
    segments = segments_of(recording)
    steps = {step_of(recording, step): step.text for step in recording.take.steps}
    rows = [
        (row, said, step if (step := step_of(recording, row)) in steps else NO_STEP)
        for row, said in segments
    ]
    end_s = max(float(row.end_s or 0.0) for row, _ in segments)
    whole = recording.whole(end_s)
    length_s = whole["duration_s"]
    return Item(
        key=recording.key,
        recording=recording.key,
        payload={
            **whole,
            # A list: databases do not keep the order of an object.
            "steps": [list(pair) for pair in steps.items()],
        },
        question=f"Which steps are done wrongly in these {length_s:.1f} s, and when?",
        truth={
            "intervals": [
                {"start_s": row.start_s, "end_s": row.end_s, "label": f"{said}:{step}"}
                for row, said, step in rows
            ]
        },
        choices=tuple(f"{kind}:{step}" for kind in CLASSES for step in (*steps, NO_STEP)),
        start_s=0.0,
        moment_s=length_s,
        groups={**common_groups(material, recording), **place.groups},
        part=place.part,
        take=recording.uid,
        procedure=recording.take.scenario,
        person=place.worker or recording.person,
    )


def _columns(
    by_row: Sequence[Rows],
    kinds: Sequence[str],
    codes: dict[tuple[int, str], int],
    *,
    knows: bool,
) -> Intervals:
    """Intervals of these classes; in place of recordings, numbers of (row, step) from `codes`."""
    found = []
    for row, intervals in enumerate(by_row):
        for one in intervals:
            kind, _, step = one["label"].partition(":")
            if kind in kinds and not (knows and step == NO_STEP):
                score = one.get("score")
                at = codes.setdefault((row, step), len(codes))
                sure = 1.0 if score is None else score
                found.append((at, kinds.index(kind), one["start_s"], one["end_s"], sure))
    table: npt.NDArray[np.float64] = np.array(found, dtype=np.float64).reshape(-1, 5)
    numbers = table[:, :2].astype(np.int64)
    return Intervals(numbers[:, 0], numbers[:, 1], table[:, 2], table[:, 3], table[:, 4])


def _mean_of(by_overlap: Figure) -> Figure:
    def mean(sums: Floats) -> Floats:
        means: Floats = by_overlap(sums).mean(axis=1)
        return means

    return mean


def _kind_and_known(one: Mapping[str, Any]) -> tuple[str, bool]:
    kind, _, step = one["label"].partition(":")
    return kind, step != NO_STEP


def _trained(items: Sequence[Item]) -> list[Baseline]:
    """True segments with the class that a model without video gives them."""
    # scikit-learn takes a second to load, and only a freeze needs it.
    from benchmarks.engine.segment_classifier import NAME, classified  # noqa: PLC0415

    rows = []
    for item in items:
        texts = dict(item.payload["steps"])
        steps = list(texts)
        for one in item.truth["intervals"]:
            answer, _, step = one["label"].partition(":")
            rows.append(
                SegmentRow(
                    recording=item.recording,
                    text=f"{texts.get(step, 'none of the steps')} {item.payload['goal']}",
                    start_s=one["start_s"],
                    end_s=one["end_s"],
                    place=steps.index(step) if step in texts else None,
                    step_count=len(steps),
                    answer=answer,
                    fold=item.groups.get("fold", ""),
                    part=item.part,
                )
            )
    said = classified(rows)
    if said is None:
        return []
    answers = iter(said)
    values: list[Value] = []
    for item in items:
        intervals = []
        for one in item.truth["intervals"]:
            answer, score = next(answers)
            step = one["label"].partition(":")[2]
            intervals.append(interval(one["start_s"], one["end_s"], f"{answer}:{step}", score))
        values.append({"intervals": intervals})
    return [Baseline(NAME, values)]


def _equal_parts(item: Item) -> Value:
    steps = [step for step, _ in item.payload["steps"]]
    edges = np.linspace(0, item.payload["duration_s"], len(steps) + 1).tolist()
    return {
        "intervals": [
            interval(edges[n], edges[n + 1], f"{MISTAKE}:{step}", None)
            for n, step in enumerate(steps)
        ]
    }


def _of_no_step(item: Item) -> Value:
    return {
        "intervals": [
            interval(one["start_s"], one["end_s"], f"{MISTAKE}:{NO_STEP}", None)
            for one in item.truth["intervals"]
            if not _kind_and_known(one)[1]
        ]
    }


def _of_steps(item: Item, is_one_each: bool) -> Value:
    """True segments of steps; of a step in pieces perhaps one, and that one labelled if any is."""
    found: dict[object, Mapping[str, Any]] = {}
    for place, one in enumerate(item.truth["intervals"]):
        kind, _, step = one["label"].partition(":")
        key = step if is_one_each else place
        if step != NO_STEP and (key not in found or kind != CORRECT):
            found[key] = one
    return {
        "intervals": [
            interval(one["start_s"], one["end_s"], one["label"], None) for one in found.values()
        ]
    }


TASK = MistakeDetection()
