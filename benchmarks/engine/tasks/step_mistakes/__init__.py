"""Is this step a mistake? One answer for every step that was done.

Steps that were left out were never done, so they are not asked about. Corrections are not mistakes.
Source of the question: error recognition in CaptainCook4D.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.engine.corpus.alignment import similarity
from benchmarks.engine.happenings import (
    Happening,
    happenings,
    length_s,
    narration,
    recordings_with_traces,
    third_of_recording,
    type_name,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.prompts import goal_and_procedure, numbered
from benchmarks.engine.task import Baseline, Earlier, Item, Prompt, Setting
from benchmarks.engine.yes_no import NO, SCHEMA, YES, YesNoTask, answer_value

NARRATION, PICTURES = "its words", "pictures alone"
LEFT_OUT, MISTAKE, NO_MISTAKE = "left out", "mistakes", "no mistakes"

# Raise the version whenever the wording changes.
VERSION = "step_mistakes.v1"
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
    description = "For every step that was done: was it a mistake, given the written procedure?"
    ends = ("surely no mistake", "surely a mistake")
    settings = (
        Setting("shown", "What tells which step it is", NARRATION, (NARRATION, PICTURES)),
        Setting(
            "follow_ups", "Steps that merely follow from a mistake count as", LEFT_OUT,
            (LEFT_OUT, MISTAKE, NO_MISTAKE),
        ),
    )  # fmt: skip

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        for recording in recordings_with_traces(material):
            steps = happenings(recording)
            for step in steps:
                if step.is_cascade and settings["follow_ups"] == LEFT_OUT:
                    continue
                if settings["shown"] == PICTURES and step.start_s is None:
                    continue
                yield _item(material, recording, steps, step, settings)

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        parts = [goal_and_procedure(item.payload)]
        if "step" in item.payload:
            done = item.payload["before"]
            before = numbered(done) if done else "Nothing yet."
            step = f"The step that is asked about:\n{item.payload['step']}"
            parts += [f"Done so far:\n{before}", step]
        text = "\n\n".join([*parts, item.question, ANSWER])
        note = "Pictures of this step, in the order of time:"
        return Prompt(VERSION, SYSTEM, text, SCHEMA, max_tokens=200, picture_note=note)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        share = sum(item.truth["answer"] == YES for item in items) / len(items)
        scores = rng.random(len(items))
        return (
            Baseline("Always “mistake”", [answer_value(YES)] * len(items)),
            Baseline("Always “no mistake”", [answer_value(NO)] * len(items)),
            Baseline(
                f"At random, “mistake” in {share:.0%}",
                [answer_value(YES if score < share else NO, 1 - score) for score in scores],
            ),
            *_by_wording(items),
        )


def _item(
    material: Material,
    recording: Recording,
    steps: Sequence[Happening],
    step: Happening,
    settings: Mapping[str, Any],
) -> Item:
    is_mistake = step.is_mistake or (step.is_cascade and settings["follow_ups"] == MISTAKE)
    payload: dict[str, Any] = {
        **recording.written,
    }
    question = "Is what is done in this clip a mistake?"
    if settings["shown"] == NARRATION:
        payload |= {"before": narration(steps[: step.place]), "step": step.text}
        question = f"Is this step a mistake? “{step.text}”"
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


def _by_wording(items: Sequence[Item]) -> Sequence[Baseline]:
    """How much the words alone reveal: a step that is worded like no written one is a mistake."""
    if not all("step" in item.payload for item in items):
        return ()
    values = []
    for item in items:
        nearest = max(similarity(item.payload["step"], step) for step in item.payload["procedure"])
        values.append(answer_value(NO if nearest == 1 else YES, 1 - nearest))
    return (Baseline("Words differ from every written step", values),)


TASK = StepMistakes()
