import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from annotation.models import Dataset
from generation.services.calls.shared_transactions import SharedWriting, write_together

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


def test_work_inside_a_transaction_is_part_of_it():
    with transaction.atomic():
        write_together(lambda: dataset("a"))
        transaction.set_rollback(True)

    assert names() == []
