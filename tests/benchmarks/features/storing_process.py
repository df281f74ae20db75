"""The process that the kill test kills: it uploads features, and reads and stores them.

`python -m tests.benchmarks.features.storing_process NAME [COUNT]` makes the data set and the upload
if they are missing, works, and writes out how many bytes its owner has left. With a count it waits
to be killed before it publishes the array after so many: whoever looks may look late.
"""

import io
import itertools
import sys
import time

import django

django.setup()

import numpy as np
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Dataset, JobStatus, Role, User
from benchmarks.models import FeatureSet
from benchmarks.services import features
from benchmarks.services.feature_uploads import start_upload
from benchmarks.services.feature_work import make_features
from benchmarks.services.features import FeaturesRequest, room_for
from tests.factories import DatasetFactory, TraceFactory, UserFactory

RECORDINGS, ROWS, WIDTH = 12, 20_000, 50
WAIT_S = 600


def prepare(name):
    owner = User.objects.first() or UserFactory(role=Role.RESEARCHER)
    dataset = Dataset.objects.first()
    if dataset is None:
        dataset = DatasetFactory(owner=owner)
        for number in range(RECORDINGS):
            TraceFactory(dataset=dataset, uid=f"film-{number}")
    files = []
    for number in range(RECORDINGS):
        content = io.BytesIO()
        np.save(content, np.full((ROWS, WIDTH), number, np.float32))
        files.append(SimpleUploadedFile(f"film-{number}.npy", content.getvalue()))
    start_upload(dataset=dataset, request=FeaturesRequest(name), files=files, actor=owner)


def wait_after(count):
    publish, published = features.publish, itertools.count()

    def publish_or_wait(draft, out):
        if next(published) >= count:
            time.sleep(WAIT_S)
        publish(draft, out)

    features.publish = publish_or_wait


def work(name):
    if not FeatureSet.objects.filter(name=name).exists():
        prepare(name)
    found = FeatureSet.objects.select_related("job").get(name=name)
    make_features(job_ids=[found.job_id])
    found.job.refresh_from_db()
    assert found.job.status == JobStatus.DONE, found.job.error
    sys.stdout.write(str(room_for(User.objects.get())))


if __name__ == "__main__":
    if sys.argv[2:]:
        wait_after(int(sys.argv[2]))
    work(sys.argv[1])
