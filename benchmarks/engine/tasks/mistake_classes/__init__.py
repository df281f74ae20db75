"""Right, a mistake, or a correction? Mistake classification on true segments (EgoOops, 5.2).

There is one item per segment. As in the paper, participants are told when a segment belongs to no
step of the procedure. That alone identifies most mistakes, so this rule is one of the baselines.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.engine.corpus.procedure import Step, Take, TraceStep
from benchmarks.engine.folds import EVERYTHING, OWN_FOLDS, fold_places, fold_setting, fold_warnings
from benchmarks.engine.happenings import references_of
from benchmarks.engine.labelled_segments import (
    CLASSES,
    CORRECT,
    CORRECTION,
    MISTAKE,
    NO_STEP,
    SegmentRow,
    segment_row,
    segments_of,
)
from benchmarks.engine.material import Material, Recording, written_of
from benchmarks.engine.measures.counts import cluster_names, summed
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.prompts import goal_and_procedure, one_of, strict_object
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.reading import read_choice
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerShape,
    Baseline,
    Earlier,
    Figure,
    Floats,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Reading,
    Sample,
    Setting,
    Tally,
    Task,
    Turn,
)

WARNING = "over the 50 recordings of EgoOops; with true segments, of which 35 belong to no step"
ALL, WITH_STEP = "all segments", "segments of a step"
VERSION = "mistake_classes.v1"
UNREAD = "What could not be read counts as wrong."
LEAK = (
    "True segments leak the label: that a segment is of no step, which everybody is shown, has F1"
    " 45.5 by itself on EgoOops, above every row of its Table 7. Make a second set of the segments"
    " of a step to see what is left."
)
SYSTEM = (
    "You watch people follow written procedures. Look closely for what they do wrongly and for what"
    " they put right again; most of what they do is right."
)
SCHEMA = strict_object(answer=one_of(CLASSES))


class MistakeClasses(Task):
    """One of three classes per segment."""

    name = "mistake_classes"
    title = "Right, a mistake, or a correction?"
    version = 3
    changes = {
        2: "Answers that could not be read no longer count as wrong.",
        3: "Both of two steps that changed places are mistakes, and steps that merely follow from"
        " a mistake are none; recordings without mistakes have the procedure of the others, no"
        " longer their own steps in their own order.",
    }
    description = "For every segment of a recording: is it right, a mistake, or a correction?"
    shape = AnswerShape.ONE
    measures = (
        *(
            Measure(f"{name}_{figure}", f"{name.capitalize()}: {title}")
            for name in (MISTAKE, CORRECTION, CORRECT)
            for figure, title in (("f1", "F1"), ("precision", "precision"), ("recall", "recall"))
        ),
        *(
            Measure(f"{name}_{figure}_of_all", f"{name.capitalize()}: {title} of all", note=UNREAD)
            for name in (MISTAKE, CORRECTION, CORRECT)
            for figure, title in (("f1", "F1"), ("precision", "precision"), ("recall", "recall"))
        ),
        Measure("accuracy_of_all", "Accuracy of all", note=UNREAD),
    )
    settings = (
        Setting("segments", "Segments", ALL, (ALL, WITH_STEP)),
        fold_setting(EVERYTHING),
        OWN_FOLDS,
    )
    learns = CLASSES

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        folds, references = fold_places(material, settings), references_of(material)
        return [
            folds[recording.uid].assign(
                _item(material, recording, references[recording.key], place, row, answer)
            )
            for recording in material.timed()
            if recording.uid in folds
            for place, (row, answer) in enumerate(segments_of(recording))
            if row.step_id or settings["segments"] == ALL
        ]

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        text = (
            f"{goal_and_procedure(item.payload)}\n\nThe step of this clip: {item.payload['step']}"
            f"\n\nIs what is done {CORRECT}, a {MISTAKE}, or a {CORRECTION} of an earlier mistake?"
            ' Answer with a JSON object: {"answer": one of the three}.'
        )
        note = "Pictures of the clip, in the order of time:"
        return Prompt(VERSION, SYSTEM, text, SCHEMA, max_tokens=200, picture_note=note)

    def read(self, item: Item, text: str) -> Reading:
        return read_choice(text, item.choices)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        # For each class: hits, predicted, true, unread; then read and right answers, all items.
        rows = np.zeros((len(items), 4 * len(CLASSES) + 3))
        for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
            label = answer.value["answer"] if answer.value is not None else None
            for at, name in enumerate(CLASSES):
                # An answer that could not be read is not a wrong answer.
                is_so, is_predicted = item.truth["answer"] == name, label == name
                is_read = label is not None
                rows[row, 4 * at : 4 * at + 4] = (
                    is_so and is_predicted, is_predicted, is_so and is_read, is_so and not is_read,
                )  # fmt: skip
            rows[row, -3:] = label is not None, label == item.truth["answer"], 1
        figures: dict[str, Figure] = {
            "accuracy_of_all": lambda sums: ratio(sums[:, -2], sums[:, -1]),
        }
        for at, name in enumerate(CLASSES):
            figures |= _figures_of_class(name, 4 * at)
        return Tally(names, summed(rows, places, len(names)), figures)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        shares = [sum(item.truth["answer"] == name for item in items) for name in CLASSES]
        drawn = rng.choice(CLASSES, size=len(items), p=np.array(shares) / len(items))
        rule = [MISTAKE if item.payload["step"] == NO_STEP else CORRECT for item in items]
        uniform = rng.choice(CLASSES, size=len(items))
        # scikit-learn takes a second to load, and only a freeze needs it.
        from benchmarks.engine.segment_classifier import NAME, classify  # noqa: PLC0415

        trained = classify([_row(item) for item in items])
        participants: dict[str, Sequence[str]] = {
            "Everything is right": [CORRECT] * len(items),
            "A segment of no step is a mistake": rule,
            "At random, as often as they are": drawn.tolist(),
            "At random": uniform.tolist(),
            **({} if trained is None else {NAME: [answer for answer, _ in trained]}),
        }
        return tuple(
            Baseline(name, [{"answer": answer, "score": None} for answer in answers])
            for name, answers in participants.items()
        )

    def samples(self, item: Item, settings: Mapping[str, Any]) -> Sequence[Sample]:
        payload = item.payload
        pieces = ((payload["start_s"], payload["end_s"]),)
        label = str(item.truth["answer"])
        return (Sample(payload["recording_id"], pieces, label, text=payload["step"]),)

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, WARNING) if settings["segments"] == ALL else ()

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        leak = (LEAK,) if settings["segments"] == ALL else ()
        return (*leak, *fold_warnings(settings))


def _figures_of_class(name: str, place: int) -> dict[str, Figure]:
    """Figures from sums from `place` on: hits, predictions, true segments, unread true segments.

    Over all items, an unread segment is missed, or said to be of the class if it is of another.
    """

    def or_zero(above: Floats, below: Floats, sums: Floats) -> Floats:
        # Without answers there is no figure.
        return np.where(sums[:, -3] > 0, ratio(above, below, 0.0), np.nan)

    def predicted_of_all(sums: Floats) -> Floats:
        unread: Floats = sums[:, -1] - sums[:, -3] - sums[:, place + 3]
        return sums[:, place + 1] + unread

    def true_of_all(sums: Floats) -> Floats:
        true: Floats = sums[:, place + 2] + sums[:, place + 3]
        return true

    return {
        f"{name}_precision": lambda s: or_zero(s[:, place], s[:, place + 1], s),
        f"{name}_recall": lambda s: or_zero(s[:, place], s[:, place + 2], s),
        f"{name}_f1": lambda s: or_zero(2 * s[:, place], s[:, place + 1] + s[:, place + 2], s),
        f"{name}_precision_of_all": lambda s: ratio(s[:, place], predicted_of_all(s), 0.0),
        f"{name}_recall_of_all": lambda s: ratio(s[:, place], true_of_all(s), 0.0),
        f"{name}_f1_of_all": lambda s: ratio(
            2 * s[:, place], predicted_of_all(s) + true_of_all(s), 0.0
        ),
    }


def _row(item: Item) -> SegmentRow:
    steps, step = item.payload["procedure"], item.payload["step"]
    place = None if step == NO_STEP else steps.index(step)
    return segment_row(item, item.payload, place, steps, item.truth["answer"])


def _item(
    material: Material,
    recording: Recording,
    reference: Take,
    place: int,
    row: Step | TraceStep,
    answer: str,
) -> Item:
    names = {step.step_id: step.text for step in reference.steps if step.step_id}
    step = names.get(row.step_id, NO_STEP)
    uid = recording.uid
    return Item(
        key=f"{recording.key}#{place}",
        **material.origin(recording, {"step": "known" if names.get(row.step_id) else "none"}),
        payload={
            "recording_id": uid,
            "start_s": row.start_s,
            "end_s": row.end_s,
            **written_of(reference),
            "step": step,
        },
        question=f"Is what is done in this clip right, a mistake or a correction? “{step}”",
        truth={"answer": answer},
        choices=CLASSES,
        start_s=row.start_s,
        moment_s=row.end_s,
        take=uid,
    )


TASK = MistakeClasses()
