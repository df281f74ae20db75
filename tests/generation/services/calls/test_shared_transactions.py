import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from annotation.models import Dataset
from generation.services.calls.shared_transactions import SharedWriting, write_later, write_together

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ["a", "b", "c", "d"]
LIMIT_S = 60


def dataset(name):
    return Dataset.objects.create(name=name, format="native").name


def names():
    return list(Dataset.objects.order_by("name").values_list("name", flat=True))


class Gathered(SharedWriting):
    """Lets the first transaction wait until all the others have come."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def wait_for_the_others(self):
        gathered = threading.Event()
        while len(self._waiting) < self.count:
            gathered.wait(0.001)


def written_at_once(works):
    """Carry the works out in one thread each, all while a first one writes; return what came."""
    shared = Gathered(len(works))

    def outcome(work):
        try:
            return shared.write(work), names()
        except ZeroDivisionError as error:
            return error, names()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works) + 1) as pool:
        first = pool.submit(outcome, shared.wait_for_the_others)
        while not shared._has_leader:
            threading.Event().wait(0.001)
        outcomes = [future.result(LIMIT_S) for future in [pool.submit(outcome, w) for w in works]]
        first.result(LIMIT_S)
    return outcomes


def test_threads_that_come_while_one_writes_share_a_transaction():
    def work(name):
        return lambda: (dataset(name), threading.get_ident())

    outcomes = written_at_once([work(name) for name in NAMES])

    assert [written for (written, _), _ in outcomes] == NAMES
    assert len({thread for (_, thread), _ in outcomes}) == 1


def test_no_thread_continues_before_the_commit():
    outcomes = written_at_once([lambda name=name: dataset(name) for name in NAMES])

    assert [seen for _, seen in outcomes] == [NAMES] * len(NAMES)


def test_failing_part_is_rolled_back_alone():
    def fault():
        dataset("fault")
        raise ZeroDivisionError

    outcomes = written_at_once([*(lambda name=name: dataset(name) for name in NAMES), fault])

    assert [result for result, _ in outcomes[:-1]] == NAMES
    assert isinstance(outcomes[-1][0], ZeroDivisionError)
    assert names() == NAMES


def test_next_thread_writes_after_a_failure():
    with pytest.raises(ZeroDivisionError):
        write_together(lambda: 1 / 0)

    assert write_together(lambda: dataset("a")) == "a"
    assert names() == ["a"]


def test_what_nobody_waits_for_is_written_with_what_is_written_next():
    shared = SharedWriting()
    finish = shared.write_later(lambda: dataset("later"))
    assert names() == []

    in_transaction = shared.write(lambda: (dataset("next"), names()))

    assert in_transaction == ("next", ["later", "next"])
    finish()
    assert names() == ["later", "next"]


def test_what_nobody_waits_for_can_be_waited_for():
    finish = SharedWriting().write_later(lambda: dataset("later"))

    finish()
    finish()

    assert names() == ["later"]


def test_what_nobody_waits_for_fails_alone():
    shared = SharedWriting()

    def fault():
        dataset("fault")
        raise ZeroDivisionError

    before, failing = shared.write_later(lambda: dataset("before")), shared.write_later(fault)

    assert shared.write(lambda: dataset("next")) == "next"
    before()
    with pytest.raises(ZeroDivisionError):
        failing()
    assert names() == ["before", "next"]


def test_what_nobody_waits_for_is_not_lost_where_the_next_fails():
    shared = SharedWriting()
    finish = shared.write_later(lambda: dataset("later"))

    with pytest.raises(ZeroDivisionError):
        shared.write(lambda: 1 / 0)

    finish()
    assert names() == ["later"]


def test_inside_a_transaction_nothing_is_put_off():
    with transaction.atomic():
        write_later(lambda: dataset("a"))
        assert names() == ["a"]
        transaction.set_rollback(True)

    assert names() == []


def test_work_inside_a_transaction_is_part_of_it():
    with transaction.atomic():
        write_together(lambda: dataset("a"))
        transaction.set_rollback(True)

    assert names() == []
