"""The factories' rows satisfy the database and make nothing beyond their parents."""

import pytest

from annotation.models import Dataset, Event, Step, Take, Trace, TraceStep, User
from annotation.models.corpus import new_public_id
from tests import factories

pytestmark = pytest.mark.django_db


def row_counts() -> dict[str, int]:
    models = (Dataset, Take, Step, Trace, TraceStep, Event, User)
    return {model.__name__: model.objects.count() for model in models if model.objects.exists()}


def test_trace_step_factory_makes_only_its_parents() -> None:
    factories.TraceStepFactory()

    assert row_counts() == {"Dataset": 1, "Take": 1, "Trace": 1, "TraceStep": 1}


def test_trace_factory_puts_its_take_into_the_same_dataset() -> None:
    trace = factories.TraceFactory()

    assert trace.take.dataset == trace.dataset


@pytest.mark.parametrize(
    "factory_class",
    [
        factories.StepFactory,
        factories.EventFactory,
        factories.VideoFactory,
        factories.CampaignRaterFactory,
        factories.AssignmentFactory,
    ],
)
def test_factory_makes_two_different_valid_rows(factory_class: type) -> None:
    first, second = factory_class(), factory_class()

    first.full_clean(exclude=["content_hash", "take", "trace"])
    assert first.pk != second.pk


def test_no_public_id_looks_like_an_option_of_a_command(monkeypatch):
    drawn = iter(["-a23456789012", "b23456789012"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda count: next(drawn))
    assert new_public_id() == "b23456789012"
