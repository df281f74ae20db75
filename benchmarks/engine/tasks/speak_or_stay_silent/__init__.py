"""Speak now or stay silent: an assistant watches along and speaks up once a mistake can be seen.

It is asked at the end of every step and halfway to it, in order of time, and is told what it said
before. It should speak at the first of these moments at which a mistake can be seen: when its step
has ended, or when another step was done in place of one that was left out.

Where steps have the procedure's words, one that the procedure does not have would show itself: the
list would not grow at its end, or its time would be a gap. So there is no moment of it, and only
sets of pictures alone expect that somebody speaks about it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Table
from benchmarks.engine.claims import Claim
from benchmarks.engine.happenings import (
    NOT_WRITTEN,
    OWN_WORDS,
    PICTURES,
    SHOWN,
    TELLS,
    WITHOUT_TIMES,
    WRITTEN_WORDS,
    Happening,
    NarrationByEnds,
    NoticedMistake,
    length_s,
    milliseconds,
    noticed_mistakes,
    third_of_recording,
    timed_happenings,
    type_name,
    watched_recordings,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.measures.counts import cluster_names, summed
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.measures.speaking import (
    DECISION_MEASURES,
    ONSET_TOLERANCE_S,
    decision_figures,
    decision_figures_of_all,
    onset_matches,
)
from benchmarks.engine.prompts import TEXT, goal_and_procedure, numbered, one_of, strict_object
from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.reading import json_object, read_choice
from benchmarks.engine.score_thresholds import score_curve, score_tables
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerShape,
    Baseline,
    Curve,
    Earlier,
    Item,
    Measure,
    Prompt,
    PublishedRow,
    Reading,
    Setting,
    Tally,
    Task,
    Turn,
)
from benchmarks.engine.word_rules import BY_ORDER, BY_WORDS, are_out_of_order, are_unwritten

SPEAK, SILENT = "speak", "silent"
# Raise the version whenever the wording changes. Sets of version 1 of the task, which had each
# row's own words, are asked as they always were.
VERSION, VERSION_OF_WRITTEN_WORDS = "speak_or_stay_silent.v1", "speak_or_stay_silent.v2"
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
BOTH, ENDS = "the end of each step and halfway to it", "the end of each step"
NO_TIMES = "no recording of {} has times for all its steps; they are asked about moment by moment"
OTHER_MOMENTS = (
    "other recordings, and most interruptions there announce the next step: here one speaks about"
    " mistakes alone"
)


class SpeakOrStaySilent(Task):
    """A decision at every moment of a recording."""

    name = "speak_or_stay_silent"
    title = "Speak now or stay silent?"
    version = 2
    changes = {
        2: "Participants read the procedure's words of a step instead of the row's own, which often"
        " describe the mistake; half of the moments are halfway between the ends of two steps;"
        " recordings without mistakes are in; a label that a rule derived from the order makes no"
        " mistake; ends are compared in milliseconds, so a mistake is due at the end of its step."
    }
    description = "Asked moment by moment: is there a mistake to speak up about just now?"
    shape = AnswerShape.STREAM
    measures = (
        *DECISION_MEASURES,
        Measure(
            "caught_in_time", "Mistakes caught in time",
            note=f"Spoken of within {ONSET_TOLERANCE_S:g} s of when the mistake can be seen.",
        ),
        Measure(
            "caught_in_time_of_all", "Mistakes caught in time, of all",
            note="Moments without an answer count as silence.",
        ),
    )  # fmt: skip
    settings = (SHOWN, Setting("moments", "When it is asked", BOTH, (BOTH, ENDS)))

    def claim(self, start_s: float, end_s: float, label: str, score: float | None) -> Claim:
        return Claim(start_s, end_s, label, "mistake" if label == SPEAK else "", score)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        timed = timed_happenings(material)
        if not timed:
            raise ValueError(NO_TIMES.format(material.name))
        for recording, done in timed:
            yield from _items(material, recording, done, settings)

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        timed = timed_happenings(material)
        untimed = len(watched_recordings(material)) - len(timed)
        hidden = sum(
            not mistake.is_shown(settings["shown"])
            for recording, _ in timed
            for mistake in noticed_mistakes(recording)
        )
        counts = {WITHOUT_TIMES: untimed, f"mistakes in steps {NOT_WRITTEN}": hidden}
        return {reason: count for reason, count in counts.items() if count}

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        payload = item.payload
        is_written = payload.get("shown") == WRITTEN_WORDS
        now = f"{payload['now_s']:.1f} s"
        finished = f"It is {now} into the recording."
        if "done" in payload:
            done = numbered(payload["done"]) if payload["done"] else "Nothing is finished yet."
            named = ", as the procedure calls it" if is_written else ""
            finished = f"Finished by now ({now}){named}:\n{done}"
        spoken = [
            f"At {moment.item.payload['now_s']:.1f} s: {moment.value['text'] or '(without words)'}"
            for moment in earlier
            if moment.value is not None and moment.value["answer"] == SPEAK
        ]
        parts = [
            goal_and_procedure(payload),
            finished,
            "You have said:\n" + ("\n".join(spoken) if spoken else "Nothing."),
            "Do you speak now, or stay silent?",
            ANSWER,
        ]
        note = "Pictures of the last seconds, in the order of time:"
        text = "\n\n".join(parts)
        version = VERSION_OF_WRITTEN_WORDS if is_written or "done" not in payload else VERSION
        return Prompt(version, SYSTEM, text, SCHEMA, max_tokens=200, picture_note=note)

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
        figures = decision_figures() | decision_figures_of_all()
        figures["caught_in_time"] = lambda sums: ratio(sums[:, -3], sums[:, -2])
        figures["caught_in_time_of_all"] = lambda sums: ratio(sums[:, -3], sums[:, -1])
        return Tally(names, np.hstack([counts, caught]), figures)

    def curve(self, items: Sequence[Item], answers: Sequence[Answered]) -> Curve | None:
        return score_curve(items, answers, SPEAK)

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        return score_tables(items, answers, SPEAK)

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
            *_by_words(items),
        )

    def published(self, settings: Mapping[str, Any]) -> Sequence[PublishedRow]:
        return published_rows(__file__, OTHER_MOMENTS)

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (TELLS,) if settings.get("shown") == OWN_WORDS else ()


def _moments(steps: Sequence[Happening], settings: Mapping[str, Any]) -> list[float]:
    """When it is asked: at the ends of steps that have words, or of all in pictures alone.

    Halfway is between two ends, not within a step: start and end would reveal a gap before it.
    """
    shown = settings["shown"]
    chosen = [step for step in steps if shown != WRITTEN_WORDS or step.words]
    ends = sorted({step.end_s for step in chosen if step.end_s is not None})
    if settings["moments"] == ENDS or not ends:
        return sorted({*map(milliseconds, ends)})
    befores = [chosen[0].start_s or 0.0, *ends]
    halves = [(before + end) / 2 for before, end in zip(befores, ends, strict=False)]
    return sorted({*map(milliseconds, [*ends, *halves])})


def _items(
    material: Material,
    recording: Recording,
    steps: Sequence[Happening],
    settings: Mapping[str, Any],
) -> Iterable[Item]:
    shown = settings["shown"]
    mistakes = [one for one in noticed_mistakes(recording) if one.is_shown(shown)]
    moments = _moments(steps, settings)
    length, told = length_s(recording, steps), NarrationByEnds(steps, shown)
    for position, moment_s in enumerate(moments):
        seen = [mistake for mistake in mistakes if milliseconds(mistake.seen_s) <= moment_s]
        mistakes = mistakes[len(seen) :]
        payload = {**recording.written, "shown": shown, "now_s": moment_s}
        if shown != PICTURES:
            payload["done"] = told.until(moment_s)
        groups = {"phase": third_of_recording(moment_s, length, position, len(moments))}
        if seen:
            groups["mistake type"] = type_name(seen[0].event)
        yield Item(
            key=f"{recording.key}@{moment_s:.3f}",
            **material.origin(recording, groups),
            payload=payload,
            question=f"At {moment_s:.1f} s: speak now, or stay silent?",
            truth={"answer": SPEAK if seen else SILENT, "mistakes": [*map(_due, seen)]},
            choices=(SPEAK, SILENT),
            start_s=max(0.0, moment_s - CLIP_S),
            moment_s=moment_s,
            sequence=recording.key,
            position=position,
            take=recording.take.uid,
        )


def _due(mistake: NoticedMistake) -> dict[str, Any]:
    return {
        "event": mistake.event.event_id,
        "type": type_name(mistake.event),
        "onset_s": mistake.onset_s,
        "seen_s": mistake.seen_s,
    }


def _by_words(items: Sequence[Item]) -> Sequence[Baseline]:
    """What the words and the order of the steps tell: a rule speaks when such a step is listed."""
    counts: dict[str, list[int]] = {BY_WORDS: [], BY_ORDER: []}
    # One pass in their own order: payloads of a large set come from the database.
    for item in items:
        if "done" not in item.payload:
            return ()
        done, procedure = item.payload["done"], item.payload["procedure"]
        for name, rule in ((BY_WORDS, are_unwritten), (BY_ORDER, are_out_of_order)):
            counts[name].append(sum(rule(done, procedure)))
    moments = [(item.sequence, item.position) for item in items]
    in_order = sorted(range(len(moments)), key=moments.__getitem__)
    baselines, speak, silent = [], _decision(SPEAK), _decision(SILENT)
    for name, marked in counts.items():
        decisions = [silent] * len(marked)
        before: dict[str, int] = {}
        for place in in_order:
            # What is listed at a moment is listed at later ones, so a new mark adds to the count.
            sequence = moments[place][0]
            if marked[place] > before.get(sequence, 0):
                decisions[place] = speak
            before = {sequence: marked[place]}
        baselines.append(Baseline(name, decisions))
    return baselines


def _decision(answer: str) -> dict[str, Any]:
    return {"answer": answer, "text": ""}


def _caught(items: Sequence[Item], answers: Sequence[Answered]) -> np.ndarray:
    """Mistakes caught in time, those due where an answer was read, and all, (N, 3).

    They are in the row of each sequence's first item, and each repeat of the items is a sequence of
    its own.
    """
    repeats: Counter[str] = Counter()
    all_count: Counter[tuple[str, int]] = Counter()
    first: dict[tuple[str, int], int] = {}
    seen_s: dict[tuple[str, int], list[float]] = {}
    spoken_s: dict[tuple[str, int], list[float]] = {}
    for row, (item, answer) in enumerate(zip(items, answers, strict=True)):
        whole = item.sequence, repeats[item.key]
        repeats[item.key] += 1
        first.setdefault(whole, row)
        all_count[whole] += len(item.truth["mistakes"])
        if answer.value is not None:
            seen_s.setdefault(whole, []).extend(row["seen_s"] for row in item.truth["mistakes"])
            if answer.value["answer"] == SPEAK:
                spoken_s.setdefault(whole, []).append(item.moment_s or 0.0)
    counts = np.zeros((len(items), 3))
    for whole, row in first.items():
        matched = onset_matches(seen_s.get(whole, []), spoken_s.get(whole, []))
        counts[row] = len(matched.pairs), matched.onset_count, all_count[whole]
    return counts


TASK = SpeakOrStaySilent()
