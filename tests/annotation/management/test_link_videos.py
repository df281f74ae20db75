import json
import os
import signal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.management.shown_work import ShownWork
from annotation.models import Video
from annotation.services.corpus.imports import ImportTarget, import_reading
from tests.annotation.readings import make_reading
from tests.video_files import write_video

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def tea(db: None) -> None:
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops"))


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("link_videos", *arguments, stdout=output)
    return output.getvalue()


def test_link_videos_prints_what_it_found(tmp_path: Path) -> None:
    write_video(tmp_path / "good.mp4", frame_count=300)
    (tmp_path / "bad.mp4").write_bytes(b"")

    assert run("Tea", "--folder", str(tmp_path)).splitlines() == [
        "1 recording linked",
        "1 refused",
        "  bad (bad.mp4): is empty",
    ]


def test_link_videos_json_is_one_object(tmp_path: Path) -> None:
    write_video(tmp_path / "good.MP4", frame_count=300)

    answer = run("Tea", "--folder", str(tmp_path), "--pattern", "{stem}.MP4", "--json")

    missing = {"stem": "bad", "path": "bad.MP4", "message": "no such file"}
    assert json.loads(answer) == {
        "linked": 1,
        "missing": [missing],
        "refused": [],
        "warnings": [],
    }


def test_link_videos_refuses_an_unknown_dataset(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no data set 'Coffee'"):
        run("Coffee", "--folder", str(tmp_path))


@pytest.mark.parametrize("stopped_at", [1, 2])
def test_link_videos_that_is_stopped_links_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped_at: int
) -> None:
    write_video(tmp_path / "good.mp4", frame_count=300)

    class Stopped(ShownWork):
        def watch(self, done_count: int, total_count: int) -> None:
            if done_count == stopped_at:
                os.kill(os.getpid(), signal.SIGINT)
            super().watch(done_count, total_count)

    monkeypatch.setattr("annotation.management.shown_work.ShownWork", Stopped)
    with pytest.raises(CommandError, match=r"stopped by Ctrl\+C: nothing was written") as stopped:
        run("Tea", "--folder", str(tmp_path))

    assert stopped.value.returncode == 128 + signal.SIGINT
    assert not Video.objects.exists()
