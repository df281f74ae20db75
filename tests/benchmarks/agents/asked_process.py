"""The process that the kill test kills: `asked_process.py URL ITEMS` has an agent assessed.

It makes the set, the agent and the assessment if they are missing, and works until it is done.
"""

import sys
import time

import django

django.setup()

from annotation.models import Dataset, JobStatus
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.models import Assessment
from benchmarks.services.assessment_work import work_on_assessments
from generation.services.calls import asker
from sample.corpus import load_corpus
from tests.benchmarks.agents.served import agent_at
from tests.benchmarks.asked import small_set, started
from tests.benchmarks.kills import LEASE_PAUSE_S

object.__setattr__(asker.DEFAULT_POLICY, "first_pause_s", 0.01)


def prepare(url, item_count):
    if not Dataset.objects.exists():
        target = ImportTarget(name="Everyday", format="native", owner=None, is_shared=True)
        import_reading(load_corpus(), target=target)
    made = small_set(Dataset.objects.get(), None, "step_mistakes", item_count)
    started(made, agent_at(url, None, timeout_s=1), None)


def work(url, item_count):
    if not Assessment.objects.filter(kind="agent").exists():
        prepare(url, item_count)
    while True:
        row = Assessment.objects.select_related("job").get(kind="agent")
        if row.job.status in {JobStatus.DONE, JobStatus.FAILED}:
            return
        work_on_assessments(job_ids=[row.job_id])
        # Until the lease of whoever was killed has run out.
        time.sleep(LEASE_PAUSE_S)


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]))
