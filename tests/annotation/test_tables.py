"""Tables that are searched, sorted, filtered and paged by their address."""

import pytest
from django.db.models import Q
from django.test import RequestFactory

from annotation.models import Take
from annotation.tables import Filter, ListColumn, TableKind, read_table
from tests.factories import DatasetFactory, TakeFactory, VideoFactory

pytestmark = pytest.mark.django_db

KIND = TableKind(
    "takes",
    (
        ListColumn("Take", "name"),
        ListColumn("Out of order", "order_deviations", is_number=True),
    ),
    searched=("name", "scenario"),
    filters=(Filter("video", "Video", {"linked": ("linked", Q(video__isnull=False))}),),
    rows_per_page=2,
)


@pytest.fixture
def takes():
    """Return the takes by uid: two of tea, of which one has a video, and one of coffee."""
    dataset = DatasetFactory()
    rows = (
        ("a", "First tea", "tea", 2),
        ("b", "Second tea", "tea", 5),
        ("c", "Mocca", "coffee", 2),
    )
    for uid, name, scenario, deviations in rows:
        video = VideoFactory(dataset=dataset, stem=uid) if uid == "b" else None
        TakeFactory(
            dataset=dataset, uid=uid, name=name, scenario=scenario, order_deviations=deviations,
            video=video,
        )  # fmt: skip
    return Take.objects.order_by("uid")


def asked(takes, /, **parameters):
    return read_table(RequestFactory().get("/takes/", parameters), KIND, takes)


def uids(table):
    return [row.uid for row in table.page.paginator.object_list]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, ["a", "b", "c"]),
        ({"takes-q": "TEA"}, ["a", "b"]),
        ({"takes-q": "tea first"}, ["a"]),
        ({"takes-q": "coffee"}, ["c"]),
        ({"takes-q": "\x00"}, ["a", "b", "c"]),
        ({"takes-q": "100%"}, []),
        ({"takes-sort": "name"}, ["a", "c", "b"]),
        ({"takes-sort": "-name"}, ["b", "c", "a"]),
        ({"takes-sort": "-order_deviations"}, ["b", "a", "c"]),
        ({"takes-sort": "dataset__owner__password"}, ["a", "b", "c"]),
        ({"takes-video": "linked"}, ["b"]),
        ({"takes-video": "what"}, ["a", "b", "c"]),
        ({"takes-video": "linked", "takes-q": "mocca"}, []),
    ],
)
def test_rows_are_what_the_address_asks_for(takes, parameters, expected):
    assert uids(asked(takes, **parameters)) == expected


def test_links_keep_what_was_asked_of_this_table_and_of_others(takes):
    table = asked(takes, **{"takes-q": "tea", "traces-q": "x", "takes": "2", "takes-sort": "name"})

    assert [head.address for head in table.heads] == [
        "?takes-q=tea&traces-q=x&takes-sort=-name#takes",
        "?takes-q=tea&traces-q=x&takes-sort=-order_deviations#takes",
    ]
    assert [head.aria_sort for head in table.heads] == ["ascending", ""]
    assert table.kept == (("traces-q", "x"), ("takes-sort", "name"))
    assert table.clear_address == "?traces-q=x#takes"
    assert table.page_address == "?takes-q=tea&traces-q=x&takes-sort=name&takes="


def test_page_that_there_is_not_is_the_nearest(takes):
    assert [row.uid for row in asked(takes, takes="99").page] == ["c"]
    assert [row.uid for row in asked(takes, takes="tea").page] == ["a", "b"]


def test_chosen_filter_is_shown_and_counts_as_narrowed(takes):
    table = asked(takes, **{"takes-video": "linked"})

    assert table.is_narrowed
    assert [(item.value, item.is_chosen) for item in table.filters[0].choices] == [("linked", True)]
