"""The inside of the fault test of runs: a worker on a run whose clips a provider makes.

`python -m tests.generation.providing_process URL FOLDER` makes the run if there is none, and works.
"""

import sys
from dataclasses import replace
from pathlib import Path

import django

django.setup()

from generation.backends.video.providers.provider import Polling
from generation.engine.run_options import ClipOptions, RunOptions
from generation.models import Run, VideoEndpoint
from generation.services.run_work import work_on_takes
from tests.generation.filmed import film_dataset, make_run, take_of
from tests.generation.video_endpoints import make_video_endpoint

usual_adapter = VideoEndpoint.adapter


def quick_adapter(endpoint):
    adapter = usual_adapter(endpoint)
    polling = Polling(first_pause_s=0.2, growth=1.0, longest_pause_s=0.2)
    return replace(adapter, limits=replace(adapter.limits, polling=polling))


def new_run(url, folder):
    endpoint = make_video_endpoint(url, concurrency=2)
    options = RunOptions(clips=ClipOptions(maker=endpoint.public_id)).to_dict()
    return make_run(film_dataset(None, folder), None, options=options)


def work(url, folder):
    VideoEndpoint.adapter = quick_adapter
    run = Run.objects.first() or new_run(url, folder)
    work_on_takes(job_ids=[take_of(run).job_id])
    return take_of(run).job.status


if __name__ == "__main__":
    sys.stdout.write(work(sys.argv[1], Path(sys.argv[2])))
