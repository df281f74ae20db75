"""Is this step a mistake? One answer for every step that was done.

Steps that were left out were never done, so they are not asked about. Corrections are not mistakes.
A step that the procedure does not have would show itself by having no words, so only sets of
pictures alone ask about it. Source of the question: error recognition in CaptainCook4D.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.engine.happenings import (
    NOT_WRITTEN,
    OWN_WORDS,
    PICTURES,
    SHOWN,
    TELLS,
    WRITTEN_WORDS,
    Happening,
    happenings,
    length_s,
    narration,
    third_of_recording,
    type_name,
    watched_recordings,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.prompts import goal_and_procedure, numbered
from benchmarks.engine.task import PLAIN, Baseline, Earlier, Item, Prompt, Setting, Turn
from benchmarks.engine.word_rules import BY_ORDER, BY_WORDS, are_out_of_order, are_unwritten
from benchmarks.engine.yes_no import NO, SCHEMA, YES, DrawnAnswers, YesNoTask, answer_value

LEFT_OUT, MISTAKE, NO_MISTAKE = "left out", "mistakes", "no mistakes"
UNTIMED = "steps without a time, of which there are no pictures"

# Raise the version whenever the wording changes. Sets of version 1 of the task, which had each
# row's own words, are asked as they always were.
VERSION, VERSION_OF_WRITTEN_WORDS = "step_mistakes.v1", "step_mistakes.v2"
SYSTEM = (
    "You watch people follow written procedures and tell mistakes from good work. A mistake is a"
    " step that was done wrongly, with the wrong thing, at the wrong place in the order, or that"
    " the procedure does not have. Putting a mistake right is no mistake."
)
ANSWER = (
    'Answer with a JSON object: {"answer": "yes"} if this step is a mistake, {"answer": "no"} if'
    ' it is none, and in "score" how sure you are that it is a mistake, from 0 to 1.'
)


class StepMistakes(YesNoTask):
    """One yes or no per step."""

    name = "step_mistakes"
    title = "Is this step a mistake?"
    version = 2
    changes = {
        2: "Participants read the procedure's words of a step instead of the row's own, which often"
        " describe the mistake; recordings without mistakes are in; a label that a rule derived"
        " from the order makes no mistake."
    }
    description = "For every step that was done: was it a mistake, given the written procedure?"
    ends = ("surely no mistake", "surely a mistake")
    settings = (
        SHOWN,
        Setting(
            "follow_ups", "Steps that merely follow from a mistake count as", LEFT_OUT,
            (LEFT_OUT, MISTAKE, NO_MISTAKE),
        ),
    )  # fmt: skip

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        for recording, steps, step, reason in _steps(material, settings):
            if not reason:
                yield _item(material, recording, steps, step, settings)

    def left_out(self, material: Material, settings: Mapping[str, Any]) -> Mapping[str, int]:
        return Counter(reason for *_, reason in _steps(material, settings) if reason)

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        payload = item.payload
        is_written = payload.get("shown") == WRITTEN_WORDS
        parts = [goal_and_procedure(payload)]
        if "step" in payload:
            done = payload["before"]
            before = numbered(done) if done else "Nothing yet."
            named = ", as the procedure calls it" if is_written else ""
            parts += [
                f"Done so far{named}:\n{before}",
                f"The step that is asked about{named}:\n{payload['step']}",
            ]
        text = "\n\n".join([*parts, item.question, ANSWER])
        note = "Pictures of this step, in the order of time:"
        version = VERSION_OF_WRITTEN_WORDS if is_written else VERSION
        return Prompt(version, SYSTEM, text, SCHEMA, max_tokens=200, picture_note=note)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        share = sum(item.truth["answer"] == YES for item in items) / len(items)
        return (
            Baseline("Always “mistake”", [answer_value(YES)] * len(items)),
            Baseline("Always “no mistake”", [answer_value(NO)] * len(items)),
            Baseline(
                f"At random, “mistake” in {share:.0%}",
                DrawnAnswers(array("d", rng.random(len(items))), share),
            ),
            *_by_words(items),
        )

    def warnings(self, settings: Mapping[str, Any]) -> Sequence[str]:
        return (TELLS,) if settings.get("shown") == OWN_WORDS else ()


def _steps(
    material: Material, settings: Mapping[str, Any]
) -> Iterator[tuple[Recording, Sequence[Happening], Happening, str]]:
    """Every step that was done, with the reason why it is not asked about, "" for none."""
    shown = settings["shown"]
    for recording in watched_recordings(material):
        steps = happenings(recording)
        for step in steps:
            reason = ""
            if step.is_cascade and settings["follow_ups"] == LEFT_OUT:
                reason = "steps that merely follow from a mistake"
            elif shown == WRITTEN_WORDS and not step.words:
                reason = f"steps {NOT_WRITTEN}"
            elif shown == PICTURES and step.start_s is None:
                reason = UNTIMED
            yield recording, steps, step, reason


def _item(
    material: Material,
    recording: Recording,
    steps: Sequence[Happening],
    step: Happening,
    settings: Mapping[str, Any],
) -> Item:
    is_mistake = step.is_mistake or (step.is_cascade and settings["follow_ups"] == MISTAKE)
    shown = settings["shown"]
    payload: dict[str, Any] = {**recording.written, "shown": shown}
    question = "Is what is done in this clip a mistake?"
    if text := step.text(shown):
        payload |= {"before": narration(steps[: step.place], shown), "step": text}
        question = f"Is this step a mistake? “{text}”"
    groups = {
        "phase": third_of_recording(
            step.start_s, length_s(recording, steps), step.place, len(steps)
        )
    }
    if is_mistake and step.event is not None:
        groups["mistake type"] = type_name(step.event)
    return Item(
        key=f"{recording.key}#{step.place}",
        **material.origin(recording, groups),
        payload=payload,
        question=question,
        truth={"answer": YES if is_mistake else NO},
        choices=(YES, NO),
        start_s=step.start_s,
        moment_s=step.end_s,
        take=recording.take.uid,
    )


def _by_words(items: Sequence[Item]) -> Sequence[Baseline]:
    """What the words and the order of the steps tell without a picture."""
    values: dict[str, list[dict[str, Any]]] = {BY_WORDS: [], BY_ORDER: []}
    # Held once, as there may be a million of them.
    answers = {True: answer_value(YES, 1.0), False: answer_value(NO, 0.0)}
    # One pass: payloads of a large set come from the database.
    for item in items:
        payload = item.payload
        if (step := payload.get("step")) is None:
            return ()
        procedure = payload["procedure"]
        is_unwritten = are_unwritten([step], procedure)[0]
        is_out_of_order = are_out_of_order([*payload["before"], step], procedure)[-1]
        values[BY_WORDS].append(answers[is_unwritten])
        values[BY_ORDER].append(answers[is_out_of_order])
    return [Baseline(name, own) for name, own in values.items()]


TASK = StepMistakes()
