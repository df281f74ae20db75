"""The file of a recording on this machine: fetched once, checked, kept while it is used."""

import pytest

from annotation.backends.site_storage import CACHE_FOLDER
from annotation.models import Video
from annotation.services.videos.local_videos import VideoFileError, local_file
from tests.annotation.stored_videos import CONTENT, stored_video
from tests.factories import DatasetFactory, VideoFactory
from tests.fakes.faulty_proxy import Fault

pytestmark = pytest.mark.django_db
MEGABYTE = 1024 * 1024


def content_of(video: Video) -> bytes:
    with local_file(video) as path:
        return path.read_bytes()


def fetched(settings) -> list[int]:
    folder = settings.MEDIA_ROOT / CACHE_FOLDER
    return sorted(path.stat().st_size for path in folder.iterdir() if path.name != ".room")


def test_file_of_a_folder_is_used_where_it_lies(tmp_path):
    (tmp_path / "one.mp4").write_bytes(CONTENT)
    video = VideoFactory(dataset=DatasetFactory(video_folder=str(tmp_path)), path="one.mp4")

    with local_file(video) as path:
        assert path == tmp_path / "one.mp4"


def test_file_of_a_folder_that_is_gone_is_named(tmp_path):
    video = VideoFactory(dataset=DatasetFactory(video_folder=str(tmp_path)), path="one.mp4")

    with pytest.raises(VideoFileError, match=r"The video file one\.mp4 is gone; link"):
        content_of(video)


def test_object_is_fetched_once(site_storage, settings):
    video = stored_video(site_storage)

    contents = [content_of(video), content_of(video)]

    assert contents == [CONTENT, CONTENT]
    assert len(site_storage.proxy.gets()) == 1
    assert fetched(settings) == [len(CONTENT)]


def test_object_keeps_path_and_time_when_it_is_fetched_again(site_storage, settings):
    video = stored_video(site_storage)
    facts = []
    for _ in range(2):
        with local_file(video) as path:
            facts.append((path, path.stat().st_size, path.stat().st_mtime_ns))
        path.unlink()

    assert facts[0] == facts[1]
    assert len(site_storage.proxy.gets()) == 2


def test_error_of_the_reader_is_not_taken_for_one_of_the_storage(site_storage):
    video = stored_video(site_storage)

    with pytest.raises(OSError, match="the reader's own"), local_file(video):
        raise OSError("the reader's own")


@pytest.mark.parametrize("is_here_already", [False, True])
def test_object_that_changed_after_linking_is_noticed(site_storage, is_here_already):
    video = stored_video(site_storage)
    if is_here_already:
        content_of(video)
    site_storage.put("tea/one.mp4", CONTENT[::-1])

    with pytest.raises(VideoFileError) as caught:
        content_of(video)

    assert str(caught.value) == (
        f"s3://{site_storage.bucket}/tea/one.mp4 was changed after it was linked. "
        "Link the videos again."
    )


def test_object_that_is_gone_is_named(site_storage, settings):
    video = stored_video(site_storage)
    site_storage.server.client().delete_object(Bucket=site_storage.bucket, Key="tea/one.mp4")

    with pytest.raises(VideoFileError, match=rf"There is no s3://{site_storage.bucket}/tea/one"):
        content_of(video)


def test_object_that_may_not_be_read_is_named(site_storage):
    video = stored_video(site_storage, "denied/one.mp4")

    with pytest.raises(VideoFileError, match=r"Access to s3://.*/denied/one\.mp4 was denied"):
        content_of(video)


def test_object_that_is_here_needs_no_storage_that_answers(site_storage, settings):
    video = stored_video(site_storage)
    content_of(video)
    site_storage.proxy.faults.extend([Fault(status=503)] * 20)

    assert content_of(video) == CONTENT


def test_storage_that_does_not_answer_is_named_and_leaves_nothing(site_storage, settings):
    video = stored_video(site_storage)
    site_storage.proxy.faults.extend([Fault(status=503)] * 20)

    with pytest.raises(VideoFileError, match=r"fails for s3://.*/tea/one\.mp4"):
        content_of(video)

    assert fetched(settings) == []


def test_storage_that_goes_away_while_fetching_is_named_and_leaves_nothing(site_storage, settings):
    video = stored_video(site_storage)
    site_storage.proxy.faults.extend([Fault(), Fault(cut_after=MEGABYTE), *[Fault(status=503)] * 9])

    with pytest.raises(VideoFileError, match=r"s3://.*/tea/one\.mp4"):
        content_of(video)

    assert fetched(settings) == []


def test_server_that_stops_while_fetching_is_named_and_leaves_nothing(site_storage, settings):
    video = stored_video(site_storage)
    proxy = site_storage.proxy
    proxy.on_cut = proxy.close
    proxy.faults.extend([Fault(), Fault(cut_after=MEGABYTE)])

    with pytest.raises(VideoFileError, match=r"gave no complete answer for s3://.*/tea/one\.mp4"):
        content_of(video)

    assert len(proxy.gets()) == 1
    assert fetched(settings) == []


def test_fetching_goes_on_after_a_break(site_storage, settings):
    video = stored_video(site_storage)
    site_storage.proxy.faults.extend([Fault(), Fault(cut_after=MEGABYTE), Fault(status=503)])

    assert content_of(video) == CONTENT


def test_fetched_files_stay_within_their_limit(site_storage, settings):
    settings.VIDEO_CACHE_MB = 7
    videos = [stored_video(site_storage, f"tea/{number}.mp4") for number in range(4)]

    contents = [content_of(video) for video in videos]

    assert contents == [CONTENT] * 4
    assert fetched(settings) == [len(CONTENT)] * 2


def test_object_that_is_bigger_than_the_limit_is_refused(site_storage, settings):
    settings.VIDEO_CACHE_MB = 1
    video = stored_video(site_storage)

    with pytest.raises(VideoFileError, match=r"one\.mp4 cannot be fetched: .* VIDEO_CACHE_MB"):
        content_of(video)


def test_disk_that_cannot_be_written_is_named(site_storage, settings):
    settings.MEDIA_ROOT.mkdir()
    (settings.MEDIA_ROOT / CACHE_FOLDER).write_text("in the way")

    with pytest.raises(VideoFileError, match=r"one\.mp4 cannot be fetched: .*exists"):
        content_of(stored_video(site_storage))
