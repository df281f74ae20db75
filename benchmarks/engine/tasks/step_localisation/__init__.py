"""Where is each step of the procedure? Multi-step localisation of CaptainCook4D (Tables 4, 5, 12).

The labels are the steps of all procedures of the data set. mAP is told by the field's rule and as
the released code computes it; they differ where a prediction's label is in no truth.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.engine.happenings import common_groups
from benchmarks.engine.joined_steps import Piece, joined_steps
from benchmarks.engine.labelled_intervals import (
    PER_RECORDING,
    IntervalsTask,
    interval,
    interval_columns,
    interval_counts,
    per_recording,
    random_intervals,
    schema_of,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names, once
from benchmarks.engine.measures.localisation import Rule, ranked_hits, recalls_by_recording
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
from benchmarks.engine.tasks.step_localisation.published import PUBLISHED

OVERLAPS = (0.1, 0.2, 0.3, 0.4, 0.5)
KS = (1, 5)
ALL, NORMAL, WITH_ERRORS = "all recordings", "recordings without errors", "recordings with errors"
VERSION = "step_localisation.v1"
SYSTEM = (
    "You watch people follow written procedures and say from when to when each step is done. A step"
    " may be done in several pieces, and some steps are never done."
)


class StepLocalisation(IntervalsTask):
    """Intervals per recording, labelled with ids of steps."""

    name = "step_localisation"
    title = "Where is each step?"
    description = "For every recording: from when to when each step of its procedure is done."
    measures = (
        *(Measure(f"map_{at:g}", f"mAP at {at:g}") for at in OVERLAPS),
        Measure("map", "mAP", note="Mean over the overlaps 0.1 to 0.5, by the field's rule."),
        Measure(
            "map_0.1_code", "mAP at 0.1, released code",
            note="A label that no truth has may count for another class there.",
        ),
        *(Measure(f"recall_{k}_{at:g}", f"R@{k} at {at:g}") for k in KS for at in (0.1, 0.3, 0.5)),
        PER_RECORDING,
    )  # fmt: skip
    settings = (
        Setting("recordings", "Recordings", ALL, (ALL, NORMAL, WITH_ERRORS)),
        Setting("only", "Only these recordings: ids, separated by blanks", "", is_long=True),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        chosen = material.only(settings["only"])
        # Every step of any procedure, for a model does not know which one it sees.
        labels = {
            step.step_id
            for recording in material.recordings
            for step in recording.take.steps
            if step.step_id
        }
        choices = tuple(sorted(labels, key=lambda label: (len(label), label)))
        found = 0
        for recording in chosen:
            steps = joined_steps(recording)
            rows = [(step.step_id, piece) for step in steps for piece in step.pieces]
            has_errors = any(piece.is_error for _, piece in rows)
            is_left_out = settings["recordings"] == (NORMAL if has_errors else WITH_ERRORS)
            if not rows or is_left_out:
                continue
            found += 1
            groups = {
                **common_groups(material, recording),
                "errors": "with errors" if has_errors else "without errors",
            }
            yield _item(recording, rows, choices, groups)
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

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        labels = items[0].choices
        are_numbers = all(label.isdigit() for label in labels)
        codes = {label: int(label) if are_numbers else code for code, label in enumerate(labels)}
        read = [row for row, answer in enumerate(answers) if answer.value is not None]
        truth = interval_columns([items[row].truth["intervals"] for row in read], codes)
        given = [(answers[row].value or {})["intervals"] for row in read]
        said = interval_columns(given, codes)
        owners = places[read]
        hits = ranked_hits(truth, said, OVERLAPS)
        of_code = ranked_hits(truth, said, OVERLAPS[:1], rule=Rule.RELEASED_CODE)
        recalls = recalls_by_recording(truth, said, (0.1, 0.3, 0.5), KS, len(read))
        count = len(names)

        means = once(lambda sums: hits.drawn_means(sums[:, :count][:, owners]))
        code = once(lambda sums: of_code.drawn_means(sums[:, :count][:, owners]))

        def drawn(at: int) -> Figure:
            return lambda sums: means(sums)[:, at]

        def recalled(at: int, limit: int) -> Figure:
            return lambda sums: recalls.drawn_means(sums[:, :count][:, owners], at, limit)

        figures: dict[str, Figure] = {
            f"map_{limit:g}": drawn(at) for at, limit in enumerate(OVERLAPS)
        }
        figures["map"] = lambda sums: means(sums).mean(axis=1)
        figures["map_0.1_code"] = lambda sums: code(sums)[:, 0]
        for at, k in enumerate(KS):
            for limit, overlap in enumerate((0.1, 0.3, 0.5)):
                figures[f"recall_{k}_{overlap:g}"] = recalled(at, limit)
        counts = interval_counts(given, owners, count)
        figures["per_recording"] = per_recording
        return Tally(names, np.hstack([np.eye(count), counts]), figures)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        return (
            Baseline("Finds nothing", [{"intervals": []} for _ in items]),
            Baseline("The procedure in equal parts", [_equal_parts(item) for item in items]),
            Baseline(
                "Twenty random intervals", [random_intervals(item, 20, rng) for item in items]
            ),
        )

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return PUBLISHED


def _item(
    recording: Recording,
    rows: Sequence[tuple[str, Piece]],
    choices: tuple[str, ...],
    groups: Mapping[str, str],
) -> Item:
    """The item of a recording; `rows` are its steps' ids with each piece of them."""
    end_s = max(piece.end_s for _, piece in rows)
    length_s = round(max(recording.duration_s or 0.0, end_s), 3)
    return Item(
        key=recording.key,
        recording=recording.key,
        payload={
            # Predictions of published recordings go by these names.
            "recording_id": recording.uid,
            "goal": recording.take.scenario,
            "steps": {step.step_id: step.text for step in recording.take.steps},
            "duration_s": length_s,
            "has_video": recording.duration_s is not None,
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
        procedure=recording.take.scenario,
        person=recording.person,
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
