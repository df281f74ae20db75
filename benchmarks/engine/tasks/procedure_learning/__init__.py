"""Which frames show the same key-step? Procedure learning (EgoProceL; CaptainCook4D, Table 15).

An answer is a cluster for each frame; the clusters of a procedure are matched with its key-steps,
one to one, over all of its recordings together. By the field's rule key-steps alone are matched;
the released code takes the background for one more.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.analytics.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.frame_values import Numbers
from benchmarks.engine.frames_task import (
    FPS,
    FRAMES,
    SCHEMA,
    FramesTask,
    compared,
    fault_of_whole,
    intervals_of_steps,
    item_of_frames,
)
from benchmarks.engine.happenings import numbered
from benchmarks.engine.joined_steps import graph_on_steps
from benchmarks.engine.labelled_segments import has_mistakes, step_of
from benchmarks.engine.material import Material
from benchmarks.engine.measures.counts import cluster_names, once, ratio
from benchmarks.engine.measures.keysteps import figures_of_overlap, matched
from benchmarks.engine.task import (
    Answered,
    Baseline,
    Earlier,
    Figure,
    Floats,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Setting,
    Tally,
    Value,
)
from benchmarks.engine.tasks.procedure_learning.published import PUBLISHED

NORMAL, WITH_ERRORS, ALL = "recordings without errors", "recordings with errors", "all recordings"
NAMES = ("precision", "recall", "iou", "f1")
TITLES = ("Precision", "Recall", "IoU", "F1")
CODE = "_code"
VERSION = "procedure_learning.v1"
SYSTEM = (
    "You watch people follow written procedures and say from when to when each step is done. What"
    " lies between the steps belongs to none."
)
MODES = (
    ("Released code: mean over key-steps and the background", True, True),
    ("Key-steps alone, mean over them", False, True),
    ("Frames pooled over key-steps and the background", True, False),
    ("Frames pooled over key-steps alone", False, False),
)


class ProcedureLearning(FramesTask):
    """A cluster per frame, from 0 on."""

    name = "procedure_learning"
    title = "Which frames show the same key-step?"
    description = "For every frame of a recording: a cluster, the same for the same key-step."
    measures = (
        *(Measure(name, title) for name, title in zip(NAMES, TITLES, strict=True)),
        *(
            Measure(name + CODE, f"{title}, released code", note="The background is a key-step.")
            for name, title in zip(NAMES, TITLES, strict=True)
        ),
        FRAMES,
    )
    settings = (
        Setting("recordings", "Recordings", NORMAL, (NORMAL, WITH_ERRORS, ALL)),
        FPS,
        Setting("clusters", "Clusters of each procedure", 30, least=1, most=1000),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        graphs = {graph.scenario: graph for graph in material.extra.get("graphs", ())}
        steps_of: dict[str, dict[str, str]] = defaultdict(dict)
        for recording in material.recordings:
            for step in recording.take.steps:
                known = steps_of[recording.take.scenario]
                known.setdefault(step_of(recording, step), step.text)
        found = 0
        for recording in material.recordings:
            scenario = recording.take.scenario
            steps = steps_of[scenario]
            intervals = intervals_of_steps(recording, steps)
            is_left_out = settings["recordings"] == (
                NORMAL if has_mistakes(recording) else WITH_ERRORS
            )
            if is_left_out or not intervals:
                continue
            found += 1
            step_of_text = {text: step_id for step_id, text in steps.items()}
            yield item_of_frames(
                material,
                recording,
                settings["fps"],
                payload={
                    # A list: databases do not keep the order of an object.
                    "steps": [list(pair) for pair in steps.items()],
                    "clusters": settings["clusters"],
                    "graph": graph_on_steps(graphs.get(scenario), step_of_text),
                },
                intervals=intervals,
                question="Which frames of this recording show the same step?",
            )
        if not found:
            raise ValueError(f"{material.name} has no recording with timed steps of that kind")

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        steps = numbered([text for _, text in item.payload["steps"]])
        text = (
            f"Goal: {item.payload['goal']}\n\nThe steps by their numbers:\n{steps}\n\nThe recording"
            f" has {item.payload['duration_s']:.1f} s. Answer with a JSON object with a list"
            ' "intervals": of each piece of a step "start_s", "end_s" and "number", the number of'
            " the step."
        )
        note = "Pictures of the recording, in the order of time:"
        return Prompt(VERSION, SYSTEM, text, SCHEMA, max_tokens=2000, picture_note=note)

    def fault_of(self, item: Item, numbers: Numbers) -> str:
        most = item.payload["clusters"] - 1
        return fault_of_whole(numbers, most, f"a cluster from 0 to {most}")

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        overlaps: dict[str, list[tuple[int, Numbers]]] = defaultdict(list)
        frames = np.zeros((len(names), 2))
        for item, answer, place in zip(items, answers, places.tolist(), strict=True):
            if answer.value is not None:
                overlap = _overlap(item, answer.value)
                overlaps[item.procedure].append((place, overlap))
                frames[place] += overlap.sum(), 1
        pairs = [
            _Pairs.of_overlaps(
                [one for _, one in found],
                np.array([place for place, _ in found]),
                has_background=has_background,
            )
            for has_background in (False, True)
            for found in overlaps.values()
        ]
        half = len(overlaps)

        @once
        def drawn(sums: Floats) -> Floats:
            each = [one.drawn(sums) for one in pairs]
            if not each:
                return np.full((len(sums), 2 * len(NAMES)), np.nan)
            halves = [_mean_of_known(np.stack(part)) for part in (each[:half], each[half:])]
            return np.hstack([_with_f1(means) for means in halves])

        figures: dict[str, Figure] = {"frames": lambda sums: ratio(sums[:, -2], sums[:, -1])}
        for at, name in enumerate([*NAMES, *(name + CODE for name in NAMES)]):
            figures[name] = lambda sums, at=at: drawn(sums)[:, at]  # type: ignore[misc]
        return Tally(names, np.hstack([np.eye(len(names)), frames]), figures)

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        from_read = [
            (item, _overlap(item, answer.value))
            for item, answer in zip(items, answers, strict=True)
            if answer.value is not None
        ]
        if not from_read:
            return ()
        by_procedure: dict[str, list[Numbers]] = defaultdict(list)
        for item, overlap in from_read:
            by_procedure[item.procedure].append(overlap)
        wholes = [np.sum(found, axis=0) for found in by_procedure.values()]
        alone = [overlap for _, overlap in from_read]
        columns = tuple(Column(name, title, 3) for name, title in zip(NAMES, TITLES, strict=True))
        groups = [
            RowGroup(title, tuple(_mode(label, found, *rule) for label, *rule in MODES))
            for title, found in (
                ("All recordings of a procedure together", wholes),
                ("Each recording by itself", alone),
            )
        ]
        notes = (
            "Mean over procedures, or over recordings. Clusters that are matched anew in every"
            " recording fit it much better: the two halves are no comparison.",
        )
        table = Table("modes", "Ways to count", "Matched", columns, tuple(groups), notes)
        return (table,)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        # Sampling orders and learning lengths is for a freeze alone.
        from benchmarks.engine.tasks.procedure_learning.baselines import (  # noqa: PLC0415
            baselines_of,
        )

        return baselines_of(items, rng)

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return PUBLISHED if settings["recordings"] == NORMAL else ()

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (
            "The released code counts the background as a key-step and uses 30 clusters for every"
            " procedure: published rows belong beside the columns that name it.",
            "Clusters are matched over all recordings of a procedure together. Recording by"
            " recording they fit far better, so figures of the two kinds are no comparison.",
            "The published averages are of 24 recipes, of which two have the same figures for both"
            " models, probably a copy.",
        )


def _overlap(item: Item, value: Value) -> Numbers:
    """Frames by key-step, 0 the background, and cluster: (C, P)."""
    steps, clusters = item.payload["steps"], item.payload["clusters"]
    codes = {step_id: place for place, (step_id, _) in enumerate(steps, start=1)}
    truth, said = compared(item, value, codes)
    cells = np.bincount(truth * clusters + said, minlength=(len(steps) + 1) * clusters)
    return cells.reshape(len(steps) + 1, clusters)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Frames of the matched pairs of a procedure, by recording, (N, C): `of` says which, (N,).

    The matching is that of all recordings together, and draws of recordings keep it: matched anew,
    a draw that has a recording twice would fit better than what it was drawn from.
    """

    of: npt.NDArray[np.int64]
    shared: Floats
    said: Floats
    true: Floats

    @classmethod
    def of_overlaps(
        cls, overlaps: Sequence[Numbers], of: npt.NDArray[np.int64], *, has_background: bool
    ) -> "_Pairs":
        each = np.stack(overlaps)
        classes = each if has_background else each[:, 1:]
        cluster_of = matched(classes.sum(axis=0))
        has_one = cluster_of >= 0
        shared = np.where(has_one, classes[:, np.arange(len(cluster_of)), cluster_of], 0)
        said = np.where(has_one, each.sum(axis=1)[:, cluster_of], 0)
        true = classes.sum(axis=2)
        return cls(of, *(one.astype(np.float64) for one in (shared, said, true)))

    def drawn(self, sums: Floats) -> Floats:
        """Precision, recall and IoU of each draw, (D, 3): means over the classes that it has."""
        weights = sums[:, self.of]
        shared, said, true = (weights @ one for one in (self.shared, self.said, self.true))
        is_there = true > 0
        shares = (ratio(shared, below, 0.0) for below in (said, true, true + said - shared))
        counts = is_there.sum(axis=1)
        sums_of = [np.where(is_there, share, 0.0).sum(axis=1) for share in shares]
        return np.column_stack([ratio(one, counts) for one in sums_of])


def _figures(overlap: Numbers, has_background: bool, per_keystep: bool) -> list[float]:
    """Precision, recall and IoU; nan where no class that counts has a frame."""
    classes = overlap if has_background else overlap[1:]
    found = figures_of_overlap(classes, overlap.sum(axis=0), per_keystep=per_keystep)
    names = NAMES[:3]
    return [np.nan] * len(names) if found is None else [getattr(found, name) for name in names]


def _mean_of_known(found: Floats) -> Floats:
    """The mean over the first axis of what is there; nan where nothing is."""
    known = ~np.isnan(found)
    counts = known.sum(axis=0)
    means: Floats = np.full(counts.shape, np.nan)
    np.divide(np.where(known, found, 0.0).sum(axis=0), counts, out=means, where=counts > 0)
    return means


def _with_f1(means: Floats) -> Floats:
    """With the harmonic mean of precision and recall beside them, (D, 4)."""
    both = means[:, 0] + means[:, 1]
    f1 = np.where(both == 0, 0.0, 2 * means[:, 0] * means[:, 1] / np.where(both == 0, 1.0, both))
    return np.column_stack([means, f1])


def _mode(label: str, overlaps: Sequence[Numbers], background: bool, per_keystep: bool) -> Row:
    each = np.array([_figures(one, background, per_keystep) for one in overlaps])
    means = _with_f1(_mean_of_known(each)[np.newaxis])[0]
    values = [None if np.isnan(mean) else float(mean) for mean in means]
    return Row(Cell(label), dict(zip(NAMES, map(Cell, values), strict=True)))


TASK = ProcedureLearning()
