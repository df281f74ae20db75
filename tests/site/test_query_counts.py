"""How many queries each address takes: in a large world as in a small one few.

Every route of the URL conf that answers a GET is asked, a new one too; what it costs in time is
measured by `bench.addresses`.
"""

from contextlib import contextmanager
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.analytics.pictures import canvas
from annotation.models import Role
from bench.addresses_walk import chosen_ids, entered, forget_answers, get_routes, highest_keys
from bench.addresses_world import WorldSize, make_world
from tests.annotation.drawn import draw_all
from tests.factories import UserFactory
from tests.site.furnished import addresses_of, furnish

pytestmark = pytest.mark.django_db

MOST_QUERIES = 15
ADDRESSES = 3
SMALL = WorldSize(takes=4, ratings=200, campaigns=3, raters=6, steps_per_take=6)
LARGE = WorldSize(takes=12, ratings=1_000, campaigns=9, raters=12, steps_per_take=12)


@contextmanager
def world(size):
    """Make the world and take it back; clients of who sees something, and what addresses name."""
    with transaction.atomic():
        owner = UserFactory(username="owner", role=Role.RESEARCHER)
        make_world(size, owner)
        large = highest_keys()
        house = furnish(owner)
        administrator = UserFactory(role=Role.ADMINISTRATOR)
        yield entered([administrator, owner, *house.people]), chosen_ids(large)
        transaction.set_rollback(True)


def counts_of(clients, ids):
    """The most queries that an address of each route takes, asked a second time.

    The first time something may be computed and stored; what a process keeps in its memory does
    not count, for the next one has not. No answer draws a picture; a worker has to do that.
    """
    counts = {}
    for route in get_routes():
        for address in addresses_of(route, ids, ADDRESSES):
            for client in clients:
                with patch.object(canvas, "_drawn", side_effect=AssertionError(address)):
                    status = client.get(address).status_code
                if status in (202, 302):
                    draw_all()
                    status = client.get(address).status_code
                if status != 200:
                    continue
                forget_answers()
                with CaptureQueriesContext(connection) as queries:
                    b"".join(client.get(address))
                counts[route] = max(counts.get(route, 0), len(queries))
                break
    return counts


def test_no_address_takes_more_queries_where_there_is_more(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    with world(SMALL) as (clients, ids):
        small = counts_of(clients, ids)
    with world(LARGE) as (clients, ids):
        large = counts_of(clients, ids)

    over = {
        route: (small.get(route), count) for route, count in large.items() if count > MOST_QUERIES
    }
    assert small.keys() == large.keys()
    assert len(large) > 150
    assert over == {}
    assert {route: count for route, count in small.items() if count > MOST_QUERIES} == {}
