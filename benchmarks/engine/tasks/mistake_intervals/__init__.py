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
    happenings,
    length_s,
    procedure_of,
    type_name,
    with_mistakes,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names, once
from benchmarks.engine.measures.localisation import Intervals, ranked_hits
from benchmarks.engine.reading import as_number, json_object
from benchmarks.engine.task import (
    Answered,
    AnswerShape,
    Baseline,
    Earlier,
    Figure,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Reading,
    Setting,
    Tally,
    Task,
)
from benchmarks.engine.tasks.mistake_intervals.asking import NARRATION, PICTURES, prompt_of

MISTAKE, CORRECTION = "mistake", "correction"
KINDS, TYPES = "mistake and correction", "types of mistakes"
# Source: EgoOops, Table 4.
OVERLAPS = (0.1, 0.2, 0.3)
NO_TIMES = "{} has no recording whose mistakes have times"
EGO_OOPS = "EgoOops, Table 4 (true steps are given to the last one)"
OTHER_STEPS = (
    "other recordings, and a hit there also has to name the step; all corrections of EgoOops lie"
    " outside any step, so no method of the table can find one"
)
# What a found interval without a score counts as.
NO_SCORE = 1.0
Floats = npt.NDArray[np.float64]


class MistakeIntervals(Task):
    """Intervals per recording."""

    name = "mistake_intervals"
    title = "When do mistakes happen?"
    description = "For every recording: from when to when mistakes and corrections happen."
    shape = AnswerShape.INTERVALS
    measures = (
        Measure("map", "mAP", note="Mean over labels and the overlaps 0.1, 0.2 and 0.3."),
        *(Measure(f"map_{overlap:g}", f"mAP at {overlap:g}") for overlap in OVERLAPS),
        Measure("map_of_all", "mAP of all", note="What could not be read counts as nothing found."),
        Measure("per_recording", "Intervals found", decimals=1, best=None, note="Per recording."),
    )
    settings = (
        Setting("labels", "Labels", KINDS, (KINDS, TYPES)),
        Setting("shown", "What is shown of a recording", NARRATION, (NARRATION, PICTURES)),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        timed = [
            (recording, done)
            for recording in with_mistakes(material)
            if (done := happenings(recording)) and all(one.end_s is not None for one in done)
        ]
        labels = sorted(
            {label for _, done in timed for one in done if (label := _label(one, settings))}
        )
        if not labels:
            raise ValueError(NO_TIMES.format(material.name))
        for recording, done in timed:
            yield _item(material, recording, done, tuple(labels), settings)

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        return prompt_of(item.payload, item.choices)

    def read(self, item: Item, text: str) -> Reading:
        found = json_object(text)
        given = found.get("intervals") if found is not None else None
        if not isinstance(given, list):
            return Reading(None, "no JSON object with a list of intervals")
        intervals = []
        for place, one in enumerate(given):
            fault = _fault(one, item)
            if fault:
                return Reading(None, f"intervals[{place}]: {fault}")
            intervals.append(
                {
                    "start_s": float(one["start_s"]),
                    "end_s": float(one["end_s"]),
                    "label": one["label"],
                    "score": as_number(one.get("score")),
                }
            )
        return Reading({"intervals": intervals})

    def check(self, item: Item, value: Mapping[str, Any]) -> str:
        for place, one in enumerate(value["intervals"]):
            fault = _fault(one, item)
            if fault:
                return f"intervals[{place}]: {fault}"
        return ""

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
        counts = np.zeros((len(names), 2))
        for row in read:
            value = answers[row].value
            assert value is not None
            counts[places[row]] += len(value["intervals"]), 1
        figures: dict[str, Figure] = {
            "map": lambda sums: _mean(of_read(sums)),
            "map_of_all": lambda sums: _mean(of_all(sums)),
            "per_recording": lambda sums: np.divide(
                sums[:, -2], sums[:, -1], out=np.full(len(sums), np.nan), where=sums[:, -1] > 0
            ),
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

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        rows = {
            "ActionFormer": (1.8, 0.1, 0.1, 0.7),
            "StepFormer++ with MLP": (2.6, 2.5, 2.5, 2.5),
        }
        if settings["labels"] != KINDS:
            return ()
        keys = [*(f"map_{overlap:g}" for overlap in OVERLAPS), "map"]
        return [
            PublishedRow(
                name,
                {key: value / 100 for key, value in zip(keys, values, strict=True)},
                EGO_OOPS,
                OTHER_STEPS,
            )
            for name, values in rows.items()
        ]


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
        recording=recording.key,
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
        procedure=recording.take.scenario,
        person=recording.person,
    )


def _fault(one: Any, item: Item) -> str:
    if not isinstance(one, Mapping):
        return f"is {one!r}; expected an object with start_s, end_s, label and score"
    start_s, end_s = as_number(one.get("start_s")), as_number(one.get("end_s"))
    if start_s is None or end_s is None or not 0 <= start_s < end_s:
        return f"is {one.get('start_s')!r} to {one.get('end_s')!r} s; expected 0 or later to later"
    # Without a video nobody knows how long a recording goes on after the last that is marked.
    if item.payload.get("has_video", True) and start_s >= item.payload["duration_s"]:
        return f"starts at {start_s:g} s; the recording has {item.payload['duration_s']:g} s"
    if one.get("label") not in item.choices:
        return f"label is {one.get('label')!r}; expected one of {', '.join(item.choices)}"
    if one.get("score") is not None and as_number(one["score"]) is None:
        return f"score is {one['score']!r}; expected a number"
    return ""


def interval_columns(
    by_row: Sequence[Sequence[Mapping[str, Any]]], codes: Mapping[str, int]
) -> Intervals:
    rows = [(row, one) for row, intervals in enumerate(by_row) for one in intervals]
    scores = [one.get("score") for _, one in rows]
    return Intervals(
        recordings=np.array([row for row, _ in rows], dtype=np.int64),
        labels=np.array([codes[one["label"]] for _, one in rows], dtype=np.int64),
        starts_s=np.array([one["start_s"] for _, one in rows], dtype=np.float64),
        ends_s=np.array([one["end_s"] for _, one in rows], dtype=np.float64),
        scores=np.array([NO_SCORE if one is None else one for one in scores], dtype=np.float64),
    )


def _mean(by_overlap: Floats) -> Floats:
    means: Floats = by_overlap.mean(axis=1)
    return means


def _interval(start_s: float, end_s: float, label: str, score: float) -> dict[str, Any]:
    return {"start_s": start_s, "end_s": end_s, "label": label, "score": score}


def _whole(item: Item) -> dict[str, Any]:
    return _parts(item, 1)


def _parts(item: Item, count: int) -> dict[str, Any]:
    edges = np.linspace(0, item.payload["duration_s"], count + 1).tolist()
    return {
        "intervals": [
            _interval(edges[place], edges[place + 1], label, 1.0)
            for label in item.choices
            for place in range(count)
        ]
    }


def random_intervals(item: Item, count: int, rng: np.random.Generator) -> dict[str, Any]:
    found = []
    for _ in range(count):
        start_s, end_s = sorted(rng.random(2) * item.payload["duration_s"])
        label = item.choices[int(rng.integers(len(item.choices)))]
        if start_s < end_s:
            found.append(_interval(float(start_s), float(end_s), label, float(rng.random())))
    return {"intervals": found}


TASK = MistakeIntervals()
