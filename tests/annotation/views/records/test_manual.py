"""The help: pages of `docs/` in the site's look, for everybody who is logged in."""

import re

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse

from annotation.views.records.manual import PAGES, manual_page


def test_help_shows_the_page_with_its_contents(annotator_client):
    page = annotator_client.get(reverse("help")).content.decode()

    assert '<h1 id="how-to-rate">How to rate</h1>' in page
    assert '<a href="#the-nine-questions">The nine questions</a>' in page
    assert '<h2 id="the-nine-questions">' in page
    assert '<table class="table">' in page
    assert reverse("manual", args=["labelling"]) in page


@pytest.mark.parametrize("name", PAGES)
def test_pictures_are_there_and_nothing_of_markdown_is_left(name):
    body = manual_page(name).body

    sources = re.findall(r'<img src="/static/([^"]+)"', body)
    assert sources
    assert [source for source in sources if finders.find(source) is None] == []
    assert not re.search(r"^#|\*\*|\]\(|style=", body, re.MULTILINE)


def test_unknown_pages_and_strangers_are_sent_away(annotator_client, client):
    assert annotator_client.get(reverse("manual", args=["nothing"])).status_code == 404
    assert client.get(reverse("help")).status_code == 302
