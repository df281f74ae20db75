from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.engine.corpus.procedure import Reading
from annotation.models import AuditEntry, Dataset, OpenedPlace, Take, Trace, User, Video
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos.linking import FileNote, VideoLinkError, link_videos
from tests.annotation.readings import make_reading, make_take, make_trace
from tests.video_files import write_video

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    """Return a data set of the recordings "good" (6 s) and "bad" (7 s)."""
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops"))
    return Dataset.objects.get()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with both recordings, ten seconds each."""
    for stem in ("good", "bad"):
        write_video(tmp_path / "videos" / f"{stem}.mp4", frame_count=300)
    return tmp_path / "videos"


def link(dataset: Dataset, folder: Path, pattern: str = "{stem}.mp4", **options: object):
    return link_videos(dataset=dataset, folder=str(folder), pattern=pattern, **options)


def test_link_videos_links_takes_and_traces(dataset: Dataset, folder: Path) -> None:
    report = link(dataset, folder)

    dataset.refresh_from_db()
    assert report.to_dict() == {"linked": 2, "missing": [], "refused": [], "warnings": []}
    assert Take.objects.get().video == Video.objects.get(stem="good")
    assert Trace.objects.get().video == Video.objects.get(stem="bad")
    assert (dataset.video_folder, dataset.video_pattern) == (str(folder), "{stem}.mp4")
    assert AuditEntry.objects.filter(action="dataset.link_videos").count() == 1


def test_link_videos_finds_files_by_scenario(dataset: Dataset, tmp_path: Path) -> None:
    write_video(tmp_path / "Tea" / "good.mp4", frame_count=300)

    report = link(dataset, tmp_path, "{scenario}/{stem}.mp4")

    assert report.linked == ("good",)
    assert report.missing == (FileNote("bad", "Tea/bad.mp4", "no such file"),)


def test_link_videos_says_which_links_a_new_place_ends(dataset: Dataset, folder: Path) -> None:
    link(dataset, folder)
    (folder / "bad.mp4").unlink()

    report = link(dataset, folder)

    message = "no such file; it is no longer linked"
    assert report.missing == (FileNote("bad", "bad.mp4", message),)
    assert Trace.objects.get().video is None


def test_link_videos_again_keeps_the_public_ids(dataset: Dataset, folder: Path) -> None:
    link(dataset, folder)
    before = set(Video.objects.values_list("stem", "public_id"))

    link(dataset, folder)

    assert set(Video.objects.values_list("stem", "public_id")) == before


def test_link_videos_drops_what_is_gone(dataset: Dataset, folder: Path) -> None:
    link(dataset, folder)
    (folder / "bad.mp4").unlink()

    link(dataset, folder)

    assert Trace.objects.get().video is None
    assert [video.stem for video in Video.objects.all()] == ["good"]


def test_link_videos_warns_when_the_video_ends_before_the_last_step(
    dataset: Dataset, folder: Path
) -> None:
    write_video(folder / "bad.mp4", frame_count=30)

    report = link(dataset, folder)

    message = "the video lasts 1.0 s, but the last step ends at 7.0 s"
    assert report.warnings == (FileNote("bad", "bad.mp4", message),)
    assert Video.objects.get(stem="bad").warnings == [message]


def test_link_videos_refuses_an_unusable_file_and_links_the_other(
    dataset: Dataset, folder: Path
) -> None:
    (folder / "bad.mp4").write_bytes(b"not a video")

    report = link(dataset, folder)

    assert report.linked == ("good",)
    assert [note.stem for note in report.refused] == ["bad"]
    assert Trace.objects.get().video is None


def test_link_videos_refuses_a_link_out_of_the_folder(dataset: Dataset, folder: Path) -> None:
    outside = write_video(folder.parent / "outside.mp4", frame_count=300)
    (folder / "bad.mp4").unlink()
    (folder / "bad.mp4").symlink_to(outside)

    report = link(dataset, folder)

    assert report.refused == (FileNote("bad", "bad.mp4", "a link leads out of the folder"),)


@pytest.mark.parametrize("stem", ["../outside", "/etc/passwd", "a/../../outside"])
def test_link_videos_refuses_a_name_that_leads_out_of_the_folder(folder: Path, stem: str) -> None:
    write_video(folder.parent / "outside.mp4")
    traces = (replace(make_trace(), video_stem=stem),)
    import_reading(
        make_reading(takes=(make_take(),), traces=traces), target=ImportTarget("Tea", "egooops")
    )

    report = link(Dataset.objects.get(), folder)

    message = "its name leads out of the folder"
    assert [(note.stem, note.message) for note in report.refused] == [(stem, message)]


def test_link_videos_without_any_file_writes_nothing(dataset: Dataset, folder: Path) -> None:
    with pytest.raises(VideoLinkError, match=r"None of the 2 recordings .* good\.MOV"):
        link(dataset, folder, "{stem}.MOV")

    dataset.refresh_from_db()
    assert dataset.video_folder == ""


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("video.mp4", "lacks {stem}"),
        ("{stem.__class__}.mp4", "it may use {stem} and {scenario}"),
        ("{stem!r}.mp4", "it may use {stem} and {scenario}"),
        ("{stem:>9999999999}.mp4", "it may use {stem} and {scenario}"),
        ("{0}.mp4", "it may use {stem} and {scenario}"),
        ("{stem", "cannot be read"),
        ("{stem}" * 100, "longer than 200"),
    ],
)
def test_link_videos_refuses_an_unfit_pattern(
    dataset: Dataset, folder: Path, pattern: str, message: str
) -> None:
    with pytest.raises(VideoLinkError, match=message):
        link(dataset, folder, pattern)


def test_link_videos_refuses_a_missing_folder(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(VideoLinkError, match="There is no folder"):
        link(dataset, tmp_path / "nowhere")


@pytest.mark.parametrize("folder", ["~nobody-of-this-name/videos", "/" + "a" * 400])
def test_link_videos_refuses_a_folder_that_cannot_be(dataset: Dataset, folder: str) -> None:
    with pytest.raises(VideoLinkError, match=r"cannot be read|There is no folder"):
        link_videos(dataset=dataset, folder=folder, pattern="{stem}.mp4")


def test_link_videos_tells_a_researcher_nothing_about_other_folders(
    dataset: Dataset, folder: Path, owner: User, settings: Settings
) -> None:
    settings.VIDEO_ROOTS = [str(folder)]
    messages = []
    for place in (folder.parent, folder.parent / "nowhere", folder / ".." / "nowhere"):
        with pytest.raises(VideoLinkError) as caught:
            link(dataset, place, actor=owner)
        messages.append(str(caught.value))

    assert set(messages) == {f"You may link videos from these folders only: {folder}."}


def test_link_videos_lets_a_researcher_link_below_the_roots(
    dataset: Dataset, folder: Path, owner: User, settings: Settings
) -> None:
    settings.VIDEO_ROOTS = [str(folder.parent)]

    assert link(dataset, folder, actor=owner).linked == ("good", "bad")


@pytest.mark.shared_data
def test_link_videos_of_the_collected_edge_files(shared_data: Path) -> None:
    stems = ("corrupted.mp4", "unordered.mov", "video_90.mov", "LICENSE.decord.Apache-2.0.txt")
    takes = tuple(replace(make_take(stem), steps=()) for stem in stems)
    import_reading(Reading(takes=takes), target=ImportTarget("Edge", "egooops"))

    report = link(Dataset.objects.get(), shared_data.parent / "video" / "edge", "{stem}")

    assert report.linked == ("corrupted.mp4", "unordered.mov", "video_90.mov")
    assert [note.message for note in report.warnings] == [
        "damaged frames that cannot be shown: 1 of 50"
    ]
    assert [note.stem for note in report.refused] == ["LICENSE.decord.Apache-2.0.txt"]
    assert Video.objects.get(stem="video_90.mov").rotation_degrees == 90


def test_administrators_open_and_close_places_to_researchers(
    dataset: Dataset, folder: Path, owner: User, admin_client: Client
) -> None:
    add = reverse("admin:annotation_openedplace_add")
    refused = admin_client.post(add, {"address": "videos"}).content.decode()
    admin_client.post(add, {"address": str(folder)})
    linked = link(dataset, folder, actor=owner).linked
    place = OpenedPlace.objects.get()
    address = reverse("admin:annotation_openedplace_delete", args=[place.pk])
    admin_client.post(address, {"post": "yes"})

    assert "Give the absolute path of a folder on the server" in refused
    assert linked == ("good", "bad")
    with pytest.raises(VideoLinkError, match="No folder is open to researchers yet"):
        link(dataset, folder, actor=owner)
    entries = AuditEntry.objects.filter(action__startswith="place.").order_by("pk")
    assert list(entries.values_list("action", "detail")) == [
        ("place.open", {"address": str(folder)}),
        ("place.close", {"address": str(folder)}),
    ]
