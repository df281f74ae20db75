"""How many steps were done? A task by one folder: nothing else of the house knows of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.tables.table import Best
from benchmarks.engine.material import Material
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerShape,
    Baseline,
    Earlier,
    Example,
    Item,
    Measure,
    Prompt,
    Reading,
    Setting,
    Tally,
    Task,
    Turn,
    Variant,
)


class CountSteps(Task):
    """One number per recording."""

    name = "count_steps"
    title = "How many steps?"
    description = "For every recording: how many steps were done?"
    shape = AnswerShape.ONE
    measures = (
        Measure("exact", "Exact"),
        Measure("error", "Mean error", decimals=1, best=Best.LOWEST),
    )
    variants = (
        Variant("at-once", "at once"),
        Variant("checked", "checked, after an example", request_count=2, has_examples=True),
    )
    settings = (Setting("least", "Fewest steps of a recording", 1, least=0, most=100),)

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        for recording in material.recordings:
            if recording.trace is None:
                continue
            texts = [step.text for step in recording.trace.steps if step.text]
            if len(texts) >= settings["least"]:
                yield Item(
                    key=recording.key,
                    recording=recording.key,
                    payload={"procedure": [step.text for step in recording.take.steps]},
                    question="How many steps are done in this recording?",
                    truth={"count": len(texts)},
                    take=recording.take.uid,
                    procedure=recording.take.scenario,
                    groups={"scenario": recording.take.scenario},
                )

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        text = "\n".join([item.question, *item.payload["procedure"]])
        if turn.replies:
            text += f"\nYou said {turn.replies[0]}. Count again."
        examples = tuple(Example(one, f"There {one.truth['count']}.") for one in turn.examples)
        return Prompt("count_steps.v1", "Answer with a number.", text, examples=examples)

    def goes_on(self, item: Item, turn: Turn) -> bool:
        # Who counts as many as were written may not have looked.
        return turn.replies == (str(len(item.payload["procedure"])),)

    def examples(
        self, pool: Sequence[Item], variant: str, rng: np.random.Generator
    ) -> Sequence[Item]:
        if not pool:
            raise ValueError("no recording to learn from")
        return [pool[int(rng.integers(len(pool)))]]

    def read(self, item: Item, text: str) -> Reading:
        if not text.strip().isdigit():
            return Reading(None, "no number")
        return Reading({"answer": text.strip(), "score": None})

    def check(self, item: Item, value: Mapping[str, Any]) -> str:
        return "" if value["answer"].isdigit() else "a whole number"

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names = sorted({item.recording for item in items})
        sums = np.zeros((len(names), 3))
        for item, answer in zip(items, answers, strict=True):
            if answer.value is not None:
                error = abs(int(answer.value["answer"]) - item.truth["count"])
                sums[names.index(item.recording)] += 1, error == 0, error
        return Tally(
            tuple(names),
            sums,
            {
                "exact": lambda summed: summed[:, 1] / summed[:, 0],
                "error": lambda summed: summed[:, 2] / summed[:, 0],
            },
        )

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        as_written = [
            {"answer": str(len(item.payload["procedure"])), "score": None} for item in items
        ]
        return (
            Baseline("As many as the procedure has", as_written),
            Baseline("Always 1", [{"answer": "1", "score": None}] * len(items)),
        )


TASK = CountSteps()
