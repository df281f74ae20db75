"""The shelf's endpoint: for whom, what it answers, what it costs, and that the schema has it."""

import pytest
from django.urls import reverse

from tests.factories import DatasetFactory


def test_shelf_is_for_researchers(owner_client, annotator_client, client):
    answers = [item.get(reverse("api-shelf")) for item in (owner_client, annotator_client, client)]

    assert [answer.status_code for answer in answers] == [200, 403, 401]


@pytest.mark.parametrize("count", [1, 3])
def test_shelf_counts_what_its_reader_may_see(
    owner, owner_client, django_assert_num_queries, count
):
    for _ in range(count):
        DatasetFactory(owner=owner)
    DatasetFactory()

    with django_assert_num_queries(3):
        answer = owner_client.get(reverse("api-shelf"))

    assert answer.json() == {"dataset_count": count}


def test_schema_has_it(owner_client):
    schema = owner_client.get("/api/v1/schema/?format=json").json()

    assert "get" in schema["paths"]["/api/v1/shelf/"]
    assert list(schema["components"]["schemas"]["Shelf"]["properties"]) == ["dataset_count"]
