"""Find the mistakes: labelled intervals with scores, on the clock of a whole recording.

A step that was left out takes no time, so there is no interval for it; how many there were is told
with the truth. Source of the measures: CaptainCook4D and EgoOops, by the field's rules.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.engine.taxonomy import EventKind
from benchmarks.engine.happenings import (
    Happening,
    common_groups,
    length_s,
    procedure_of,
    timed_happenings,
    type_name,
)
from benchmarks.engine.labelled_intervals import (
    PER_RECORDING,
    IntervalsTask,
    interval,
    interval_columns,
    interval_counts,
    per_recording,
    random_intervals,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names, once
from benchmarks.engine.measures.localisation import ranked_hits
from benchmarks.engine.task import (
    Answered,
    Baseline,
    Claim,
    Earlier,
    Figure,
    Item,
    Measure,
    Prompt,
    Setting,
    Tally,
)
from benchmarks.engine.tasks.mistake_intervals.asking import NARRATION, PICTURES, prompt_of

MISTAKE, CORRECTION = "mistake", "correction"
KINDS, TYPES = "mistake and correction", "types of mistakes"
# Source: EgoOops, Table 4.
OVERLAPS = (0.1, 0.2, 0.3)
NO_TIMES = "{} has no recording whose mistakes have times"
Floats = npt.NDArray[np.float64]


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
            raise ValueError(NO_TIMES.format(material.name))
        for recording, done in timed:
            yield _item(material, recording, done, tuple(labels), settings)

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        return prompt_of(item.payload, item.choices)

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        codes = {label: code for code, label in enumerate(items[0].choices)}
        read = [row for row, answer in enumerate(answers) if answer.value is not None]
        everything = list(range(len(items)))

        def means(rows: Sequence[int]) -> Figure:
            # Rows are recordings of their own; draws are of what they share.
            truth = interval_columns([items[row].truth["intervals"] for row in rows], codes)
            given = [(answers[row].value or {"intervals": []})["intervals"] for row in rows]
            hits = ranked_hits(truth, interval_columns(given, codes), OVERLAPS)
            owners = places[list(rows)]
            return once(lambda sums: hits.drawn_means(sums[:, : len(names)][:, owners]))

        of_read, of_all = means(read), means(everything)
        given = [(answers[row].value or {})["intervals"] for row in read]
        counts = interval_counts(given, places[read], len(names))
        figures: dict[str, Figure] = {
            "map": lambda sums: _mean(of_read(sums)),
            "map_of_all": lambda sums: _mean(of_all(sums)),
            "per_recording": per_recording,
        }
        for at, overlap in enumerate(OVERLAPS):
            figures[f"map_{overlap:g}"] = lambda sums, at=at: of_read(sums)[:, at]  # type: ignore[misc]
        return Tally(names, np.hstack([np.eye(len(names)), counts]), figures)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        return (
            Baseline("Finds nothing", [{"intervals": []} for _ in items]),
            Baseline("The whole recording, every label", [_whole(item) for item in items]),
            Baseline("Four equal parts, every label", [_parts(item, 4) for item in items]),
            Baseline("Ten random intervals", [random_intervals(item, 10, rng) for item in items]),
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
        "goal": recording.take.scenario,
        "procedure": procedure_of(recording.take),
        "duration_s": length,
        "shown": settings["shown"],
    }
    if settings["shown"] == NARRATION:
        payload["done"] = [[one.start_s, one.end_s, one.text] for one in done]
    assert recording.trace is not None
    timed = {one.event.event_id for one in done if one.event is not None}
    return Item(
        key=recording.key,
        **recording.origin,
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
        groups=common_groups(material, recording),
        take=recording.take.uid,
    )


def _mean(by_overlap: Floats) -> Floats:
    means: Floats = by_overlap.mean(axis=1)
    return means


def _whole(item: Item) -> dict[str, Any]:
    return _parts(item, 1)


def _parts(item: Item, count: int) -> dict[str, Any]:
    edges = np.linspace(0, item.payload["duration_s"], count + 1).tolist()
    return {
        "intervals": [
            interval(edges[place], edges[place + 1], label, 1.0)
            for label in item.choices
            for place in range(count)
        ]
    }


TASK = MistakeIntervals()
