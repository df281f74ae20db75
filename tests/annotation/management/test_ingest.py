import json
import os
import signal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.management.shown_work import ShownWork
from annotation.models import Job, JobStatus
from annotation.services.videos.linking import link_videos
from tests.factories import DatasetFactory, TakeFactory
from tests.video_files import write_video

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def tea(tmp_path: Path, settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    dataset = DatasetFactory(name="Tea")
    TakeFactory(dataset=dataset, video_stem="good")
    TakeFactory(dataset=dataset, video_stem="odd")
    write_video(tmp_path / "good.mp4")
    write_video(tmp_path / "odd.mp4", codec="mpeg4")
    link_videos(dataset=dataset, folder=str(tmp_path), pattern="{stem}.mp4")


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("ingest", *arguments, stdout=output)
    return output.getvalue()


def test_ingest_queues_every_recording_once() -> None:
    assert run("Tea").splitlines() == ["2 recordings queued", "2 waiting"]
    assert run("Tea").splitlines() == ["0 recordings queued", "2 waiting"]
    assert list(Job.objects.values_list("status", flat=True)) == [JobStatus.QUEUED] * 2


def test_ingest_here_does_the_work() -> None:
    reason = "browsers cannot play mpeg4; convert it to H.264"

    assert run("Tea", "--here").splitlines() == [
        "2 recordings queued",
        "1 proxy made",
        "1 as it is",
        f"  odd (proxy made): {reason}",
    ]


def test_ingest_here_does_what_was_queued_before() -> None:
    run("Tea")

    assert run("Tea", "--here").splitlines()[:3] == [
        "0 recordings queued",
        "1 proxy made",
        "1 as it is",
    ]


def test_ingest_here_that_is_stopped_ends_between_two_recordings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Stopped(ShownWork):
        def watch(self, done_count: int, total_count: int) -> None:
            if done_count == 1:
                os.kill(os.getpid(), signal.SIGINT)
            super().watch(done_count, total_count)

    with monkeypatch.context() as patched:
        patched.setattr("annotation.management.shown_work.ShownWork", Stopped)
        with pytest.raises(CommandError, match=r"stopped by Ctrl\+C: what is ingested stays"):
            run("Tea", "--here")

    states = Job.objects.order_by("pk").values_list("status", flat=True)
    assert list(states) == [JobStatus.DONE, JobStatus.QUEUED]
    assert run("Tea", "--here").splitlines()[:3] == [
        "0 recordings queued",
        "1 proxy made",
        "1 as it is",
    ]


def test_ingest_json_is_one_object() -> None:
    answer = json.loads(run("Tea", "--json"))

    item = {"state": "waiting", "detail": "", "done_frames": 0, "total_frames": 0}
    assert answer == {
        "queued": 2,
        "counts": {"waiting": 2},
        "left_s": None,
        "videos": [{"stem": "good", **item}, {"stem": "odd", **item}],
    }


def test_ingest_refuses_an_unknown_data_set() -> None:
    with pytest.raises(CommandError, match="There is no data set 'Coffee'"):
        run("Coffee")
