"""Traces that the site made itself: written once, updated while unrated, refused when rated."""

import pytest
from django.utils import timezone

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Event, Trace, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from annotation.models import RatingEvent
from annotation.models import Trace as TraceRow
from annotation.selectors.corpus.corpus import procedure_of, trace_of
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.made_traces import put_trace
from tests.factories import (
    AssignmentFactory,
    DatasetFactory,
    StepFactory,
    TakeFactory,
)

MISTAKE = Event("E01", EventKind.MISTAKE, TaxonomyLabel.WRONG_EXECUTION)


@pytest.fixture
def take(db):
    made = TakeFactory(uid="tea")
    for index, text in enumerate(("Get a cup", "Fill the cup")):
        StepFactory(take=made, index=index, text=text)
    return made


def content(text="Get a mug", **changes):
    steps = (TraceStep(Mod.ERROR, text, 0, "E01"), TraceStep(Mod.UNCHANGED, "Fill the cup", 1))
    fields = {"steps": steps, "events": (MISTAKE,), "provenance": {"run": "r-1"}}
    return Trace(uid="t-1", name="Tea", take_uid="tea", **{**fields, **changes})


def put(dataset, take, made):
    return put_trace(dataset=dataset, take=take, reference=procedure_of(take), content=made)


def test_put_trace_writes_it_against_a_take_of_another_data_set(take):
    dataset = DatasetFactory()

    row = put(dataset, take, content())

    assert trace_of(row) == content()
    assert (row.dataset, row.take) == (dataset, take)
    assert dataset != take.dataset


def test_put_trace_again_changes_nothing(take):
    dataset = DatasetFactory()
    first = put(dataset, take, content())
    step_ids = list(first.steps.values_list("pk", flat=True))

    again = put(dataset, take, content())

    assert (again.pk, list(again.steps.values_list("pk", flat=True))) == (first.pk, step_ids)


def test_put_trace_updates_what_nobody_rated(take):
    dataset = DatasetFactory()
    first = put(dataset, take, content())

    again = put(dataset, take, content("Get a bowl"))

    assert again.pk == first.pk
    assert trace_of(again) == content("Get a bowl")


def test_put_trace_leaves_what_was_rated(take):
    dataset = DatasetFactory()
    row = put(dataset, take, content())
    RatingEvent.objects.create(
        assignment=AssignmentFactory(trace=row),
        event=row.events.get(),
        metric="confusability",
        value="3",
        revision=1,
        client_id="tab",
        client_sequence=1,
        rated_at=timezone.now(),
    )

    with pytest.raises(ImportRefusedError, match="expected the trace as it was rated"):
        put(dataset, take, content("Get a bowl"))

    assert trace_of(TraceRow.objects.get()) == content()


def test_put_trace_names_every_broken_rule(take):
    broken = content(steps=(TraceStep(Mod.ERROR, "", 7, "E01"),))

    with pytest.raises(FormatError) as caught:
        put(DatasetFactory(), take, broken)

    assert [(item.place, item.field) for item in caught.value.problems] == [
        ("trace t-1 row 0", "text"),
        ("trace t-1 row 0", "reference_index"),
    ]
    assert not TraceRow.objects.exists()
