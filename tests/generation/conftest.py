"""The personas of the audit's tests, and small data sets to plan."""

import pytest

from annotation.models import Dataset, Take
from generation.engine.planner.profiles import PIEV
from generation.engine.stages import Stage
from generation.models import TextEndpoint
from generation.services.runs import RunRequest, create_run
from tests.annotation.conftest import (  # noqa: F401
    administrator,
    administrator_client,
    annotator,
    annotator_client,
    outsider,
    outsider_client,
    owner,
    owner_client,
)
from tests.factories import DatasetFactory, StepFactory, TakeFactory
from tests.storage import (  # noqa: F401
    site_storage,
    storage_keys,
    storage_proxy,
    storage_server,
)

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


def add_take(dataset: Dataset, uid: str, texts=TEA_STEPS, **step_fields) -> Take:
    """Add a take of ten steps, two seconds each, without representations."""
    take = TakeFactory(dataset=dataset, uid=uid)
    for index, text in enumerate(texts):
        StepFactory(take=take, index=index, text=text, **step_fields)
    return take


@pytest.fixture
def tea_dataset(owner):  # noqa: F811
    """Return the owner's data set of three takes that make tea."""
    dataset = DatasetFactory(name="Tea", owner=owner)
    for uid in ("tea-a", "tea-b", "tea-c"):
        add_take(dataset, uid)
    return dataset


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


@pytest.fixture
def tea_run(tea_dataset, owner):  # noqa: F811
    """Return the owner's run over the tea takes; nothing is worked on yet."""
    return create_run(request=request_for(tea_dataset), actor=owner).run


@pytest.fixture
def full_run(tea_dataset, owner):  # noqa: F811
    """Return the owner's run through every stage; nothing is worked on yet."""
    return create_run(request=request_for(tea_dataset, stages=list(Stage)), actor=owner).run


@pytest.fixture
def endpoint(owner):  # noqa: F811
    """Return an endpoint of the owner's that nobody asks."""
    return TextEndpoint.objects.create(
        name="Big", base_url="http://127.0.0.1:9/v1", model_name="big-1", owner=owner
    )
