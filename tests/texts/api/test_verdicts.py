"""One's own texts over the API."""

import pytest
from django.urls import reverse

from tests.annotation.conftest import client_of
from tests.texts.reading_rounds import give, places, text_round

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("query", "count"),
    [({}, 2), ({"left": "true"}, 1), ({"left": "True"}, 1), ({"left": 1}, 1), ({"left": 0}, 2)],
)
def test_own_texts_are_listed_all_or_those_without_a_verdict(owner, query, count):
    made, _ = text_round(owner)
    own = places(made, key="q0")[1]
    give(own, "accept")

    listed = client_of(own.person).get(reverse("api-texts"), query).json()["results"]

    assert len(listed) == count


def test_a_filter_that_cannot_be_read_is_refused(owner):
    refused = client_of(owner).get(reverse("api-texts"), {"left": "perhaps"})

    assert refused.status_code == 400
    assert refused.json() == {"left": ["Must be a valid boolean."]}
