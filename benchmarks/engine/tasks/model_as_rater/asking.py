"""The items of the task and their prompts: the sheet that people saw, and one question."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.engine.campaigns.guideline import GuidelineText, Subject
from annotation.engine.rubric.rubric import Metric, MetricDefinition, Rubric, Scale
from annotation.engine.taxonomy import EventKind
from benchmarks.engine.happenings import type_name
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.prompts import NUMBER, one_of, strict_object
from benchmarks.engine.task import Item, Prompt
from benchmarks.engine.tasks.model_as_rater.columns import CALIBRATION, TEST, TEXT_METRICS

VERSION = "model_as_rater.v1"
SYSTEM = (
    "You rate mistakes and corrections in written records of procedures, as one of several raters."
    " You read the reference steps and what was done side by side, with the events marked. Judge by"
    " the guideline's words alone."
)
NOBODY = "{} has no answer of a person to a text metric that was submitted"


@dataclass(frozen=True, slots=True)
class RatedEvent:
    """An event as the raters of a round saw it.

    `sheet` has the rows that they saw: reference, done, mark. `name` is the event's name on it,
    `corrects` that of the mistake that it repairs; `people` holds their answers (stored values) by
    metric.
    """

    recording: str
    event_id: str
    name: str
    kind: EventKind
    corrects: str
    sheet: tuple[tuple[str, str, str], ...]
    people: Mapping[Metric, Mapping[str, str]]
    accepted: Mapping[Metric, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class RatedRound:
    """What the task's source adds to the material, under "round".

    A round that is still open has no truth, since nobody may read its answers yet; the model's
    answers can sort its queues.
    """

    rubric: Rubric
    guideline: GuidelineText
    events: tuple[RatedEvent, ...]
    is_closed: bool = True


def items_of_events(material: Material, calibration_share: float, seed: int) -> Iterator[Item]:
    """An item for each event and text metric that somebody answered; a take lies in one part.

    For an open round, an item for every event and text metric, all in one part.
    """
    rated: RatedRound = material.extra["round"]
    recordings = {recording.key: recording for recording in material.recordings}
    takes = sorted({recordings[event.recording].take.uid for event in rated.events})
    # Ordered by hash, so that a take mostly stays in its part when others come or go.
    ranked = sorted(takes, key=lambda uid: hashlib.sha256(f"{seed}|{uid}".encode()).digest())
    calibrating = set(ranked[: round(calibration_share * len(ranked))] if rated.is_closed else ())
    is_empty = True
    for event in rated.events:
        recording = recordings[event.recording]
        part = CALIBRATION if recording.take.uid in calibrating else TEST
        for metric in TEXT_METRICS:
            if event.people.get(metric) or not rated.is_closed:
                is_empty = False
                yield _item(material, rated, recording, event, metric, part)
    if is_empty:
        raise ValueError(NOBODY.format(material.name))


def _item(
    material: Material,
    rated: RatedRound,
    recording: Recording,
    event: RatedEvent,
    metric: Metric,
    part: str,
) -> Item:
    definition = rated.rubric.definition(metric)
    text = rated.guideline.texts[metric, Subject(event.kind.value)]
    payload = {
        "goal": recording.take.scenario,
        "sheet": [list(row) for row in event.sheet],
        "event": event.name,
        "corrects": event.corrects,
        "metric": metric.value,
        "title": definition.title,
        "question": text.question,
        "how_to_judge": text.how_to_judge,
        "low": text.low,
        "high": text.high,
        "is_scale": definition.scale is Scale.LIKERT,
    }
    shown = definition.shown
    assert recording.trace is not None
    type_of = {one.event_id: type_name(one) for one in recording.trace.events}
    groups = {"metric": definition.title, "mistake type": type_of[event.event_id]}
    return Item(
        key=f"{event.recording}!{event.event_id}!{metric.value}",
        **material.origin(recording, groups),
        payload=payload,
        question=f"{event.name}. {definition.title}: {text.question}",
        truth={
            "people": {
                person: shown(value)
                for person, value in sorted(event.people.get(metric, {}).items())
            },
            "accepted": [shown(value) for value in event.accepted.get(metric, ())],
            "event": event.event_id,
            "rubric": rated.rubric.version,
        },
        choices=labels_of(definition),
        part=part,
        take=recording.take.uid,
    )


def labels_of(definition: MetricDefinition) -> tuple[str, ...]:
    """The answers as people see them, in the order of the scale."""
    return tuple(definition.shown(value) for value in definition.values)


def prompt_of(payload: Mapping[str, Any], choices: Sequence[str]) -> Prompt:
    """The prompt of an item. The sheet comes first: servers cache a beginning that calls share."""
    lines = [
        f"{number}. reference: {reference or '–'} | done: {done or '–'}"
        + (f" | {mark}" if mark else "")
        for number, (reference, done, mark) in enumerate(payload["sheet"], start=1)
    ]
    corrects = f" (it corrects {payload['corrects']})" if payload["corrects"] else ""
    ends = ""
    if payload["is_scale"]:
        ends = f"\n1: {payload['low']}\n{len(choices)}: {payload['high']}"
    parts = [
        f"Goal: {payload['goal']}",
        "The record, row by row:\n" + "\n".join(lines),
        f"You rate: {payload['event']}{corrects}.",
        f"{payload['title']}: {payload['question']}\n{payload['how_to_judge']}{ends}",
        _answer(payload, choices),
    ]
    has_score = payload["is_scale"] or len(choices) == 2
    schema = strict_object(answer=one_of(choices), **({"score": NUMBER} if has_score else {}))
    return Prompt(VERSION, SYSTEM, "\n\n".join(parts), schema, max_tokens=200)


def _answer(payload: Mapping[str, Any], choices: Sequence[str]) -> str:
    listed = ", ".join(f'"{choice}"' for choice in choices)
    text = f'Answer with a JSON object: {{"answer": one of {listed}'
    if payload["is_scale"]:
        return (
            text + f', "score": the same as a number from 1 to {len(choices)}, finer if need be}}.'
        )
    if len(choices) == 2:
        return text + f', "score": how sure you are of "{choices[-1]}", from 0 to 1}}.'
    return text + "}."
