"""Which frames show the same key-step? Procedure learning (EgoProceL; CaptainCook4D, Table 15).

An answer is a cluster for each frame; the clusters of a procedure are matched with its key-steps,
one to one, over all of its recordings together. By the field's rule only key-steps are matched; the
released code counts the background as one more.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.frame_values import Numbers
from benchmarks.engine.frames_task import (
    FPS,
    FRAMES,
    FRAMES_FIGURE,
    FramesTask,
    fault_of_whole,
    intervals_of_steps,
    item_of_frames,
    prompt_of_steps,
    truth_and_answer,
)
from benchmarks.engine.joined_steps import graph_on_steps
from benchmarks.engine.labelled_segments import (
    ALL_RECORDINGS,
    NORMAL,
    WITH_ERRORS,
    errors_of,
    steps_by_id,
)
from benchmarks.engine.material import Material
from benchmarks.engine.measures.counts import by_column, cluster_names, computed_once
from benchmarks.engine.measures.keysteps import MatchedPairs
from benchmarks.engine.measures.ratios import mean_of_defined
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.task import (
    PLAIN,
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
    Turn,
    Value,
)

NAMES = ("precision", "recall", "iou", "f1")
TITLES = ("Precision", "Recall", "IoU", "F1")
CODE = "_code"
VERSION = "procedure_learning.v1"
WARNING = (
    "30 clusters for every recipe and the background counted as a key-step, so compare it with"
    " the columns of the released code; frames of the videos themselves, which end later than"
    " annotations do"
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
        *(
            Measure(
                f"{name}{ending}_of_all",
                f"{title} of all{words}",
                note="Frames of a recording without an answer are in the wrong cluster.",
            )
            for ending, words in (("", ""), (CODE, ", released code"))
            for name, title in zip(NAMES, TITLES, strict=True)
        ),
        FRAMES,
    )
    settings = (
        Setting("recordings", "Recordings", NORMAL, (NORMAL, WITH_ERRORS, ALL_RECORDINGS)),
        FPS,
        Setting("clusters", "Clusters of each procedure", 30, least=1, most=1000),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        graphs = material.graphs
        steps_of: dict[str, dict[str, str]] = defaultdict(dict)
        for recording in material.recordings:
            for step_id, text in steps_by_id(recording).items():
                steps_of[recording.take.scenario].setdefault(step_id, text)
        items = []
        for recording in material.recordings:
            scenario = recording.take.scenario
            steps = steps_of[scenario]
            intervals = intervals_of_steps(recording, steps)
            kinds = (ALL_RECORDINGS, f"recordings {errors_of(recording)}")
            if settings["recordings"] not in kinds or not intervals:
                continue
            step_of_text = {text: step_id for step_id, text in steps.items()}
            payload = {
                # A list: databases do not keep the order of an object.
                "steps": [list(pair) for pair in steps.items()],
                "clusters": settings["clusters"],
                "graph": graph_on_steps(graphs.get(scenario), step_of_text),
            }
            items.append(
                item_of_frames(
                    material,
                    recording,
                    settings["fps"],
                    payload=payload,
                    intervals=intervals,
                    question="Which frames of this recording show the same step?",
                )
            )
        if not items:
            raise ValueError(f"{material.name} has no recording with timed steps of that kind")
        return items

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        return prompt_of_steps(VERSION, item)

    def fault_of(self, item: Item, numbers: Numbers) -> str:
        most = item.payload["clusters"] - 1
        return fault_of_whole(numbers, most, f"a cluster from 0 to {most}")

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        overlaps: dict[str, list[Numbers]] = defaultdict(list)
        owners: dict[str, list[int]] = defaultdict(list)
        # The true frames of recordings without an answer, and their clusters.
        unread: dict[str, list[Numbers]] = defaultdict(list)
        unread_owners: dict[str, list[int]] = defaultdict(list)
        frames = np.zeros((len(names), 2))
        for item, answer, place in zip(items, answers, places.tolist(), strict=True):
            # With one cluster for all frames, each class has its true frames there.
            value = answer.value or self.worst(item) or {}
            overlap = _overlap(item, value)
            if answer.value is None:
                unread[item.procedure].append(overlap.sum(axis=1))
                unread_owners[item.procedure].append(place)
            else:
                overlaps[item.procedure].append(overlap)
                owners[item.procedure].append(place)
                frames[place] += overlap.sum(), 1
        figures = dict(FRAMES_FIGURE)
        for ending, has_background in (("", False), (CODE, True)):
            matched = {
                procedure: MatchedPairs.of(np.stack(rows), has_background=has_background)
                for procedure, rows in overlaps.items()
            }
            pairs = [(one, owners[procedure]) for procedure, one in matched.items()]
            of_all = []
            for procedure in dict.fromkeys(item.procedure for item in items):
                rows = np.array(unread[procedure], dtype=np.float64)
                true = rows if has_background or not len(rows) else rows[:, 1:]
                pair = MatchedPairs(0 * true, true, true)
                if procedure in matched:
                    pair = matched[procedure].followed_by(pair) if len(rows) else matched[procedure]
                of_all.append((pair, [*owners[procedure], *unread_owners[procedure]]))
            columns = [name + ending for name in NAMES]
            figures |= by_column(computed_once(_means_of(pairs)), columns)
            figures |= by_column(
                computed_once(_means_of(of_all)), [f"{name}_of_all" for name in columns]
            )
        return Tally(names, np.hstack([np.eye(len(names)), frames]), figures)

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        by_recording: list[Numbers] = []
        by_procedure: dict[str, list[Numbers]] = defaultdict(list)
        for item, answer in zip(items, answers, strict=True):
            if answer.value is not None:
                by_recording.append(_overlap(item, answer.value))
                by_procedure[item.procedure].append(by_recording[-1])
        if not by_recording:
            return ()
        wholes = [np.sum(overlaps, axis=0) for overlaps in by_procedure.values()]
        columns = tuple(Column(name, title, 3) for name, title in zip(NAMES, TITLES, strict=True))
        groups = [
            RowGroup(title, tuple(_mode(label, overlaps, *rule) for label, *rule in MODES))
            for title, overlaps in (
                ("All recordings of a procedure together", wholes),
                ("Each recording by itself", by_recording),
            )
        ]
        notes = (
            "Mean over procedures, or over recordings. Clusters that are matched anew in every"
            " recording fit it much better: the two halves are no comparison.",
        )
        table = Table("modes", "Ways to count", "Matched", columns, tuple(groups), notes)
        return (table,)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        # Only a freeze needs them.
        from benchmarks.engine.tasks.procedure_learning.baselines import baselines_of  # noqa: PLC0415

        return baselines_of(items, rng)

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, WARNING) if settings["recordings"] == NORMAL else ()

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
    """Frames by key-step (the background first) and cluster: (C, P)."""
    steps, clusters = item.payload["steps"], item.payload["clusters"]
    codes = {step_id: place for place, (step_id, _) in enumerate(steps, start=1)}
    truth, predicted = truth_and_answer(item, value, codes)
    cells = np.bincount(truth * clusters + predicted, minlength=(len(steps) + 1) * clusters)
    return cells.reshape(len(steps) + 1, clusters)


def _means_of(pairs: Sequence[tuple[MatchedPairs, Sequence[int]]]) -> Figure:
    """The figures of draws as means over procedures, (D, 4).

    A procedure is its matched pairs and the columns of its recordings in the sums.
    """

    def means(sums: Floats) -> Floats:
        each = [matched.drawn(sums[:, owners]) for matched, owners in pairs]
        return _with_f1(mean_of_defined(np.reshape(each, (-1, len(sums), 3))))

    return means


def _with_f1(means: Floats) -> Floats:
    """Precision, recall and IoU with F1 appended, (D, 4)."""
    both = means[:, 0] + means[:, 1]
    f1 = np.where(both == 0, 0.0, 2 * means[:, 0] * means[:, 1] / np.where(both == 0, 1.0, both))
    return np.column_stack([means, f1])


def _mode(label: str, overlaps: Sequence[Numbers], background: bool, per_keystep: bool) -> Row:
    each = [
        MatchedPairs.of(overlap[np.newaxis], has_background=background).drawn(
            np.ones((1, 1)), per_keystep=per_keystep
        )
        for overlap in overlaps
    ]
    means = _with_f1(mean_of_defined(np.stack(each)))[0]
    values = [None if np.isnan(mean) else float(mean) for mean in means]
    return Row(Cell(label), dict(zip(NAMES, map(Cell, values), strict=True)))


TASK = ProcedureLearning()
