"""Leaving out, freezing and cancelling one set at the same moment, by people and by two workers."""

import threading

from django.core.exceptions import ValidationError
from django.db import connection

from benchmarks.engine.content import content_hash, written_item
from benchmarks.models import ItemSet
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import (
    ItemSetInUseError,
    cancel_item_set,
    resume_item_set,
    start_freezing,
)
from benchmarks.services.leaving_out import start_leaving_out
from tests.at_once import WITH_TWO_WRITERS
from tests.benchmarks.made import frozen
from tests.benchmarks.test_leaving_out import audited

pytestmark = WITH_TWO_WRITERS
REFUSED = (ItemSetInUseError, ValidationError)


def at_once(*works):
    """What each of the works returned or raised; they begin at the same moment."""
    gate, ended = threading.Barrier(len(works)), [None] * len(works)

    def run(place, work):
        gate.wait()
        try:
            ended[place] = work()
        except Exception as error:  # noqa: BLE001 (judged by the test)
            ended[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended


def hash_of_stored(item_set):
    rows = item_set.items.order_by("key").prefetch_related("shared")
    written = ((row.key, written_item(engine_item(row))) for row in rows)
    return content_hash(task_of(item_set), item_set.settings, written)


def test_one_act_wins_and_the_frozen_set_is_what_its_hash_says(sample, owner):
    made = audited(sample, owner)
    # The test wrote its leaks into the rows after their hash was taken.
    ItemSet.objects.filter(pk=made.pk).update(content_hash=hash_of_stored(made))

    def now():
        return ItemSet.objects.get(pk=made.pk)

    acts = at_once(
        lambda: start_leaving_out(item_set=now(), at_least=1, actor=owner),
        lambda: start_leaving_out(item_set=now(), at_least=None, actor=owner),
        lambda: start_freezing(item_set=now(), actor=owner),
        lambda: start_freezing(item_set=now(), actor=owner),
    )
    job_id = now().job_id
    works = at_once(
        lambda: work_on_item_sets(job_ids=[job_id]),
        lambda: work_on_item_sets(job_ids=[job_id]),
        lambda: cancel_item_set(item_set=now(), actor=owner),
    )
    again = resume_item_set(item_set=now(), actor=owner) or [job_id]
    work_on_item_sets(job_ids=again)
    done = now() if now().is_frozen else frozen(now(), owner)

    refused = [act for act in acts if isinstance(act, Exception)]
    assert [act for act in refused if not isinstance(act, REFUSED)] == []
    assert len(refused) < len(acts)
    assert [work for work in works if isinstance(work, Exception)] == []
    gone = sum(count for reason, count in done.left_out.items() if "guesser" in reason)
    assert done.items.count() + gone == made.shortcuts["whole_count"]
    assert done.content_hash == hash_of_stored(done)
