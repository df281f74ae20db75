"""The shelf: for whom, what it shows, what it costs, and that it is in the menu."""

import re

import pytest
from django.urls import reverse

from tests.factories import DatasetFactory

INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", re.I)


def test_shelf_is_for_researchers(owner_client, annotator_client, client):
    answers = [item.get(reverse("shelf")) for item in (owner_client, annotator_client, client)]

    assert [answer.status_code for answer in answers] == [200, 403, 302]


@pytest.mark.parametrize("count", [1, 3])
def test_shelf_counts_what_its_reader_may_see(
    owner, owner_client, django_assert_num_queries, count
):
    for _ in range(count):
        DatasetFactory(owner=owner)
    DatasetFactory()

    with django_assert_num_queries(3):
        answer = owner_client.get(reverse("shelf"))

    page = answer.content.decode()
    assert f"<p>{count} data set" in page
    assert INLINE.findall(page) == []
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]


def test_shelf_is_in_the_menu(owner_client, annotator_client):
    link = '<a href="/shelf/"'

    assert link in owner_client.get(reverse("datasets")).content.decode()
    assert link not in annotator_client.get(reverse("queue")).content.decode()
