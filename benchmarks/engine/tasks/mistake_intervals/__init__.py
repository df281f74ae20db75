"""Find the mistakes: labelled intervals with scores, on the clock of a whole recording.

A step that was left out takes no time, so there is no interval for it; how many there were is told
with the truth. Source of the measures: CaptainCook4D and EgoOops, by the field's rules.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.engine.taxonomy import EventKind
from benchmarks.engine.happenings import Happening, length_s, timed_happenings, type_name
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
from benchmarks.engine.labelled_segments import CORRECTION, MISTAKE
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.localisation import ranked_hits
from benchmarks.engine.prompts import goal_and_procedure
from benchmarks.engine.task import Baseline, Claim, Earlier, Figure, Item, Measure, Prompt, Setting

NARRATION, PICTURES = "what was done, with times", "pictures alone"
KINDS, TYPES = "mistake and correction", "types of mistakes"
# Source: EgoOops, Table 4.
OVERLAPS = (0.1, 0.2, 0.3)
# Another wording is another version.
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
    description = "For every recording: from when to when mistakes and corrections happen."
    measures = (
        Measure("map", "mAP", note="Mean over labels and the overlaps 0.1, 0.2 and 0.3."),
        *(Measure(f"map_{overlap:g}", f"mAP at {overlap:g}") for overlap in OVERLAPS),
        Measure("map_of_all", "mAP of all", note="What could not be read counts as nothing found."),
        PER_RECORDING,
    )
    settings = (
        Setting("labels", "Labels", KINDS, (KINDS, TYPES)),
        Setting("shown", "What is shown of a recording", NARRATION, (NARRATION, PICTURES)),
    )

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        """Types of mistakes are labels as well."""
        kind = CORRECTION if label == CORRECTION else MISTAKE
        return Claim(start_s, end_s, label, kind, score)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        timed = timed_happenings(material)
        labels = sorted(
            {label for _, done in timed for one in done if (label := _label(one, settings))}
        )
        if not labels:
            raise ValueError(f"{material.name} has no recording whose mistakes have times")
        for recording, done in timed:
            yield _item(material, recording, done, tuple(labels), settings)

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
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
        self, truth: Rows, said: Rows, labels: Sequence[str], drawn: Draws
    ) -> dict[str, Figure]:
        codes = {label: code for code, label in enumerate(labels)}
        hits = ranked_hits(labelled_columns(truth, codes), labelled_columns(said, codes), OVERLAPS)
        return precision_figures("map", hits, OVERLAPS, drawn)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        def parts(count: int) -> Callable[[Item], list[dict[str, Any]]]:
            return lambda item: [
                one for label in item.choices for one in equal_parts(item, [label] * count)
            ]

        return (
            intervals_baseline("Finds nothing", items, lambda item: []),
            intervals_baseline("The whole recording, every label", items, parts(1)),
            intervals_baseline("Four equal parts, every label", items, parts(4)),
            intervals_baseline(
                "Ten random intervals", items, lambda item: random_intervals(item, 10, rng)
            ),
        )


def _label(one: Happening, settings: Mapping[str, Any]) -> str:
    """The label of a step that was done; "" for one that has none."""
    if one.event is None or one.is_cascade:
        return ""
    if one.event.kind is EventKind.CORRECTION:
        return CORRECTION
    return MISTAKE if settings["labels"] == KINDS else type_name(one.event)


def _item(
    material: Material,
    recording: Recording,
    done: Sequence[Happening],
    labels: tuple[str, ...],
    settings: Mapping[str, Any],
) -> Item:
    length = round(length_s(recording, done) or 0.0, 3)
    payload: dict[str, Any] = {
        **recording.written,
        "duration_s": length,
        "shown": settings["shown"],
    }
    if settings["shown"] == NARRATION:
        payload["done"] = [[one.start_s, one.end_s, one.text] for one in done]
    assert recording.trace is not None
    timed = {one.event.event_id for one in done if one.event is not None}
    return Item(
        key=recording.key,
        **material.origin(recording),
        payload=payload,
        question=f"When do mistakes and corrections happen in these {length:.1f} s?",
        truth={
            "intervals": [
                {"start_s": one.start_s, "end_s": one.end_s, "label": label}
                for one in done
                if (label := _label(one, settings))
            ],
            "without_time": sum(event.event_id not in timed for event in recording.trace.events),
        },
        choices=labels,
        start_s=0.0,
        moment_s=length,
        take=recording.take.uid,
    )


TASK = MistakeIntervals()
