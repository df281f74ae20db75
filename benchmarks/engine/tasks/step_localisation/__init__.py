"""Where is each step of the procedure? Multi-step localisation of CaptainCook4D (Tables 4, 5, 12).

The labels are the steps of all procedures of the data set. mAP is told by the field's rule and as
the released code computes it; they differ where a prediction's label is in no truth.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from annotation.analytics.table import Table
from benchmarks.engine.happenings import common_groups
from benchmarks.engine.joined_steps import Piece, joined_steps
from benchmarks.engine.labelled_intervals import (
    PER_RECORDING,
    IntervalsTask,
    interval,
    interval_counts,
    per_recording,
    random_intervals,
    schema_of,
)
from benchmarks.engine.labelled_segments import has_mistakes
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names
from benchmarks.engine.published_splits import DATA_SPLITS, published_split
from benchmarks.engine.task import (
    Answered,
    Baseline,
    Earlier,
    Figure,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Setting,
    Tally,
    Value,
)
from benchmarks.engine.tasks.step_localisation.figures import KS, OVERLAPS, PRINTED, figures_of
from benchmarks.engine.tasks.step_localisation.published import PUBLISHED
from benchmarks.engine.tasks.step_localisation.robustness import robustness

OF_ALL = "_of_all"
TOLD_OF_ALL = {
    "map": "mAP",
    "map_0.1": "mAP at 0.1",
    "map_0.1_code": "mAP at 0.1, released code,",
    "recall_1_0.1": "R@1 at 0.1",
}
ALL, NORMAL, WITH_ERRORS = "all recordings", "recordings without errors", "recordings with errors"
BY_NUMBER = {
    "recordings with the number of one without errors": "without errors",
    "recordings with the number of one with errors": "with errors",
}
# Released code: the second number of a recording says what was planned. Of those planned without
# errors, 41 have some all the same.
PLANNED_NORMAL = (range(1, 26), range(100, 126))
NUMBER = re.compile(r"\d+_(\d+)")
VERSION = "step_localisation.v1"
WHOSE_TRUTH = (
    "Truth is that of these recordings alone. The published code divides by the truth of its whole"
    " test part, also where only some of it was predicted."
)
SYSTEM = (
    "You watch people follow written procedures and say from when to when each step is done. A step"
    " may be done in several pieces, and some steps are never done."
)


RECALL = (
    "Of each recording the best {k} times as many intervals of a step as it has; one may find"
    " several true ones."
)


class StepLocalisation(IntervalsTask):
    """Intervals per recording, labelled with ids of steps."""

    name = "step_localisation"
    title = "Where is each step?"
    # 2: a recording that only left steps out has errors.
    version = 2
    description = "For every recording: from when to when each step of its procedure is done."
    measures = (
        *(Measure(f"map_{at:g}", f"mAP at {at:g}") for at in OVERLAPS),
        Measure("map", "mAP", note="Mean over the overlaps 0.1 to 0.5, by the field's rule."),
        Measure(
            "map_0.1_code", "mAP at 0.1, released code",
            note="A label that no truth has may count for another class there.",
        ),
        *(
            Measure(f"recall_{k}_{at:g}", f"R@{k} at {at:g}", note=RECALL.format(k=k))
            for k in KS
            for at in PRINTED
        ),
        *(
            Measure(key + OF_ALL, f"{title} of all", note="No answer counts as nothing found.")
            for key, title in TOLD_OF_ALL.items()
        ),
        PER_RECORDING,
    )  # fmt: skip
    other_columns = ("video-id", "t-start", "t-end", "label", "score")
    settings = (
        Setting("recordings", "Recordings", ALL, (ALL, NORMAL, WITH_ERRORS, *BY_NUMBER)),
        Setting("only", "Only these recordings: ids, separated by blanks", "", is_long=True),
        Setting("train", "Recordings to train on, which get their truth: ids", "", is_long=True),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        wanted, train = (set(settings[name].split()) for name in ("only", "train"))
        if shared := sorted(wanted & train):
            raise ValueError(f"{', '.join(shared)}: to train on and to be asked about")
        # Names that the data set does not know are refused, in both.
        material.only(settings["train"])
        recordings = material.only(" ".join(wanted | train) if wanted else "")
        # Every step of any procedure, for a model does not know which one it sees.
        labels = {
            step.step_id
            for recording in material.recordings
            for step in recording.take.steps
            if step.step_id
        }
        choices = tuple(sorted(labels, key=lambda label: (len(label), label)))
        found = 0
        for recording in recordings:
            steps = joined_steps(recording)
            rows = [(step.step_id, piece) for step in steps for piece in step.pieces]
            errors = "with errors" if has_mistakes(recording) else "without errors"
            number = NUMBER.fullmatch(recording.uid)
            groups = {**common_groups(material, recording), "errors": errors}
            if number:
                is_normal = any(int(number[1]) in numbers for numbers in PLANNED_NORMAL)
                groups["planned"] = "without errors" if is_normal else "with errors"
            is_kind = {
                ALL: True,
                NORMAL: errors == "without errors",
                WITH_ERRORS: errors == "with errors",
                **{name: groups.get("planned") == kind for name, kind in BY_NUMBER.items()},
            }[settings["recordings"]]
            is_asked = is_kind and recording.uid not in train
            if not rows or not (is_asked or recording.uid in train):
                continue
            found += is_asked
            part = "train" if recording.uid in train else "test" if train else ""
            yield replace(_item(recording, rows, choices, groups), part=part)
        if not found:
            raise ValueError(f"{material.name} has no recording with timed steps of that kind")

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        steps = "\n".join(f"{key}: {text}" for key, text in item.payload["steps"].items())
        text = (
            f"Goal: {item.payload['goal']}\n\nThe steps by their ids:\n{steps}\n\nThe recording has"
            f" {item.payload['duration_s']:.1f} s. Answer with a JSON object with a list"
            ' "intervals": of each piece of a step "start_s", "end_s", "label" (the id of the'
            ' step, as text) and "score", from 0 to 1, how sure you are.'
        )
        note = "Pictures of the recording, in the order of time:"
        return Prompt(VERSION, SYSTEM, text, schema_of(), max_tokens=2000, picture_note=note)

    def row_of_file(self, row: Mapping[str, str]) -> Mapping[str, str]:
        return {
            "key": row["video-id"],
            "start_s": row["t-start"],
            "end_s": row["t-end"],
            "label": row["label"],
            "score": row["score"],
        }

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        read = [row for row, answer in enumerate(answers) if answer.value is not None]
        given = [(answers[row].value or {})["intervals"] for row in read]

        def over(rows: Sequence[int]) -> Mapping[str, Figure]:
            truth = [items[row].truth["intervals"] for row in rows]
            said = [(answers[row].value or {"intervals": []})["intervals"] for row in rows]
            return figures_of(truth, said, items[0].choices, places[list(rows)], len(names))

        found = over(read)
        of_all = found if len(read) == len(items) else over(range(len(items)))
        counts = interval_counts(given, places[read], len(names))
        figures = {
            **found,
            **{f"{key}{OF_ALL}": of_all[key] for key in TOLD_OF_ALL},
            "per_recording": per_recording,
        }
        return Tally(names, np.hstack([np.eye(len(names)), counts]), figures)

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        return robustness(items, answers)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        return (
            Baseline("Finds nothing", [{"intervals": []} for _ in items]),
            Baseline("The procedure in equal parts", [_equal_parts(item) for item in items]),
            Baseline(
                "Twenty random intervals", [random_intervals(item, 20, rng) for item in items]
            ),
        )

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        split = published_split(settings["only"].split())
        if split is None or split.family != DATA_SPLITS:
            return [row for _, row in PUBLISHED]
        return [row for name, row in PUBLISHED if name == split.name]

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        split = published_split(settings["only"].split())
        return (WHOSE_TRUTH, *(() if split is None else split.warnings))


def _item(
    recording: Recording,
    rows: Sequence[tuple[str, Piece]],
    choices: tuple[str, ...],
    groups: Mapping[str, str],
) -> Item:
    """The item of a recording; `rows` are its steps' ids with each piece of them."""
    end_s = max(piece.end_s for _, piece in rows)
    whole = recording.whole(end_s)
    length_s = whole["duration_s"]
    return Item(
        key=recording.key,
        **recording.origin,
        payload={
            **whole,
            "steps": {step.step_id: step.text for step in recording.take.steps},
        },
        question=f"From when to when is each step done in these {length_s:.1f} s?",
        truth={
            "intervals": [
                {"start_s": piece.start_s, "end_s": piece.end_s, "label": step_id}
                for step_id, piece in rows
                if step_id in choices
            ]
        },
        choices=choices,
        start_s=0.0,
        moment_s=length_s,
        groups=groups,
        take=recording.uid,
    )


def _equal_parts(item: Item) -> Value:
    steps = list(item.payload["steps"])
    edges = np.linspace(0, item.payload["duration_s"], len(steps) + 1).tolist()
    return {
        "intervals": [
            interval(edges[n], edges[n + 1], step, 1.0)
            for n, step in enumerate(steps)
            if step in item.choices
        ]
    }


TASK = StepLocalisation()
