"""The process that the kill tests kill: it trains participants until they are done.

`python -m tests.benchmarks.training.training_process EPOCHS MODEL [STEPS]` makes the item set, the
features and the assessment if they are missing, and works. After so many steps it waits to be
killed: whoever looks how far it is may look late.
"""

import itertools
import sys
import time

import django

django.setup()

from annotation.models import Dataset, JobStatus
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.training.course import Course
from benchmarks.engine.training.recipes import MLP
from benchmarks.models import Assessment
from benchmarks.services.assessment_work import work_on_assessments
from sample.corpus import load_corpus
from tests.benchmarks.kills import LEASE_PAUSE_S, LIMIT_S
from tests.benchmarks.training.planted import (
    divided_set,
    folded_set,
    planted,
    planted_classes,
    started,
)


def prepare(epochs, model):
    if not Dataset.objects.exists():
        target = ImportTarget(name="Everyday", format="native", owner=None, is_shared=True)
        import_reading(load_corpus(), target=target)
    if model == MLP:
        made = folded_set(Dataset.objects.get(), None)
        features = planted_classes(made, None)
    else:
        made = divided_set(Dataset.objects.get(), None)
        features = planted(made, None)
    started(made, [features], None, model=model, epochs=epochs, seeds=2)


def wait_after(steps):
    step, taken = Course.step, itertools.count()

    def step_or_wait(course):
        if next(taken) >= steps:
            time.sleep(LIMIT_S)
        return step(course)

    Course.step = step_or_wait


def work(epochs, model):
    if not Assessment.objects.filter(kind="trained").exists():
        prepare(epochs, model)
    while True:
        row = Assessment.objects.select_related("job").get(kind="trained")
        if row.job.status in {JobStatus.DONE, JobStatus.FAILED}:
            return
        work_on_assessments(job_ids=[row.job_id])
        # Until the lease of whoever was killed has run out.
        time.sleep(LEASE_PAUSE_S)


if __name__ == "__main__":
    if sys.argv[3:]:
        wait_after(int(sys.argv[3]))
    work(int(sys.argv[1]), sys.argv[2])
