"""Is this step a mistake? One answer for every step that somebody was seen to do.

Steps that were left out were never done, so nothing is asked about them. Corrections are no
mistakes. Source of the question: error recognition in CaptainCook4D.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.engine.alignment import similarity
from benchmarks.engine.happenings import (
    Happening,
    common_groups,
    happenings,
    length_s,
    narrated,
    procedure_of,
    third,
    type_name,
    with_mistakes,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.task import (
    Baseline,
    Earlier,
    Item,
    Prompt,
    Setting,
)
from benchmarks.engine.tasks.step_mistakes.asking import NARRATION, PICTURES, prompt_of, question_of
from benchmarks.engine.yes_no import NO, YES, YesNoTask

LEFT_OUT, MISTAKE, NO_MISTAKE = "left out", "mistakes", "no mistakes"


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
        for recording in with_mistakes(material):
            done = happenings(recording)
            for one in done:
                if one.is_cascade and settings["follow_ups"] == LEFT_OUT:
                    continue
                if settings["shown"] == PICTURES and one.start_s is None:
                    continue
                yield _item(material, recording, done, one, settings)

    def prompt(self, item: Item, earlier: Sequence[Earlier]) -> Prompt:
        return prompt_of(item.payload)

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        share = sum(item.truth["answer"] == YES for item in items) / len(items)
        scores = rng.random(len(items))
        return (
            Baseline("Always “mistake”", [_said(YES)] * len(items)),
            Baseline("Always “no mistake”", [_said(NO)] * len(items)),
            Baseline(
                f"At random, “mistake” in {share:.0%}",
                [_said(YES if score < share else NO, 1 - score) for score in scores],
            ),
            *_by_wording(items),
        )


def _item(
    material: Material,
    recording: Recording,
    done: Sequence[Happening],
    one: Happening,
    settings: Mapping[str, Any],
) -> Item:
    is_mistake = one.is_mistake or (one.is_cascade and settings["follow_ups"] == MISTAKE)
    payload: dict[str, Any] = {
        "goal": recording.take.scenario,
        "procedure": procedure_of(recording.take),
    }
    if settings["shown"] == NARRATION:
        payload |= {"before": narrated(done[: one.place]), "step": one.text}
    groups = common_groups(material, recording)
    groups["phase"] = third(one.start_s, length_s(recording, done), one.place, len(done))
    if is_mistake and one.event is not None:
        groups["mistake type"] = type_name(one.event)
    return Item(
        key=f"{recording.key}#{one.place}",
        **recording.origin,
        payload=payload,
        question=question_of(payload),
        truth={"answer": YES if is_mistake else NO},
        choices=(YES, NO),
        start_s=one.start_s,
        moment_s=one.end_s,
        groups=groups,
        take=recording.take.uid,
    )


def _said(answer: str, score: float | None = None) -> dict[str, Any]:
    return {"answer": answer, "score": score}


def _by_wording(items: Sequence[Item]) -> Sequence[Baseline]:
    """What words alone give away: a step in other words than every written one is a mistake."""
    if not all("step" in item.payload for item in items):
        return ()
    values = []
    for item in items:
        nearest = max(similarity(item.payload["step"], step) for step in item.payload["procedure"])
        values.append(_said(NO if nearest == 1 else YES, 1 - nearest))
    return (Baseline("Words differ from every written step", values),)


TASK = StepMistakes()
