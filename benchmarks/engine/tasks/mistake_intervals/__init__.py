"""Find the mistakes: labelled intervals with scores in a whole recording.

A step that was left out takes no time, so there is no interval for it; the truth has the number of
these. Participants see pictures alone: a list of steps with times would show by a gap what the
procedure does not have. Source of the measures: CaptainCook4D and EgoOops, by the field's rules.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.engine.claims import Claim
from benchmarks.engine.happenings import (
    OWN_WORDS,
    PICTURES,
    TELLS,
    WITHOUT_TIMES,
    Happening,
    length_s,
    timed_happenings,
    type_name,
    watched_recordings,
)
from benchmarks.engine.labelled_intervals import (
    PER_RECORDING,
    Draws,
    IntervalsTask,
    Rows,
    equal_parts,
    interval,
    intervals_baseline,
    intervals_schema,
    labelled_columns,
    precision_figures,
    random_intervals,
)
from benchmarks.engine.labelled_segments import CORRECTION, MISTAKE
from benchmarks.engine.material import Material, Recording, is_mistake
from benchmarks.engine.measures.localisation import ranked_hits
from benchmarks.engine.prompts import goal_and_procedure
from benchmarks.engine.task import (
    PLAIN,
    Baseline,
    Earlier,
    Figure,
    Item,
    Measure,
    Prompt,
    Setting,
    Turn,
)
from benchmarks.engine.word_rules import BY_WORDS, are_unwritten

KINDS, TYPES = "mistake and correction", "types of mistakes"
# Source: EgoOops, Table 4.
OVERLAPS = (0.1, 0.2, 0.3)
# Raise the version whenever the wording changes.
VERSION = "mistake_intervals.v1"
SYSTEM = (
    "You watch people follow written procedures and say from when to when mistakes are made and put"
    " right. A mistake is a step that was done wrongly, with the wrong thing, at the wrong place in"
    " the order, or that the procedure does not have."
)
ANSWER = (
    'Answer with a JSON object: {{"intervals": [{{"start_s": ..., "end_s": ..., "label": one of'
    ' {labels}, "score": how sure you are, from 0 to 1}}]}}. An empty list says that there is'
    " nothing to find."
)


class MistakeIntervals(IntervalsTask):
    """Intervals per recording."""

    name = "mistake_intervals"
    title = "When do mistakes happen?"
    version = 2
    changes = {
        2: "Pictures alone are shown, where each row's own words with its times often told the"
        " mistake; recordings without mistakes are in; a label that a rule derived from the order"
        " makes no mistake."
    }
    description = "For every recording: from when to when mistakes and corrections happen."
    measures = (
        Measure("map", "mAP", note="Mean over labels and the overlaps 0.1, 0.2 and 0.3."),
        *(Measure(f"map_{overlap:g}", f"mAP at {overlap:g}") for overlap in OVERLAPS),
        Measure("map_of_all", "mAP of all", note="What could not be read counts as nothing found."),
        PER_RECORDING,
    )
    settings = (
        Setting("labels", "Labels", KINDS, (KINDS, TYPES)),
        Setting("shown", "What is shown of a recording", PICTURES, (PICTURES, OWN_WORDS)),
    )

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        """Every label but "correction" is a mistake, types of mistakes included."""
        kind = CORRECTION if label == CORRECTION else MISTAKE
        return Claim(start_s, end_s, label, kind, score)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        timed = timed_happenings(material)
        labels = sorted(
            {label for _, steps in timed for step in steps if (label := _label(step, settings))}
        )
        if not labels:
            raise ValueError(f"{material.name} has no recording whose mistakes have times")
        for recording, steps in timed:
            yield _item(material, recording, steps, tuple(labels), settings)

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        untimed = len(watched_recordings(material)) - len(timed_happenings(material))
        return {WITHOUT_TIMES: untimed} if untimed else {}

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        parts = [
            goal_and_procedure(item.payload),
            f"The recording has {item.payload['duration_s']:.1f} s.",
        ]
        if "done" in item.payload:
            rows = item.payload["done"]
            lines = [f"{start:.1f} to {end:.1f} s: {text}" for start, end, text in rows]
            parts.append("What was done:\n" + "\n".join(lines))
        parts.append(ANSWER.format(labels=", ".join(f'"{label}"' for label in item.choices)))
        return Prompt(
            VERSION, SYSTEM, "\n\n".join(parts), intervals_schema(item.choices), max_tokens=1500,
            picture_note="Pictures of the recording, in the order of time:",
        )  # fmt: skip

    def figures_of(
        self, truth: Rows, predictions: Rows, labels: Sequence[str], drawn: Draws
    ) -> dict[str, Figure]:
        codes = {label: code for code, label in enumerate(labels)}
        true, predicted = (labelled_columns(side, codes) for side in (truth, predictions))
        hits = ranked_hits(true, predicted, OVERLAPS)
        return precision_figures("map", hits, OVERLAPS, drawn)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        def parts(count: int) -> Callable[[Item], list[dict[str, Any]]]:
            return lambda item: [
                part for label in item.choices for part in equal_parts(item, [label] * count)
            ]

        return (
            intervals_baseline("Finds nothing", items, lambda item: []),
            intervals_baseline("The whole recording, every label", items, parts(1)),
            intervals_baseline("Four equal parts, every label", items, parts(4)),
            intervals_baseline(
                "Ten random intervals", items, lambda item: random_intervals(item, 10, rng)
            ),
            *(
                [intervals_baseline(BY_WORDS, items, _unwritten_rows)]
                if all("done" in item.payload for item in items)
                else []
            ),
        )

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (TELLS,) if settings.get("shown") == OWN_WORDS else ()


def _unwritten_rows(item: Item) -> list[dict[str, Any]]:
    rows, procedure = item.payload["done"], item.payload["procedure"]
    marks = are_unwritten([text for _, _, text in rows], procedure)
    return [
        interval(start_s, end_s, MISTAKE if MISTAKE in item.choices else item.choices[-1], 1.0)
        for (start_s, end_s, _), is_so in zip(rows, marks, strict=True)
        if is_so and start_s < end_s
    ]


def _label(step: Happening, settings: Mapping[str, Any]) -> str:
    """The label of a step, "" for one that is neither a mistake nor a correction."""
    if step.is_correction:
        return CORRECTION
    if step.event is None or not step.is_mistake:
        return ""
    return MISTAKE if settings["labels"] == KINDS else type_name(step.event)


def _item(
    material: Material,
    recording: Recording,
    steps: Sequence[Happening],
    labels: tuple[str, ...],
    settings: Mapping[str, Any],
) -> Item:
    length = round(length_s(recording, steps) or 0.0, 3)
    payload: dict[str, Any] = {
        **recording.written,
        "duration_s": length,
        "shown": settings["shown"],
    }
    if settings["shown"] == OWN_WORDS:
        payload["done"] = [[step.start_s, step.end_s, step.text(OWN_WORDS)] for step in steps]
    assert recording.trace is not None
    without_time = {
        row.event_id for row in recording.trace.steps if is_mistake(row) and row.start_s is None
    }
    return Item(
        key=recording.key,
        **material.origin(recording),
        payload=payload,
        question=f"When do mistakes and corrections happen in these {length:.1f} s?",
        truth={
            "intervals": [
                {"start_s": step.start_s, "end_s": step.end_s, "label": label}
                for step in steps
                if (label := _label(step, settings))
            ],
            "without_time": len(without_time),
        },
        choices=labels,
        start_s=0.0,
        moment_s=length,
        take=recording.take.uid,
    )


TASK = MistakeIntervals()
