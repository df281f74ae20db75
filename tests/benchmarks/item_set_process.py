"""The process that the kill test kills: it makes and freezes an item set until both are done.

`python -m tests.benchmarks.item_set_process TASK [QUESTION COUNT]` makes the data set and the jobs
if they are missing, and works. When the database answers the question with the count it waits to be
killed: whoever looks how far it is may look late.
"""

import sys
import time

import django
from django.db import connection

django.setup()

from annotation.models import Dataset, JobStatus
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.models import ItemSet
from benchmarks.services import batches
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import ItemSetRequest, start_freezing, start_making
from sample.corpus import load_corpus

# Many batches, so that a kill meets all moments.
batches.ROWS_AT_ONCE = 10
WAIT_S = 600


def prepare(task):
    target = ImportTarget(name="Everyday", format="native", owner=None, is_shared=True)
    import_reading(load_corpus(), target=target)
    start_making(request=ItemSetRequest("Set", task, Dataset.objects.get().public_id), actor=None)


def wait_at(question, count):
    write = batches.short_transaction

    def write_or_wait(claim):
        with connection.cursor() as cursor:
            cursor.execute(question)
            [there] = cursor.fetchone()
        if there >= count:
            time.sleep(WAIT_S)
        return write(claim)

    batches.short_transaction = write_or_wait


def work(task):
    if not ItemSet.objects.exists():
        prepare(task)
    while True:
        item_set = ItemSet.objects.select_related("job").get()
        if item_set.is_frozen or item_set.job.status == JobStatus.FAILED:
            return
        if item_set.is_made:
            start_freezing(item_set=item_set, actor=None)
        work_on_item_sets(job_ids=[item_set.job_id])


if __name__ == "__main__":
    if sys.argv[2:]:
        wait_at(sys.argv[2], int(sys.argv[3]))
    work(sys.argv[1])
