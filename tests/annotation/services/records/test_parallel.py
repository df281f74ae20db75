import threading
import time

import pytest
from django.db import connection, transaction

from annotation.models import User
from annotation.services.records.parallel import each_done, leave_connection
from tests.factories import UserFactory

# Its threads leave no connection open that a test database would wait for.
pytestmark = pytest.mark.django_db(transaction=True)


def test_each_item_comes_out_once_it_is_done():
    may_end = {item: threading.Event() for item in "abc"}
    may_end["b"].set()
    done = []

    for item, _ in each_done("abc", lambda item: may_end[item].wait(60), at_once=3):
        done.append(item)
        may_end["c" if item == "b" else "a"].set()

    assert done == ["b", "c", "a"]


def test_no_more_are_at_work_than_allowed():
    inside, most, lock = set(), [], threading.Lock()
    three_here = threading.Barrier(3, timeout=60)

    def work(item):
        with lock:
            inside.add(item)
            most.append(len(inside))
        three_here.wait()
        with lock:
            inside.remove(item)

    done = [item for item, _ in each_done(range(9), work, at_once=3)]

    assert (sorted(done), max(most)) == (list(range(9)), 3)


def test_failure_lets_those_under_way_finish_and_begins_nothing_new():
    begun, failing = [], []

    def work(item):
        begun.append(item)
        if item == 0:
            failing.append(threading.current_thread())
            two_here.wait()
            raise ValueError("the first fails")
        two_here.wait()
        # The thread that failed takes nothing more, so it ends.
        failing[0].join(60)

    two_here = threading.Barrier(2, timeout=60)
    done = []
    with pytest.raises(ValueError, match="the first fails"):
        done.extend(item for item, _ in each_done(range(5), work, at_once=2))

    assert done == [1]
    assert sorted(begun) == [0, 1]


def test_a_thread_keeps_one_connection_for_all_its_items_and_closes_it():
    connections = set()

    def work(item):
        connection.ensure_connection()
        connections.add(connection.connection)

    list(each_done(range(20), work, at_once=2))

    assert len(connections) <= 2
    for left in connections:
        with pytest.raises(Exception, match="closed"):
            left.cursor().execute("SELECT 1")


@pytest.mark.django_db(transaction=True)
def test_transaction_keeps_its_connection_while_something_is_waited_for():
    with transaction.atomic():
        UserFactory(username="kept")
        leave_connection()

    assert User.objects.filter(username="kept").exists()


def test_nothing_to_do_is_done():
    assert list(each_done([], time.sleep, at_once=2)) == []
