"""Takes that make tea, and a request to plan mistakes in them."""

import json

from annotation.models import Dataset, Take
from generation.engine.planner.profiles import PIEV
from generation.engine.stages import Stage
from generation.services.runs import RunRequest
from tests.factories import StepFactory, TakeFactory

TEA_STEPS = (
    "Fill the kettle with water",
    "Turn on the kettle",
    "Get a cup from the shelf",
    "Put a tea bag in the cup",
    "Pour the water into the cup",
    "Stir the tea with a spoon",
    "Take the tea bag out of the cup",
    "Add the milk to the cup",
    "Put the milk back in the fridge",
    "Drink the tea",
)


def answer_that_keeps_the_steps() -> str:
    """Return what a writer says that has changed nothing."""
    rows = [
        {"old": index, "new": index, "mod": "u", "etype": None, "eid": None, "cid": None}
        for index in range(len(TEA_STEPS))
    ]
    return json.dumps({"final_steps": list(TEA_STEPS), "meta": rows})


def add_take(dataset: Dataset, uid: str, texts=TEA_STEPS, **step_fields) -> Take:
    """Add a take of ten steps, two seconds each, without representations."""
    take = TakeFactory(dataset=dataset, uid=uid)
    for index, text in enumerate(texts):
        StepFactory(take=take, index=index, text=text, **step_fields)
    return take


def request_for(dataset, **changes) -> RunRequest:
    """Return a request for all takes of a data set: profile piev, seed 123, plan and correct."""
    fields = {
        "name": "Tea, seed 123",
        "dataset": dataset,
        "profile": PIEV,
        "seed": 123,
        "stages": [Stage.PLAN, Stage.CORRECT],
    }
    return RunRequest(**{**fields, **changes})
