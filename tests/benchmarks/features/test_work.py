import os
import re
import signal
from datetime import timedelta
from fractions import Fraction
from io import StringIO
from math import inf

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.paced_pictures import paced_pictures
from annotation.management import shown_work
from annotation.models import AuditEntry, Dataset, Job
from annotation.services.corpus.datasets import delete_dataset
from annotation.services.records import jobs
from annotation.services.videos.linking import link_videos
from benchmarks.engine.features.extractor import extractors
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import arrays_of, feature_sets_for_user
from benchmarks.services import feature_work
from benchmarks.services.features import (
    FeaturesAtWorkError,
    delete_feature_set,
    folder_of,
    share_feature_set,
)
from tests.factories import DatasetFactory, TakeFactory, TraceFactory
from tests.recordings import number_of, write_recording

pytestmark = pytest.mark.django_db

RATE = 10
EXTRACTOR = extractors()["colour-and-motion"]


@pytest.fixture
def filmed(owner, tmp_path, media):
    """Return a data set of three recordings of 3.5, 2 and 2 seconds; the third is damaged."""
    dataset = DatasetFactory(owner=owner)
    folder = tmp_path / "recordings"
    folder.mkdir()
    for uid, frame_count in (("tea-1", 35), ("tea-2", 20), ("tea-3", 20)):
        path = folder / f"film {uid}.mp4"
        write_recording(path, rate=Fraction(RATE), frame_count=frame_count, sound=None)
        TakeFactory(dataset=dataset, uid=uid, video_stem=path.stem)
    TraceFactory(dataset=dataset, uid="tea-4", video_stem="film tea-4")
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    (folder / "film tea-3.mp4").write_bytes(b"no video any more")
    return dataset


def started(dataset, owner, name="Plain"):
    return feature_work.start_features(
        dataset=dataset, name=name, extractor=EXTRACTOR.name, actor=owner
    )


def made_features(dataset, owner, **options):
    feature_set, job_ids = started(dataset, owner, **options)
    feature_work.make_features(job_ids=job_ids)
    return FeatureSet.objects.select_related("job").get(pk=feature_set.pk)


def test_pictures_of_a_second_are_those_in_the_middle_of_its_parts(tmp_path):
    path = write_recording(tmp_path / "a.mp4", rate=Fraction(RATE), frame_count=35, sound=None)
    seconds = list(paced_pictures(path, read_frame_index(path), 1.0, 2, (192, 108)))
    assert [second.shape for second in seconds] == [(2, 108, 192, 3)] * 4

    class Shown:
        def __init__(self, picture):
            self.picture = picture

        def reformat(self, format):
            return self

        def to_ndarray(self):
            return self.picture.mean(axis=2)

    numbers = [[number_of(Shown(picture)) for picture in second] for second in seconds]
    assert numbers == [[2, 7], [12, 17], [22, 27], [32, 34]]


def test_features_are_made_of_every_recording_that_can_be_read(filmed, owner):
    found = made_features(filmed, owner)
    shapes = {uid: array.shape for uid, array in arrays_of(found).items()}
    assert shapes == {"tea-1": (4, EXTRACTOR.width), "tea-2": (2, EXTRACTOR.width)}
    assert (found.job.status, found.made_by, found.seconds_per_row) == (
        "done",
        "colour-and-motion v1",
        1.0,
    )
    assert found.notes == [
        "tea-3 (film tea-3.mp4): is damaged, or not a video in MP4, MOV, WebM, Matroska, AVI,"
        " MPEG-TS or Ogg.",
        "tea-4: its video is not linked.",
    ]
    assert all(np.isfinite(array).all() and array.std() > 0 for array in arrays_of(found).values())
    assert list(feature_sets_for_user(owner, filmed)) == [found]


def test_arrays_stored_before_a_worker_died_are_kept(filmed, owner, monkeypatch):
    undisturbed = made_features(filmed, owner)
    killed, job_ids = started(filmed, owner, name="Killed")
    rows, seconds = EXTRACTOR.__class__.rows, []

    def dying_rows(self, pictures):
        for row in rows(self, pictures):
            seconds.append(row)
            if len(seconds) == 5:
                raise SystemExit
            yield row

    with monkeypatch.context() as patched:
        patched.setattr(EXTRACTOR.__class__, "rows", dying_rows)
        with pytest.raises(SystemExit):
            feature_work.make_features(job_ids=job_ids)
        assert list(killed.arrays.values_list("recording", flat=True)) == ["tea-1"]
        assert not feature_sets_for_user(owner, filmed).filter(pk=killed.pk).exists()
        with pytest.raises(FeaturesAtWorkError):
            delete_feature_set(feature_set=killed, actor=owner)
        Job.objects.filter(pk__in=job_ids).update(lease_until=timezone.now() - timedelta(seconds=1))
        seconds.extend([None] * 5)
        feature_work.make_features(job_ids=job_ids)
    killed.refresh_from_db()
    assert killed.content_hash == undisturbed.content_hash
    # Five rows before, then those of the second recording alone.
    assert len(seconds) == 5 + 5 + 2


def while_made(monkeypatch, act):
    """Have something done between the first and the second array of a set that is made."""
    stored = feature_work.stored_array

    def acting(feature_set, uid, rows):
        if feature_set.arrays.exists():
            act(FeatureSet.objects.get(pk=feature_set.pk))
        return stored(feature_set, uid, rows)

    monkeypatch.setattr(feature_work, "stored_array", acting)


def test_features_that_are_shared_while_they_are_made_stay_shared(filmed, owner, monkeypatch):
    while_made(
        monkeypatch,
        lambda own: share_feature_set(feature_set=own, is_shared=True, actor=owner),
    )

    made = made_features(filmed, owner)

    assert (made.is_finished, made.is_shared) == (True, True)


def test_features_deleted_once_are_not_deleted_by_a_second_click(filmed, owner):
    made = made_features(filmed, owner)
    second = FeatureSet.objects.get(pk=made.pk)

    delete_feature_set(feature_set=made, actor=owner)
    delete_feature_set(feature_set=second, actor=owner)

    assert AuditEntry.objects.filter(action="feature_set.delete").count() == 1


class Terminal(StringIO):
    def isatty(self):
        return True


def test_command_tells_how_far_it_is_and_goes_on_after_an_interrupt(filmed, owner, monkeypatch):
    undisturbed = made_features(filmed, owner)
    monkeypatch.setattr(shown_work, "SHOW_EVERY_S", 0.001)
    rows, told = EXTRACTOR.__class__.rows, Terminal()

    def interrupted_rows(self, pictures):
        for count, row in enumerate(rows(self, pictures), start=1):
            yield row
            if count == 1 and FeatureSet.objects.filter(arrays__recording="tea-1").count() == 2:
                os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patched:
        patched.setattr(EXTRACTOR.__class__, "rows", interrupted_rows)
        with pytest.raises(CommandError, match="goes on with it") as stopped:
            call_command("features", "make", filmed.name, EXTRACTOR.name, name="Mine", stderr=told)
    mine = FeatureSet.objects.select_related("job").get(name="Mine")
    call_command("features", "resume", mine.public_id, stdout=StringIO(), stderr=told)

    assert stopped.value.returncode == 128 + signal.SIGINT
    assert mine.job.status == "cancelled"
    assert re.search(r"\d of \d rows, ", told.getvalue())
    mine.refresh_from_db()
    assert mine.content_hash == undisturbed.content_hash


# Noticed at the next row, or at the latest when the recording is stored.
@pytest.mark.parametrize("pause_s", [0, inf])
def test_cancelled_features_stop_and_go_on(filmed, owner, monkeypatch, pause_s):
    feature_set, job_ids = started(filmed, owner)
    rows = EXTRACTOR.__class__.rows

    def cancelled_rows(self, pictures):
        for row in rows(self, pictures):
            feature_work.cancel_features(feature_set=feature_set, actor=owner)
            yield row

    with monkeypatch.context() as patched:
        patched.setattr(EXTRACTOR.__class__, "rows", cancelled_rows)
        patched.setattr(jobs, "REPORT_PAUSE_S", pause_s)
        feature_work.make_features(job_ids=job_ids)
    assert Job.objects.get(pk=job_ids[0]).status == "cancelled"
    assert not feature_set.arrays.exists()
    feature_work.make_features(
        job_ids=feature_work.resume_features(feature_set=feature_set, actor=owner)
    )
    assert feature_set.arrays.count() == 2


def test_features_that_cannot_be_made_have_a_reason(filmed, owner):
    with pytest.raises(ValidationError, match="expected colour-and-motion"):
        feature_work.start_features(dataset=filmed, name="x", extractor="other", actor=owner)
    with pytest.raises(ValidationError, match="link its videos first"):
        started(DatasetFactory(owner=owner), owner)
    (filmed_folder := Dataset.objects.get(pk=filmed.pk)).video_folder = "/gone"
    filmed_folder.save()
    found = made_features(filmed, owner)
    assert found.job.status == "failed"
    assert "The video file film tea-1.mp4 is gone" in found.job.error


def test_another_version_of_the_extractor_does_not_go_on_with_what_one_began(filmed, owner):
    feature_set, job_ids = started(filmed, owner)
    FeatureSet.objects.filter(pk=feature_set.pk).update(made_by="colour-and-motion v0")
    feature_work.make_features(job_ids=job_ids)
    job = Job.objects.get(pk=job_ids[0])
    assert job.error == "The extractor is colour-and-motion v1 by now; make the features anew."
    assert not feature_set.arrays.exists()


def test_a_job_whose_data_set_is_deleted_leaves_no_files(filmed, owner, monkeypatch):
    feature_set, job_ids = started(filmed, owner)
    rows = EXTRACTOR.__class__.rows

    def rows_of_what_is_deleted(self, pictures):
        FeatureSet.objects.filter(pk=feature_set.pk).delete()
        yield from rows(self, pictures)

    with monkeypatch.context() as patched:
        patched.setattr(EXTRACTOR.__class__, "rows", rows_of_what_is_deleted)
        feature_work.make_features(job_ids=job_ids)
    assert not folder_of(feature_set).exists()
    expired = timezone.now() - timedelta(seconds=1)
    Job.objects.filter(pk__in=job_ids).update(lease_until=expired)
    feature_work.make_features(job_ids=job_ids)
    assert Job.objects.get(pk=job_ids[0]).result == {"skipped": "the features were deleted"}


def test_a_recording_with_two_videos_is_left_out_by_name(filmed, owner):
    TraceFactory(
        dataset=filmed,
        take=filmed.takes.get(uid="tea-1"),
        uid="tea-1",
        video=filmed.videos.get(stem="film tea-2"),
    )
    found = made_features(filmed, owner)
    assert set(arrays_of(found)) == {"tea-2"}
    assert "tea-1 is a take and a trace with a video each; ids have to be unique." in found.notes


@pytest.mark.django_db(transaction=True)
def test_files_go_with_their_set_and_with_its_data_set(filmed, owner):
    first, second = made_features(filmed, owner), made_features(filmed, owner, name="Again")
    delete_feature_set(feature_set=first, actor=owner)
    assert not folder_of(first).exists()
    assert any(folder_of(second).iterdir())
    delete_dataset(dataset=filmed, actor=owner)
    assert not folder_of(second).exists()
