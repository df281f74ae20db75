"""Makes an account and takes on a site, and launches a run of them that a model has to write.

    python -m tests.proof.waiting_takes_process MODEL TAKES PASSWORD

Prints the ids of run and data set as JSON.
"""

import json
import sys

import django

django.setup()

from annotation.models import Role, User
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.launch import launch_run
from tests.factories import DatasetFactory
from tests.generation.tea import add_take, request_for
from tests.generation.text_endpoints import make_endpoint


def main(model, takes, password):
    owner = User.objects.create_superuser("owner", password=password, role=Role.ADMINISTRATOR)
    dataset = DatasetFactory(name="Tea", owner=owner)
    for number in range(takes):
        add_take(dataset, f"tea-{number:03}")
    writer = make_endpoint(model, owner=owner, concurrency=takes, timeout_s=3600)
    options = RunOptions(writer=writer.public_id).to_dict()
    stages = [Stage.PLAN, Stage.CORRECT, Stage.WRITE]
    run = launch_run(request=request_for(dataset, stages=stages, options=options), actor=owner)
    return {"run": run.public_id, "dataset": dataset.public_id}


if __name__ == "__main__":
    json.dump(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]), sys.stdout)
