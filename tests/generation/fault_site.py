"""The inside of the fault tests: a process on the served site that launches runs on request.

Reads one command per line and answers with one line: `prepare TAKES`, `launch`, `alone` (launch a
run and work on it here, undisturbed), `write URL TAKES` (with a model that writes).
A run is answered with its public id.
"""

import sys
from dataclasses import replace

import django

django.setup()

from annotation.engine.corpus.procedure import Reading, Step
from annotation.engine.corpus.procedure import Take as EngineTake
from annotation.models import Dataset, Take
from annotation.services.corpus.imports import ImportTarget, import_reading
from generation.engine.planner.profiles import PIEV
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.launch import launch_run
from generation.services.run_work import work_on_takes
from generation.services.runs import RunRequest, create_run
from tests.generation.tea import TEA_STEPS
from tests.generation.text_endpoints import make_endpoint


def prepare(take_count):
    takes = tuple(
        EngineTake(
            uid=f"take-{number:03d}",
            name=f"Take {number}",
            scenario="Making tea",
            steps=tuple(
                Step(text=text, step_id=str(index), start_s=2.0 * index, end_s=2.0 * index + 2)
                for index, text in enumerate(TEA_STEPS * 2)
            ),
        )
        for number in range(int(take_count))
    )
    target = ImportTarget(name="Tea", format="native", owner=None, is_shared=True)
    import_reading(Reading(takes=takes), target=target)
    return "prepared"


def request():
    return RunRequest(
        name="Fault",
        dataset=Dataset.objects.get(),
        profile=PIEV,
        seed=123,
        stages=[Stage.PLAN, Stage.CORRECT],
    )


def launch():
    return launch_run(request=request(), actor=None).public_id


def alone():
    launched = create_run(request=request(), actor=None)
    work_on_takes(job_ids=launched.job_ids)
    return launched.run.public_id


def write(url, take_count):
    """Launch a run of the first takes whose texts a model writes."""
    endpoint = make_endpoint(url, timeout_s=20)
    written = replace(
        request(),
        stages=[Stage.PLAN, Stage.CORRECT, Stage.WRITE],
        takes=Take.objects.filter(uid__lt=f"take-{int(take_count):03d}"),
        options=RunOptions(writer=endpoint.public_id).to_dict(),
    )
    return launch_run(request=written, actor=None).public_id


COMMANDS = {"prepare": prepare, "launch": launch, "alone": alone, "write": write}

if __name__ == "__main__":
    for line in sys.stdin:
        name, *arguments = line.split()
        sys.stdout.write(f"{COMMANDS[name](*arguments)}\n")
        sys.stdout.flush()
