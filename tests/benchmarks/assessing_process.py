"""The process that the kill tests kill: it works on an assessment until it is done.

`python -m tests.benchmarks.assessing_process URL TASK ITEMS` makes the set, the endpoint and the
assessment if they are missing, and works.
"""

import sys
import time

import django

django.setup()

from annotation.models import Dataset, JobStatus
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.tasks.guide.items import PREDICTED
from benchmarks.models import Assessment
from benchmarks.selectors.item_sets import task_of
from benchmarks.services.assessment_work import work_on_assessments
from generation.services.calls import asker
from sample.corpus import load_corpus
from tests.benchmarks.asked import model, small_set, started
from tests.benchmarks.kills import LEASE_PAUSE_S, Address

object.__setattr__(asker.DEFAULT_POLICY, "first_pause_s", 0.01)


def prepare(url, task, item_count):
    if not Dataset.objects.exists():
        target = ImportTarget(name="Everyday", format="native", owner=None, is_shared=True)
        import_reading(load_corpus(), target=target)
    changes = {"settings": {"plan": PREDICTED}} if task == "guide" else {}
    made = small_set(Dataset.objects.get(), None, task, item_count, **changes)
    is_judged = task == "describe_mistake"
    # Fewer than are asked until a kill, so that each worker gets further and none is given up.
    endpoint = model(Address(url), None, concurrency=2)
    judges = [model(Address(url), None, name="Judge", model_name="judge").public_id]
    # Where a task has a way with several requests, it is asked in that.
    variants = [one.name for one in task_of(made).variants if one.request_count > 1]
    ways = {"judges": judges if is_judged else [], "variant": variants[0] if variants else ""}
    if task == "guide":
        planner = model(Address(url), None, name="Planner", model_name="plans")
        ways["roles"] = {"planner": planner.public_id}
    started(made, endpoint, None, **ways)


def work(url, task, item_count):
    if not Assessment.objects.filter(kind="endpoint").exists():
        prepare(url, task, item_count)
    while True:
        row = Assessment.objects.select_related("job").get(kind="endpoint")
        if row.job.status in {JobStatus.DONE, JobStatus.FAILED}:
            return
        work_on_assessments(job_ids=[row.job_id])
        # Until the lease of whoever was killed has run out.
        time.sleep(LEASE_PAUSE_S)


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2], int(sys.argv[3]))
