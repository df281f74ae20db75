"""The finished video of a run, watched by the researcher who had it made."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from annotation.models import Role
from generation.services.run_work import work_on_takes
from tests.e2e.site import in_worker, log_in
from tests.factories import UserFactory
from tests.generation.filmed import film_dataset, make_run, take_of

pytestmark = pytest.mark.e2e


@pytest.fixture
def made(transactional_db, settings, tmp_path):
    """Return the take of a run that has made and published its video."""
    settings.MEDIA_ROOT = tmp_path / "media"
    researcher = UserFactory(username="owner", role=Role.RESEARCHER)
    run = make_run(film_dataset(researcher, tmp_path / "recordings"), researcher)
    job_ids = list(run.run_takes.values_list("job_id", flat=True))
    in_worker(lambda: work_on_takes(job_ids=job_ids))
    return take_of(run)


def test_finished_video_plays_beside_its_reference_on_the_pages_of_its_take(
    page, live_server, made
):
    log_in(page, live_server, "owner")
    take = f"{live_server.url}/runs/{made.run.public_id}/takes/{made.position}"

    for name in ("video", "clips"):
        page.goto(f"{take}/{name}/")
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press(" ")
        page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime > 0.5")
        page.keyboard.press("k")
        expect(page.locator("#transport [data-play]")).to_contain_text("Play")
        found = Axe().run(page).response["violations"]
        assert [(item["id"], item["nodes"][0]["html"]) for item in found] == []
