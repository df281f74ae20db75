"""The personas of the audit's tests, and small data sets to plan and to film."""

import pytest

from generation.engine.stages import Stage
from generation.models import TextEndpoint
from generation.services.runs import create_run
from tests.annotation.conftest import (  # noqa: F401
    administrator,
    administrator_client,
    annotator,
    annotator_client,
    media,
    outsider,
    outsider_client,
    owner,
    owner_client,
)
from tests.factories import DatasetFactory
from tests.generation.by_hand import waiting_take
from tests.generation.filmed import film_dataset
from tests.generation.tea import add_take, request_for
from tests.storage import (  # noqa: F401
    site_storage,
    storage_keys,
    storage_proxy,
    storage_server,
)


@pytest.fixture
def tea_dataset(owner):  # noqa: F811
    """Return the owner's data set of three takes that make tea."""
    dataset = DatasetFactory(name="Tea", owner=owner)
    for uid in ("tea-a", "tea-b", "tea-c"):
        add_take(dataset, uid)
    return dataset


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


@pytest.fixture
def filmed_dataset(owner, tmp_path, media):  # noqa: F811
    """Return the owner's data set of a take with a recording and one without."""
    return film_dataset(owner, tmp_path / "recordings")


@pytest.fixture
def waiting(filmed_dataset, owner):  # noqa: F811
    """Return a filmed take that waits for a person to upload its clips."""
    return waiting_take(filmed_dataset, owner)
