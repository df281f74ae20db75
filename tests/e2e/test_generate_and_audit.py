"""From a clean take to a rating: launched, written, judged, published, audited, all by clicks."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Role
from annotation.services.corpus.imports import ImportTarget, import_reading
from generation.models import PublishedTrace, Run
from sample.corpus import load_corpus
from tests.e2e.audit_page import CALM_EVENT
from tests.e2e.site import log_in
from tests.factories import UserFactory

pytestmark = pytest.mark.e2e

TAKE_UID = "sample-sandwich"
# Without a video there is one question less.
CALM_TEXT_EVENT = CALM_EVENT[:-1]


@pytest.fixture
def people(transactional_db):
    researcher = UserFactory(username="mara", role=Role.RESEARCHER)
    UserFactory(username="noor", role=Role.ANNOTATOR)
    target = ImportTarget(name="Sample", format="native", owner=researcher, is_shared=False)
    import_reading(load_corpus(), target=target)
    return researcher


def launch_and_finish(page: Page, queue) -> None:
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("main").get_by_role("link", name="Launch a run").click()
    page.get_by_label("Seed").fill("2026")
    page.get_by_text("Only some takes").click()
    page.get_by_label("Only these takes").fill(TAKE_UID)
    expect(page.locator("#run-size")).to_contain_text("1 take")
    page.get_by_role("button", name="Launch", exact=True).click()
    state = page.locator("#run-progress .run-line .state")
    expect(state).to_have_text("queued")
    queue.work(1)
    expect(state).to_have_text("finished")


def rate_everything(page: Page, event_count: int) -> None:
    page.wait_for_selector("html[data-ready]")
    for _ in range(event_count):
        for digit in CALM_TEXT_EVENT:
            page.keyboard.press(digit)
    expect(page.locator("#missing")).to_have_text("complete")
    page.keyboard.press("s")
    expect(page.locator("#notices")).to_contain_text("Submitted")


def test_generated_trace_is_published_audited_and_rated(page, live_server, people, queue):
    log_in(page, live_server, "mara")
    launch_and_finish(page, queue)
    run_page = page.url

    page.get_by_role("link", name="Text of").click()
    expect(page.locator(".verdict")).to_contain_text("no finding")
    published = PublishedTrace.objects.select_related("trace", "run_take__judgement").get()
    final = published.run_take.judgement.document["final_steps"]
    said = page.locator(".text-table tbody td.said").all_inner_texts()
    shown = [text for text in map(str.strip, said) if text and text != "left out"]
    # A swapped step says behind its text which step of the original it is.
    assert len(shown) == len(final)
    assert all(text.startswith(step) for text, step in zip(shown, final, strict=True))

    page.goto(run_page)
    page.get_by_role("link", name="Start an audit of these traces").click()
    expect(page.get_by_role("checkbox", name="Sample, seed 2026")).to_be_checked()
    page.get_by_label("Name").fill("Audit of the run")
    page.get_by_label("Raters per trace").fill("1")
    page.get_by_label("First round").select_option(label="Main")
    page.get_by_role("button", name="Create the campaign").click()
    page.get_by_role("checkbox", name="noor").check()
    page.get_by_role("button", name="Add people").click()
    expect(page.get_by_role("rowheader", name="noor")).to_be_visible()
    page.get_by_role("button", name="Log out").click()

    log_in(page, live_server, "noor")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="Start").click()
    for secret in ("rules", "piev", "2026", Run.objects.get().public_id):
        expect(page.locator("body")).not_to_contain_text(secret)
    rate_everything(page, published.trace.events.count())

    assignment = Assignment.objects.get(trace=published.trace)
    assert assignment.status == "submitted"
    # Eight answers about each event; a text has no video to be rated.
    rated = assignment.ratings.values_list("event__index", "metric", "value")
    assert {(event, value) for event, metric, value in rated if metric == "taxonomy_fit"} == {
        (index, "WE") for index in range(published.trace.events.count())
    }
    assert "video_plausibility" not in {metric for _, metric, _ in rated}
