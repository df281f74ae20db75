"""The process that the kill test kills: it makes features until they are done.

`python -m tests.benchmarks.features.making_process FOLDER` makes the recordings and the job if they
are missing, and works.
"""

import sys
import time
from fractions import Fraction
from pathlib import Path

import django

django.setup()

from annotation.models import JobStatus
from annotation.services.videos.linking import link_videos
from benchmarks.models import FeatureSet
from benchmarks.services.feature_work import make_features, start_features
from tests.factories import DatasetFactory, TakeFactory
from tests.recordings import write_recording

LEASE_PAUSE_S = 0.2


def prepare(folder):
    dataset = DatasetFactory()
    folder.mkdir()
    for number in range(12):
        path = folder / f"film-{number}.mp4"
        # Every recording looks different.
        first = 100 * number
        write_recording(path, rate=Fraction(30), frame_count=120, sound=None, first_number=first)
        TakeFactory(dataset=dataset, uid=path.stem, video_stem=path.stem)
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    start_features(dataset=dataset, name="Plain", extractor="colour-and-motion", actor=None)


def work(folder):
    if not FeatureSet.objects.exists():
        prepare(folder)
    while True:
        found = FeatureSet.objects.select_related("job").get()
        if found.job.status in {JobStatus.DONE, JobStatus.FAILED}:
            return
        make_features(job_ids=[found.job_id])
        # Until the lease of whoever was killed has run out.
        time.sleep(LEASE_PAUSE_S)


if __name__ == "__main__":
    work(Path(sys.argv[1]))
