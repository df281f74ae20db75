"""The video that a run made plays beside its reference, and its strip says what is seen when."""

import pytest
from playwright.sync_api import expect

from annotation.models import Role
from generation.services.run_work import work_on_takes
from tests.e2e.site import TRACE, assignment_of, in_worker, number_at, open_filmed
from tests.factories import (
    UserFactory,
)
from tests.generation.filmed import FOOTAGE, FRAMES_PER_STEP, RATE, film_dataset, make_run, take_of

pytestmark = pytest.mark.e2e

SEGMENTS = """() => [...document.querySelectorAll(".player")[1].querySelectorAll("rect[data-row]")]
  .map((rect) => [rect.x.baseVal.valueInSpecifiedUnits, rect.width.baseVal.valueInSpecifiedUnits])
"""


@pytest.fixture
def assignment(transactional_db, settings, tmp_path):
    """Return a rater's assignment of the trace that a run published, filmed."""
    settings.MEDIA_ROOT = tmp_path / "media"
    researcher = UserFactory(role=Role.RESEARCHER)
    run = make_run(film_dataset(researcher, tmp_path / "recordings"), researcher)
    job_ids = list(run.run_takes.values_list("job_id", flat=True))
    in_worker(lambda: work_on_takes(job_ids=job_ids))
    return assignment_of(take_of(run).published_trace.trace)


def test_video_of_a_run_plays_and_shows_each_step_where_its_strip_has_it(
    page, live_server, assignment
):
    trace = assignment.trace
    open_filmed(page, live_server, assignment, side=TRACE)

    length_s = page.evaluate("() => document.querySelectorAll('video')[1].duration")
    segments = page.evaluate(SEGMENTS)
    rows = trace.steps.exclude(start_s=None).select_related("reference_step").order_by("index")
    shown, wanted = {}, {}
    for (left, width), row in zip(segments, rows, strict=False):
        if row.mod in FOOTAGE:
            middle_s = length_s * (left + width / 2) / 100
            shown[row.index] = number_at(page, middle_s, side=TRACE, rate=RATE) // FRAMES_PER_STEP
            wanted[row.index] = row.reference_step.index
    assert length_s == pytest.approx(trace.video.duration_s, abs=0.001)
    assert shown == wanted
    assert len(wanted) >= 5
    page.evaluate("() => { document.querySelectorAll('video')[1].currentTime = 0; }")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime > 0.5")
    expect(page.locator("body")).not_to_contain_text("bridge")
