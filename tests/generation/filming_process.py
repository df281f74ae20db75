"""The inside of the fault test of the video stage: a process that films a take, and may die of it.

`python -m tests.generation.filming_process FOLDER CLIPS` makes the run if there is none and works
on its filmed take. It kills itself when it has made so many clips; else it prints their names.
"""

import os
import signal
import sys
from pathlib import Path

import django

django.setup()

from generation.backends.video.clips.bridge import BridgeBackend
from generation.models import Run
from generation.services.clips import making
from generation.services.run_work import work_on_takes
from tests.generation.filmed import film_dataset, make_run, take_of


class DyingBackend:
    """Makes real placeholders and kills the process after the last that it may make."""

    name = "bridge"
    limits = BridgeBackend().limits

    def __init__(self, clip_count):
        self.made = []
        self.clip_count = clip_count

    def make_clip(self, request, out):
        if len(self.made) == self.clip_count:
            os.kill(os.getpid(), signal.SIGKILL)
        clip = BridgeBackend().make_clip(request, out)
        self.made.append(out.name)
        return clip


def film(folder, clip_count):
    run = Run.objects.first() or make_run(film_dataset(None, folder), None)
    backend = DyingBackend(clip_count)
    making.placeholder_backend = lambda options, check: backend
    work_on_takes(job_ids=[take_of(run).job_id])
    return backend.made


if __name__ == "__main__":
    sys.stdout.write("\n".join(film(Path(sys.argv[1]), int(sys.argv[2]))))
