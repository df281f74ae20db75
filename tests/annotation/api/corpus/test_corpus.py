"""The corpus as scripts see it: whole objects, and the same number of queries however long."""

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import Event, Step, TraceStep
from tests.factories import (
    DatasetFactory,
    EventFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
)


@pytest.fixture
def api(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def make_trace(dataset, *, step_count):
    take = TakeFactory(dataset=dataset)
    trace = TraceFactory(dataset=dataset, take=take)
    mistake = EventFactory(trace=trace, index=0, event_id="E01", proposed_type="S")
    EventFactory(trace=trace, index=1, event_id="C01", kind=EventKind.CORRECTION, target=mistake)
    for index in range(step_count):
        step = StepFactory(take=take, index=index)
        TraceStepFactory(
            trace=trace, index=index, mod=Mod.ERROR, event=mistake, reference_step=step
        )
    return trace


def test_schema_is_valid_without_warnings(tmp_path):
    call_command(
        "spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml")
    )

    assert "openapi: 3." in (tmp_path / "schema.yml").read_text()


def test_trace_comes_with_rows_and_events(api, owner):
    trace = make_trace(DatasetFactory(owner=owner), step_count=1)

    body = api.get(f"/api/v1/traces/{trace.public_id}/").json()

    assert body["events"] == [
        {
            "index": 0,
            "event_id": "E01",
            "kind": "mistake",
            "proposed_type": "S",
            "target": None,
        },
        {
            "index": 1,
            "event_id": "C01",
            "kind": "correction",
            "proposed_type": "",
            "target": "E01",
        },
    ]
    assert body["steps"] == [
        {
            "index": 0,
            "mod": "e",
            "text": "Do part 1",
            "step_id": "",
            "start_s": 0.0,
            "end_s": 2.0,
            "reference_index": 0,
            "event": "E01",
            "labels": [],
        }
    ]


@pytest.mark.parametrize("row_count", [1, 3])
def test_trace_costs_the_same_queries_whatever_its_length(
    api, owner, django_assert_num_queries, row_count
):
    trace = make_trace(DatasetFactory(owner=owner), step_count=row_count)

    with django_assert_num_queries(4):
        answer = api.get(f"/api/v1/traces/{trace.public_id}/")

    assert len(answer.json()["steps"]) == row_count


@pytest.mark.parametrize("row_count", [1, 3])
@pytest.mark.parametrize(("part", "query_count"), [("takes", 3), ("traces", 3)])
def test_lists_of_a_dataset_cost_the_same_queries(
    api, owner, django_assert_num_queries, row_count, part, query_count
):
    dataset = DatasetFactory(owner=owner)
    for _ in range(row_count):
        make_trace(dataset, step_count=1)

    with django_assert_num_queries(query_count):
        answer = api.get(f"/api/v1/datasets/{dataset.public_id}/{part}/")

    assert answer.json()["count"] == row_count


@pytest.mark.parametrize("row_count", [1, 3])
def test_list_of_datasets_costs_the_same_queries(api, owner, django_assert_num_queries, row_count):
    for _ in range(row_count):
        make_trace(DatasetFactory(owner=owner), step_count=1)

    with django_assert_num_queries(2) as captured:
        answer = api.get("/api/v1/datasets/")

    assert [(row["take_count"], row["trace_count"]) for row in answer.json()["results"]] == [
        (1, 1)
    ] * row_count
    # Takes joined with traces are a row for every two of them: millions in a large data set.
    assert 'JOIN "annotation_take"' not in "".join(row["sql"] for row in captured)


def test_a_trace_of_thousands_of_steps_comes_whole(api, owner, django_assert_max_num_queries):
    """SQLite takes no more than a thousand ORs, which Django wrote one of for each step."""
    count = 1990
    trace = TraceFactory(dataset=DatasetFactory(owner=owner))
    Step.objects.bulk_create(
        Step(take=trace.take, index=index, text=f"Step {index}") for index in range(count)
    )
    Event.objects.bulk_create(
        Event(trace=trace, index=index, event_id=f"E{index}", kind=EventKind.MISTAKE)
        for index in range(count)
    )
    TraceStep.objects.bulk_create(
        TraceStep(
            trace=trace, index=step.index, mod=Mod.ERROR, text="x", event=event, reference_step=step
        )
        for step, event in zip(trace.take.steps.all(), trace.events.all(), strict=True)
    )

    with django_assert_max_num_queries(10):
        answer = api.get(f"/api/v1/traces/{trace.public_id}/")

    assert answer.status_code == 200
    rows = [(row["reference_index"], row["event"]) for row in answer.json()["steps"]]
    assert rows == [(index, f"E{index}") for index in range(count)]
