import threading
import time
from concurrent.futures import FIRST_EXCEPTION, wait

import pytest

from annotation.services.records import parallel
from annotation.services.records.parallel import each_done

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


def test_failure_lets_those_under_way_finish_and_begins_nothing_new(monkeypatch):
    begun, is_seen = [], threading.Event()

    def wait_for_the_failure(under_way, return_when):
        found = wait(under_way, return_when=FIRST_EXCEPTION)
        is_seen.set()
        return found

    def work(item):
        begun.append(item)
        if item == 0:
            raise ValueError("the first fails")
        # Whoever reads what is done has met the failure before this one ends.
        assert is_seen.wait(60)

    monkeypatch.setattr(parallel, "wait", wait_for_the_failure)

    done = []
    with pytest.raises(ValueError, match="the first fails"):
        done.extend(item for item, _ in each_done(range(5), work, at_once=2))

    assert done == [1]
    assert sorted(begun) == [0, 1]


def test_nothing_to_do_is_done():
    assert list(each_done([], time.sleep, at_once=2)) == []
