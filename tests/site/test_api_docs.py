"""The page of the API: inside the site's frame, by noun, from the schema itself."""

import re

from django.conf import settings

from annotation.models import Role
from tests.api_contract import operations
from tests.factories import UserFactory


def test_every_operation_stands_under_its_noun_with_its_summary(db, client):
    client.force_login(UserFactory(role=Role.RESEARCHER))

    page = client.get("/api/docs/").content.decode()

    assert '<header class="top">' in page
    headings = re.findall(r'<h2 id="([\w-]+)">', page)
    assert headings == [*(f"noun-{noun}" for noun in settings.API_NOUNS), "shapes"]
    listed = re.findall(r'api-method">(\w+)</span> <code>([^<]+)</code> <span[^>]*>(.+?)<', page)
    assert {f"{method} {path}" for method, path, _ in listed} == set(operations())


def test_the_page_of_the_api_is_for_those_who_are_logged_in(db, client):
    assert client.get("/api/docs/")["Location"] == "/login/?next=/api/docs/"
