"""A researcher uploads what a data set lacks, on its page: by names, and by choosing."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Role, Video
from annotation.services.corpus.imports import ImportTarget, import_reading
from tests.annotation.readings import make_reading
from tests.e2e.site import enter
from tests.factories import UserFactory
from tests.video_files import write_video

pytestmark = pytest.mark.e2e


@pytest.fixture
def dataset(transactional_db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    ana = UserFactory(username="ana", role=Role.RESEARCHER)
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops", owner=ana))
    return ana.datasets.get()


@pytest.mark.parametrize("width", [390, 1280])
def test_missing_videos_are_uploaded_on_the_page(page, live_server, dataset, tmp_path, width):
    named = write_video(tmp_path / "good.mp4", frame_count=60)
    other = write_video(tmp_path / "GX01.mp4", frame_count=60)
    holiday = write_video(tmp_path / "holiday.mp4", frame_count=60)
    page.set_viewport_size({"width": width, "height": 844})
    enter(page, live_server, dataset.owner)
    page.goto(live_server.url + reverse("dataset-detail", args=[dataset.public_id]))

    page.get_by_label("Video files").set_input_files([holiday, named, other])
    rows = page.locator(".upload-files li")
    expect(rows.locator("select").nth(0)).to_have_value("")
    expect(rows.locator("select").nth(1)).to_have_value("good")
    expect(rows.locator("select").nth(2)).to_have_value("")
    rows.locator("select").nth(0).select_option("None: leave this file out")
    rows.locator("select").nth(2).select_option("bad")
    page.locator("#videos").screenshot(path=tmp_path / f"upload-{width}.png")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Upload", exact=True).click()

    expect(page.get_by_text("2 of 2 recordings linked")).to_be_visible()
    expect(page.get_by_text("1 recording uploaded.")).to_have_count(2)
    assert sorted(video.stem for video in Video.objects.all()) == ["bad", "good"]


def test_a_file_that_is_no_video_is_named(page, live_server, dataset, tmp_path):
    (tmp_path / "good.mp4").write_bytes(b"not a video")
    enter(page, live_server, dataset.owner)
    page.goto(live_server.url + reverse("dataset-detail", args=[dataset.public_id]))

    page.get_by_label("Video files").set_input_files(tmp_path / "good.mp4")
    page.get_by_role("button", name="Upload", exact=True).click()

    expect(page.locator(".message.error")).to_contain_text("good.mp4: ")
    assert not Video.objects.exists()
