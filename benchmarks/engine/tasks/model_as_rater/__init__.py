"""A model as rater: it answers the text metrics of a closed round and is compared with people.

It reads the words and marks that people read, and no planned type. Its answers belong to an
assessment and are never pooled with people's. Takes are divided: on one part the model's scale may
be fitted to people's, on the other the results are reported. Source of the idea: the PIE-V paper,
which proposes such a model and publishes no figure.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.analytics.agreement.intervals import ALPHA_RANGE
from annotation.analytics.tables.table import Table
from benchmarks.engine.material import Material
from benchmarks.engine.reading import read_choice
from benchmarks.engine.task import (
    PLAIN,
    Answered,
    AnswerShape,
    Baseline,
    Earlier,
    Item,
    Measure,
    Prompt,
    Reading,
    Setting,
    Tally,
    Task,
    Turn,
)
from benchmarks.engine.tasks.model_as_rater.asking import items_of_events, prompt_of
from benchmarks.engine.tasks.model_as_rater.columns import TEXT_METRICS, titles
from benchmarks.engine.tasks.model_as_rater.details import details_of
from benchmarks.engine.tasks.model_as_rater.tallying import tally_of

EXPERTS, SKILLED, CROWD = "experts", "skilled people", "a crowd"
# The bonus of a model for its lower cost, by who the people are. Source: Calderon, Reichart and
# Dror (2025).
EPSILONS = {EXPERTS: 0.2, SKILLED: 0.15, CROWD: 0.1}


class ModelAsRater(Task):
    """One answer per event and metric."""

    name = "model_as_rater"
    title = "A model as rater"
    description = "Rates the seven text metrics of a closed round's events, beside people."
    version = 2
    changes = {2: "a marked step with the words of the reference stands where it was done"}
    shape = AnswerShape.ONE
    source = "round"
    measures = (
        Measure(
            "alpha_mean", "Alpha with people",
            note="Krippendorff's alpha of the model with each person, mean over people and metrics;"
            " on the test part, as answered.", least=ALPHA_RANGE[0],
        ),
        Measure("agreement", "Equal answers", note="Share of the pairs of model and person."),
        *(
            Measure(f"alpha_{metric.value}", titles()[metric], least=ALPHA_RANGE[0])
            for metric in TEXT_METRICS
        ),
    )  # fmt: skip
    settings = (
        Setting("people", "Who the people are", SKILLED, tuple(EPSILONS)),
        Setting("calibration_share", "Share of the takes to calibrate on", 0.5, least=0, most=0.9),
    )

    def items(self, material: Material, settings: Mapping[str, Any], seed: int) -> Iterable[Item]:
        return items_of_events(material, float(settings["calibration_share"]), seed)

    def prompt(self, item: Item, earlier: Sequence[Earlier], turn: Turn = PLAIN) -> Prompt:
        return prompt_of(item.payload, item.choices)

    def read(self, item: Item, text: str) -> Reading:
        reading = read_choice(text, item.choices, score="score")
        fault = "" if reading.value is None else self.check(item, reading.value)
        return Reading(None, fault) if fault else reading

    def check(self, item: Item, value: Mapping[str, Any]) -> str:
        score, highest = value.get("score"), len(item.choices) if item.payload["is_scale"] else 1
        if score is not None and not item.payload["is_scale"] and len(item.choices) > 2:
            return ""
        least = 1 if item.payload["is_scale"] else 0
        if score is not None and not least <= score <= highest:
            return f"score is {score:g}; expected {least} to {highest}"
        return ""

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        return tally_of(items, answers)

    def details(
        self, items: Sequence[Item], answers: Sequence[Answered], about: Mapping[str, Any]
    ) -> Sequence[Table]:
        epsilon = EPSILONS[about["settings"]["people"]]
        return details_of(items, answers, epsilon=epsilon, model=about.get("model", ""))

    def baselines(self, items: Sequence[Item], rng: np.random.Generator) -> Sequence[Baseline]:
        if not any(item.truth["people"] for item in items):
            return ()
        commonest = {}
        for metric in {item.payload["metric"] for item in items}:
            values = [
                value
                for item in items
                if item.payload["metric"] == metric
                for value in item.truth["people"].values()
            ]
            # Ties go to the first by name: the result must not depend on the order of the items.
            commonest[metric] = min(set(values), key=lambda value: (-values.count(value), value))
        return (
            Baseline(
                "The commonest answer of people",
                [{"answer": commonest[item.payload["metric"]], "score": None} for item in items],
            ),
            Baseline(
                "At random",
                [
                    {"answer": item.choices[int(rng.integers(len(item.choices)))], "score": None}
                    for item in items
                ],
            ),
        )


TASK = ModelAsRater()
