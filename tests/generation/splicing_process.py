"""The inside of the fault test of clips by hand: a process that splices, and may die of it.

`python -m tests.generation.splicing_process FOLDER` makes a run by hand with every clip uploaded if
there is none, and kills itself in the middle of its splice; called again, it makes the video.
"""

import os
import signal
import sys
from pathlib import Path

import django

django.setup()

from annotation.models import Role
from generation.backends.video.splicing import splice as splicing
from generation.models import ClipState, Run
from generation.services.clips import review
from generation.services.clips.uploads import upload_clip
from generation.services.run_work import work_on_takes
from tests.factories import UserFactory
from tests.generation.by_hand import clip_file, waiting_take
from tests.generation.filmed import film_dataset, take_of


def uploaded_run(folder):
    """Return a run whose filmed take has all its clips and is on the queue."""
    owner = UserFactory(role=Role.RESEARCHER)
    run_take = waiting_take(film_dataset(owner, folder), owner)
    for clip in run_take.clips.filter(state=ClipState.UPLOAD):
        file = clip_file(folder, clip.duration_s)
        upload_clip(run_take=run_take, clip_id=clip.clip_id, file=file, actor=owner)
    review.make_video(run_take=run_take, actor=owner)
    return run_take.run


def die_while_writing(plan, path, timed_check=None):
    path.write_bytes(b"half a file")
    os.kill(os.getpid(), signal.SIGKILL)


def splice(folder):
    run = Run.objects.first()
    if run is None:
        run = uploaded_run(folder)
        splicing.write_packets = die_while_writing
    work_on_takes(job_ids=[take_of(run).job_id])


if __name__ == "__main__":
    splice(Path(sys.argv[1]))
