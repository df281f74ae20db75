"""Where is each step of the procedure? Multi-step localisation of CaptainCook4D (Tables 4, 5, 12).

The labels are the steps of all procedures of the data set. mAP is given by the field's rule and as
the released code computes it; they differ where a prediction's label is in no truth.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Table
from benchmarks.engine.joined_steps import joined_steps
from benchmarks.engine.labelled_intervals import (
    PER_RECORDING,
    Draws,
    IntervalsTask,
    Rows,
    equal_parts,
    intervals_baseline,
    intervals_schema,
    labelled_columns,
    precision_figures,
    random_intervals,
)
from benchmarks.engine.labelled_segments import ALL_RECORDINGS, NORMAL, WITH_ERRORS, errors_of
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.localisation import MatchingRule, ranked_hits, recalls_by_recording
from benchmarks.engine.prompts import prompt_of_recording
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.published.splits import (
    DATA_SPLITS,
    SPLIT_BY_TITLE,
    PublishedSplit,
    published_split,
)
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    Baseline,
    Earlier,
    Figure,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Setting,
    Turn,
)
from benchmarks.engine.tasks.step_localisation.robustness import KS, PRINTED, robustness

OVERLAPS = (0.1, 0.2, 0.3, 0.4, 0.5)
WARNING = (
    "by the released code, over the test part of the data split; Table 5 of the paper (robustness)"
    " is the same predictions scored twice, for its recalls add up to these in 36 of 36 cells, and"
    " the headings of Table 12 are wrong"
)
ALSO_OVER_ALL = {
    "map": "mAP",
    "map_0.1": "mAP at 0.1",
    "map_0.1_code": "mAP at 0.1, released code,",
    **{f"recall_{k}_{at:g}": f"R@{k} at {at:g}" for k in KS for at in PRINTED},
}
BY_NUMBER = {
    "recordings with the number of one without errors": "without errors",
    "recordings with the number of one with errors": "with errors",
}
CHOICES = (ALL_RECORDINGS, NORMAL, WITH_ERRORS, *BY_NUMBER)
# In the released code the second number of a recording's name says what was planned. Of those
# planned without errors, 41 have some all the same.
PLANNED_NORMAL = (range(1, 26), range(100, 126))
NUMBER = re.compile(r"\d+_(\d+)")
VERSION = "step_localisation.v1"
NO_DIVISION = "none of them"
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
    version = 2
    changes = {2: "A recording in which steps were only left out counts as one with errors."}
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
            Measure(f"{key}_of_all", f"{title} of all", note="No answer counts as nothing found.")
            for key, title in ALSO_OVER_ALL.items()
        ),
        PER_RECORDING,
    )  # fmt: skip
    also_over_all = tuple(ALSO_OVER_ALL)
    other_columns = ("video-id", "t-start", "t-end", "label", "score")
    settings = (
        Setting(
            "recordings",
            "Recordings",
            ALL_RECORDINGS,
            (ALL_RECORDINGS, NORMAL, WITH_ERRORS, *BY_NUMBER),
        ),
        Setting("division", "Published division", NO_DIVISION, (NO_DIVISION, *SPLIT_BY_TITLE)),
        Setting("only", "Only these recordings: ids, separated by blanks", "", is_long=True),
        Setting("train", "Recordings to train on, which get their truth: ids", "", is_long=True),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        test, train = (set(settings[name].split()) for name in ("only", "train"))
        if named := SPLIT_BY_TITLE.get(settings.get("division", NO_DIVISION)):
            if test | train:
                raise ValueError("recordings are given; expected them or a published division")
            parts = named.recordings(material.name, (row.uid for row in material.recordings))
            test, train = set(parts["test"]), set(parts["train"])
        if shared := sorted(test & train):
            raise ValueError(f"{', '.join(shared)}: to train on and to be asked about")
        # Refuses unknown recordings in "train"; those in "only" are refused by the next call.
        material.only(" ".join(train))
        recordings = material.only(" ".join(test | train) if test else "")
        # The steps of all procedures: a model is not told which procedure it sees.
        labels = {
            step.step_id
            for recording in material.recordings
            for step in recording.take.steps
            if step.step_id
        }
        choices = tuple(sorted(labels, key=lambda label: (len(label), label)))
        items = []
        for recording in recordings:
            is_training = recording.uid in train
            is_test = not is_training and settings["recordings"] in _kinds(recording)
            if recording.timed_rows and (is_test or is_training):
                part = "train" if is_training else "test" if train else ""
                items.append(_item(material, recording, choices, part))
        if all(item.part == "train" for item in items):
            raise ValueError(f"{material.name} has no recording with timed steps of that kind")
        return items

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        steps = "\n".join(f"{key}: {text}" for key, text in item.payload["steps"].items())
        goal = f"Goal: {item.payload['goal']}\n\nThe steps by their ids:\n{steps}"
        entries = (
            ': of each piece of a step "start_s", "end_s", "label" (the id of the step, as text)'
            ' and "score", from 0 to 1, how sure you are.'
        )
        return prompt_of_recording(VERSION, SYSTEM, item.payload, goal, entries, intervals_schema())

    def row_of_file(self, row: Mapping[str, str]) -> Mapping[str, str]:
        return {
            "key": row["video-id"],
            "start_s": row["t-start"],
            "end_s": row["t-end"],
            "label": row["label"],
            "score": row["score"],
        }

    def figures_of(
        self, truth: Rows, predictions: Rows, labels: Sequence[str], drawn: Draws
    ) -> dict[str, Figure]:
        are_numbers = all(label.isdigit() for label in labels)
        codes = {label: int(label) if are_numbers else code for code, label in enumerate(labels)}
        true, predicted = labelled_columns(truth, codes), labelled_columns(predictions, codes)
        hits = ranked_hits(true, predicted, OVERLAPS)
        of_code = ranked_hits(true, predicted, OVERLAPS[:1], rule=MatchingRule.RELEASED_CODE)
        recalls = recalls_by_recording(hits, PRINTED, KS, len(truth))

        def recall(at: int, limit: int) -> Figure:
            return lambda sums: recalls.drawn_means(drawn(sums), at, limit)

        return {
            **precision_figures("map", hits, OVERLAPS, drawn),
            "map_0.1_code": precision_figures("map", of_code, OVERLAPS[:1], drawn)["map"],
            **{
                f"recall_{k}_{overlap:g}": recall(at, limit)
                for at, k in enumerate(KS)
                for limit, overlap in enumerate(PRINTED)
            },
        }

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        return robustness(self, items, answers)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        return (
            intervals_baseline("Finds nothing", items, lambda item: []),
            intervals_baseline("The procedure in equal parts", items, _steps_in_parts),
            intervals_baseline(
                "Twenty random intervals", items, lambda item: random_intervals(item, 20, rng)
            ),
        )

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        split = _split_of(settings)
        if split is None or split.family != DATA_SPLITS:
            return published_rows(__file__, WARNING)
        return published_rows(__file__, WARNING, split.name)

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        split = _split_of(settings)
        return (WHOSE_TRUTH, *(() if split is None else split.warnings))


def _split_of(settings: Mapping[str, Any]) -> PublishedSplit | None:
    """The published division that was chosen by its name or by its recordings, None for another.

    Settings of older sets name none.
    """
    named = SPLIT_BY_TITLE.get(settings.get("division", NO_DIVISION))
    return named or published_split(settings["only"].split())


def _planned(recording: Recording) -> str:
    """Whether errors were planned, by the number in the recording's name; "" without a number."""
    number = NUMBER.fullmatch(recording.uid)
    if not number:
        return ""
    is_normal = any(int(number[1]) in numbers for numbers in PLANNED_NORMAL)
    return "without errors" if is_normal else "with errors"


def _kinds(recording: Recording) -> set[str]:
    """The choices of the setting "recordings" that include the recording."""
    planned = {name for name, kind in BY_NUMBER.items() if kind == _planned(recording)}
    return {ALL_RECORDINGS, f"recordings {errors_of(recording)}"} | planned


def _item(material: Material, recording: Recording, choices: tuple[str, ...], part: str) -> Item:
    whole = recording.whole(max(row.end_s or 0.0 for row in recording.timed_rows))
    planned = _planned(recording)
    groups = {"errors": errors_of(recording)} | ({"planned": planned} if planned else {})
    return Item(
        key=recording.key,
        **material.origin(recording, groups),
        payload={
            **whole,
            "steps": {step.step_id: step.text for step in recording.take.steps},
        },
        question=f"From when to when is each step done in these {whole['duration_s']:.1f} s?",
        truth={
            "intervals": [
                {"start_s": piece.start_s, "end_s": piece.end_s, "label": step.step_id}
                for step in joined_steps(recording)
                if step.step_id in choices
                for piece in step.pieces
            ]
        },
        choices=choices,
        start_s=0.0,
        moment_s=whole["duration_s"],
        part=part,
        take=recording.uid,
    )


def _steps_in_parts(item: Item) -> list[dict[str, Any]]:
    parts = equal_parts(item, list(item.payload["steps"]))
    return [part for part in parts if part["label"] in item.choices]


TASK = StepLocalisation()
