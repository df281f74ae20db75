"""A recording of an object storage in the audit page: it plays, and every seek shows its frame."""

import numpy as np
import pytest

from annotation import byte_ranges
from annotation.models import Role, Take
from annotation.services.videos.linking import link_videos
from generation.services.run_work import work_on_takes
from tests.e2e.site import REFERENCE, assignment_of, in_worker, number_at, open_filmed
from tests.factories import (
    UserFactory,
)
from tests.generation.filmed import FRAME_COUNT, RATE, film_dataset, make_run, take_of
from tests.storage import SiteStorage

pytestmark = pytest.mark.e2e

SEEK_COUNT = 20
# So small that the recording comes in many parts, as a long one does.
PART_BYTES = 16 * 1024


@pytest.fixture
def assignment(transactional_db, site_storage: SiteStorage, tmp_path, monkeypatch):
    """Return an assignment whose reference is an object, its table of frames at the end."""
    monkeypatch.setattr(byte_ranges, "PART_BYTES", PART_BYTES)
    researcher = UserFactory(role=Role.RESEARCHER)
    folder = tmp_path / "recordings"
    dataset = film_dataset(researcher, folder, is_faststart=False)
    site_storage.put("tea/filmed.mp4", folder / "filmed.mp4")
    link_videos(dataset=dataset, folder=f"s3://{site_storage.bucket}/tea", pattern="{stem}.mp4")
    (folder / "filmed.mp4").unlink()
    run = make_run(dataset, researcher)
    job_ids = list(run.run_takes.values_list("job_id", flat=True))
    in_worker(lambda: work_on_takes(job_ids=job_ids))
    return assignment_of(take_of(run).published_trace.trace)


def test_stored_recording_was_filmed_plays_and_seeks_to_the_frame(
    page, live_server, assignment, site_storage
):
    broken_rules = []
    page.on("console", lambda line: broken_rules.append(line.text) if "Policy" in line.text else 0)
    hosts = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    fetched_by_jobs = len(site_storage.proxy.gets())
    open_filmed(page, live_server, assignment, side=REFERENCE)
    wanted = np.random.default_rng(5).integers(0, FRAME_COUNT, SEEK_COUNT).tolist()
    middles_s = [(number + 0.5) / float(RATE) for number in wanted]
    shown = [number_at(page, at_s, side=REFERENCE, rate=RATE) for at_s in middles_s]

    assert shown == wanted
    page.evaluate("() => { document.querySelector('video').currentTime = 0; }")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('video').currentTime > 0.5")
    page.keyboard.press("Space")
    # The run's video was cut from the object, and the browser never met the storage: what it got is
    # the clean copy, which lies here.
    assert assignment.trace.video.dataset.video_folder.startswith("generated/")
    assert Take.objects.get(uid="filmed").video.etag != ""
    assert len(site_storage.proxy.gets()) == fetched_by_jobs > 0
    assert hosts == {live_server.url.split("/")[2]}
    assert broken_rules == []
