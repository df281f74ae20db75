"""Speak now or stay silent: an assistant watches along and speaks up once a mistake can be seen.

It is asked at the end of every step and halfway through it, in order of time, and is told what it
said before. It should speak at the first of these moments at which a mistake can be seen: when its
step has ended, or when another step was done in place of one that was left out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.engine.happenings import (
    Happening,
    length_s,
    narration,
    noticed_mistakes,
    third_of_recording,
    timed_happenings,
    type_name,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names, summed
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.measures.speaking import (
    DECISION_MEASURES,
    ONSET_TOLERANCE_S,
    decision_figures,
    onset_matches,
)
from benchmarks.engine.prompts import TEXT, goal_and_procedure, numbered, one_of, strict_object
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.reading import json_object, read_choice
from benchmarks.engine.task import (
    Answered,
    AnswerShape,
    Baseline,
    Claim,
    Earlier,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Reading,
    Setting,
    Tally,
    Task,
)

SPEAK, SILENT = "speak", "silent"
# Raise the version whenever the wording changes.
VERSION = "speak_or_stay_silent.v1"
SYSTEM = (
    "You watch somebody follow a written procedure, as an assistant who speaks up about mistakes"
    " and is quiet otherwise. Speak once a mistake can be seen: a step done wrongly, with the wrong"
    " thing, too early or too late, left out, or not in the procedure. Do not announce steps, do"
    " not praise, and do not speak again about a mistake that you have spoken about."
)
ANSWER = (
    'Answer with a JSON object: {"decision": "speak", "text": what you say, in one sentence} or'
    ' {"decision": "silent", "text": ""}.'
)
SCHEMA = strict_object(decision=one_of((SPEAK, SILENT)), text=TEXT)
# Pictures show the last seconds before a moment. Source: Plan, Watch, Recover, section 2.4.
CLIP_S = 8.0
BOTH, ENDS = "the middle and the end of each step", "the end of each step"
NO_TIMES = "no recording of {} has times for all its steps; they are asked about moment by moment"
OTHER_MOMENTS = (
    "other recordings, and most interruptions there announce the next step: here one speaks about"
    " mistakes alone"
)


class SpeakOrStaySilent(Task):
    """A decision at every moment of a recording."""

    name = "speak_or_stay_silent"
    title = "Speak now or stay silent?"
    description = "Asked moment by moment: is there a mistake to speak up about just now?"
    shape = AnswerShape.STREAM
    measures = (
        *DECISION_MEASURES,
        Measure(
            "caught_in_time", "Mistakes caught in time",
            note=f"Spoken of within {ONSET_TOLERANCE_S:g} s of when the mistake can be seen.",
        ),
    )  # fmt: skip
    settings = (Setting("moments", "When it is asked", BOTH, (BOTH, ENDS)),)

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        return Claim(start_s, end_s, label, "mistake" if label == SPEAK else "", score)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        timed = timed_happenings(material)
        if not timed:
            raise ValueError(NO_TIMES.format(material.name))
        for recording, done in timed:
            yield from _items(material, recording, done, settings["moments"] == BOTH)

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        payload = item.payload
        done = numbered(payload["done"]) if payload["done"] else "Nothing is finished yet."
        spoken = [
            f"At {moment.item.payload['now_s']:.1f} s: {moment.value['text'] or '(without words)'}"
            for moment in earlier
            if moment.value is not None and moment.value["answer"] == SPEAK
        ]
        parts = [
            goal_and_procedure(payload),
            f"Finished by now ({payload['now_s']:.1f} s):\n{done}",
            "You have said:\n" + ("\n".join(spoken) if spoken else "Nothing."),
            "Do you speak now, or stay silent?",
            ANSWER,
        ]
        note = "Pictures of the last seconds, in the order of time:"
        text = "\n\n".join(parts)
        return Prompt(VERSION, SYSTEM, text, SCHEMA, max_tokens=200, picture_note=note)

    def read(self, item: Item, text: str) -> Reading:
        reading = read_choice(text, item.choices, field="decision")
        if reading.value is None:
            return reading
        decision = json_object(text) or {}
        words = decision.get("text")
        speech = words.strip() if isinstance(words, str) else ""
        return Reading({"answer": reading.value["answer"], "text": speech})

    def check(self, item: Item, value: Mapping[str, Any]) -> str:
        if value["answer"] == SILENT and value.get("text"):
            return f"text is {value['text']!r}; expected none where the answer is {SILENT}"
        return ""

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)
        truth = np.array([item.truth["answer"] == SPEAK for item in items], dtype=bool)
        decisions = [None if answer.value is None else answer.value["answer"] for answer in answers]
        spoke = np.array([decision == SPEAK for decision in decisions], dtype=bool)
        silent = np.array([decision == SILENT for decision in decisions], dtype=bool)
        kinds = [spoke & truth, spoke & ~truth, silent & truth, silent & ~truth, ~spoke & ~silent]
        counts = summed(np.column_stack(kinds).astype(np.float64), places, len(names))
        caught = summed(_caught(items, answers), places, len(names))
        figures = decision_figures()
        figures["caught_in_time"] = lambda sums: ratio(sums[:, -2], sums[:, -1])
        return Tally(names, np.hstack([counts, caught]), figures)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        share = sum(item.truth["answer"] == SPEAK for item in items) / len(items)
        drawn = rng.random(len(items)) < share
        return (
            Baseline("Always silent", [_decision(SILENT)] * len(items)),
            Baseline("Always speaks", [_decision(SPEAK)] * len(items)),
            Baseline(
                f"At random, speaks in {share:.0%}",
                [_decision(SPEAK if speaks else SILENT) for speaks in drawn],
            ),
        )

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, OTHER_MOMENTS)


def _items(
    material: Material, recording: Recording, steps: Sequence[Happening], has_middles: bool
) -> Iterable[Item]:
    mistakes = list(noticed_mistakes(recording))
    moments = {round(step.end_s or 0.0, 3) for step in steps}
    if has_middles:
        moments |= {round(((step.start_s or 0.0) + (step.end_s or 0.0)) / 2, 3) for step in steps}
    length = length_s(recording, steps)
    for position, moment_s in enumerate(sorted(moments)):
        seen = [step for step in mistakes if step.seen_s <= moment_s]
        mistakes = mistakes[len(seen) :]
        groups = {"phase": third_of_recording(moment_s, length, position, len(moments))}
        if seen:
            groups["mistake type"] = type_name(seen[0].event)
        mistakes_shown = [
            {
                "event": step.event.event_id,
                "type": type_name(step.event),
                "onset_s": step.onset_s,
                "seen_s": step.seen_s,
            }
            for step in seen
        ]
        yield Item(
            key=f"{recording.key}@{moment_s:.3f}",
            **material.origin(recording, groups),
            payload={**recording.written, "done": narration(steps, moment_s), "now_s": moment_s},
            question=f"At {moment_s:.1f} s: speak now, or stay silent?",
            truth={"answer": SPEAK if seen else SILENT, "mistakes": mistakes_shown},
            choices=(SPEAK, SILENT),
            start_s=max(0.0, moment_s - CLIP_S),
            moment_s=moment_s,
            sequence=recording.key,
            position=position,
            take=recording.take.uid,
        )


def _decision(answer: str) -> dict[str, Any]:
    return {"answer": answer, "text": ""}


def _caught(items: Sequence[Item], answers: Sequence[Answered]) -> np.ndarray:
    """Mistakes caught in time, and all mistakes, (N, 2), in the row of each sequence's first item.

    Each repeat of the items is a sequence of its own.
    """
    repeats: Counter[str] = Counter()
    first: dict[tuple[str, int], int] = {}
    seen_s: dict[tuple[str, int], list[float]] = {}
    spoken_s: dict[tuple[str, int], list[float]] = {}
    for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
        whole = item.sequence, repeats[item.key]
        repeats[item.key] += 1
        first.setdefault(whole, row)
        if answer.value is not None:
            seen_s.setdefault(whole, []).extend(row["seen_s"] for row in item.truth["mistakes"])
            if answer.value["answer"] == SPEAK:
                spoken_s.setdefault(whole, []).append(item.moment_s or 0.0)
    counts = np.zeros((len(items), 2))
    for whole, row in first.items():
        matched = onset_matches(seen_s.get(whole, []), spoken_s.get(whole, []))
        counts[row] = len(matched.pairs), matched.onset_count
    return counts


TASK = SpeakOrStaySilent()
