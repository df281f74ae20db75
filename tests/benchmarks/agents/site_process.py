"""What the processes of `processes.Site` run: `site_process.py prepare …`, `site_process.py work`.

Preparing prints what a client has to know as JSON. Working is what a worker does, with short waits.
"""

import json
import sys
import time

import django

django.setup()

from annotation.models import Dataset, Job
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.models import AgentEndpoint
from benchmarks.services.assessment_work import work_on_assessments
from generation.services.calls import asker
from sample.corpus import load_corpus
from tests.benchmarks.agents.served_assessor import token_of
from tests.benchmarks.asked import model, small_set
from tests.benchmarks.kills import LEASE_PAUSE_S, Address
from tests.factories import UserFactory

# An agent that was killed is back within these.
POLICY = {"first_pause_s": 0.1, "max_pause_s": 0.5, "max_attempts": 1000}


def prepare(model_url, agent_url, task, item_count):
    administrator = UserFactory(username="administrator", role="administrator")
    target = ImportTarget(name="Everyday", format="native", owner=administrator, is_shared=True)
    import_reading(load_corpus(), target=target)
    item_set = small_set(Dataset.objects.get(), administrator, task, int(item_count))
    address = Address(model_url)
    model(address, administrator, name="Mine", model_name="answers", concurrency=4, timeout_s=25)
    judge = model(address, administrator, name="Judge", model_name="judge", timeout_s=25)
    # Longer than the model's, whose answer it waits for; a killed worker's claim lasts as long.
    AgentEndpoint.objects.create(
        name="The agent", owner=administrator, base_url=agent_url, model_name="-", timeout_s=30
    )
    named = f"{item_set.name}@{item_set.version}"
    return {"token": token_of(administrator), "item_set": named, "judge": judge.public_id}


def work():
    for name, value in POLICY.items():
        object.__setattr__(asker.DEFAULT_POLICY, name, value)
    while True:
        # Also those of a worker that was killed, once their lease has run out.
        waiting = Job.objects.filter(status__in=["queued", "running"], assessment__isnull=False)
        work_on_assessments(job_ids=list(waiting.values_list("pk", flat=True)))
        time.sleep(LEASE_PAUSE_S)


if __name__ == "__main__":
    if sys.argv[1] == "work":
        work()
    print(json.dumps(prepare(*sys.argv[2:])))  # noqa: T201 - for its parent
