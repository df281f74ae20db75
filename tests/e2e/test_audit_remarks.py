"""Raters speak: comments, answers that cannot be given, broken videos, skipped traces."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Remark
from tests.e2e.audit_page import (
    CALM_EVENT,
    STORED_CALM,
    expect_saved,
    open_audit,
    rate_event,
    save_state,
    stored,
    wait_until_ready,
)
from tests.factories import AssignmentFactory, TraceFactory

pytestmark = pytest.mark.e2e


def remarks(audit) -> dict[tuple[int | None, str], str]:
    """Return what stands: (event index, kind) -> text."""
    rows = Remark.objects.filter(assignment=audit.assignment, is_current=True).exclude(text="")
    return {
        (event, kind): text
        for event, kind, text in rows.values_list("event__index", "kind", "text")
    }


def test_a_comment_belongs_to_its_event_and_keys_come_back_after_it(page: Page, live_server, audit):
    open_audit(page, live_server, audit)

    page.keyboard.press("c")
    page.keyboard.type("Is 2 the number? 1, 2, 3")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("n")
    expect(page.locator("#comment")).to_have_value("")
    page.locator("[data-event='']").click()
    page.locator("#comment").fill("All in all fine")
    page.keyboard.press("Escape")
    expect_saved(page)
    page.reload()
    wait_until_ready(page)

    expect(page.locator("#comment")).to_have_value("Is 2 the number? 1, 2, 3")
    expect(page.locator(".chip .commented:visible")).to_have_count(2)
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}
    assert remarks(audit) == {
        (0, "comment"): "Is 2 the number? 1, 2, 3",
        (None, "comment"): "All in all fine",
    }


def test_a_comment_outlives_a_cut_network_and_a_page_that_dies(
    page: Page, context: BrowserContext, live_server, audit
):
    open_audit(page, live_server, audit)
    page.route("**/remarks/", lambda route: route.abort())
    page.keyboard.press("c")
    page.keyboard.type("The cup is never filled")
    # Wait for the browser's store, not for the pause after which a text is sent.
    page.wait_for_function(
        """async () => {
          const { openChangeStore } = await import("/static/annotation/js/change_store.js");
          const data = JSON.parse(document.querySelector("#audit-data").textContent);
          const kept = await (await openChangeStore(`${data.account}:${data.assignment}`)).all();
          return kept.some(({ value }) => value === "The cup is never filled");
        }"""
    )
    assert remarks(audit) == {}
    # The page is gone without any of its own code running, as after kill -9.
    page.close(run_before_unload=False)

    again = context.new_page()
    open_audit(again, live_server, audit)
    expect_saved(again)

    expect(again.locator("#comment")).to_have_value("The cup is never filled")
    assert remarks(audit) == {(0, "comment"): "The cup is never filled"}


def test_two_tabs_with_different_comments_ask_which_one_holds(
    page: Page, context: BrowserContext, live_server, audit
):
    open_audit(page, live_server, audit)
    other = context.new_page()
    open_audit(other, live_server, audit)
    for tab, text in ((page, "first"), (other, "second")):
        tab.locator("#comment").fill(text)
        tab.keyboard.press("Escape")
        if tab is page:
            expect_saved(tab)

    dialog = other.locator("#conflict-dialog")
    expect(dialog).to_contain_text("Mistake 1: Comment")
    expect(dialog).to_contain_text("This page: “second”")
    expect(dialog).to_contain_text("“first”")
    other.keyboard.press("Tab")
    other.keyboard.press("Enter")
    expect_saved(other)

    assert remarks(audit) == {(0, "comment"): "second"}
    assert list(Remark.objects.order_by("pk").values_list("text", flat=True)) == [
        "first",
        "second",
    ]


def test_what_cannot_be_judged_gets_a_reason_and_the_trace_is_complete(
    page: Page, live_server, audit
):
    open_audit(page, live_server, audit)

    rate_event(page, CALM_EVENT[:1])
    page.keyboard.press("0")
    page.keyboard.press("2")
    rate_event(page, CALM_EVENT[2:3])
    page.keyboard.press("0")
    page.keyboard.press("4")
    # Nothing follows from an answer that was not given.
    rate_event(page, ["5", "1", "5", "5"])
    heading = page.locator("[data-heading]").inner_text()
    expect_saved(page)

    assert heading == "Correction 1"
    reasons = audit.assignment.ratings.exclude(cannot_judge="")
    assert dict(reasons.values_list("metric", "cannot_judge")) == {
        "human_plausibility": "unclear",
        "procedure_logic": "knowledge",
    }
    assert audit.values()[0, "procedure_logic"] == ("", None, False)
    page.keyboard.press("p")
    plausibility = page.locator("[data-metric=human_plausibility]")
    expect(plausibility.get_by_label("Picture or text is unclear")).to_be_checked()
    plausibility.locator("input[value='4']").first.focus()
    page.keyboard.press("4")
    page.keyboard.press("Control+z")
    expect_saved(page)
    assert reasons.count() == 2


def test_a_missing_video_is_gone_on_without_and_its_questions_come_back(
    page: Page, live_server, audit
):
    video = audit.assignment.trace.video
    path = Path(video.dataset.video_folder) / video.path
    path.rename(path.with_suffix(".away"))
    open_audit(page, live_server, audit)
    plausibility = page.locator("[data-metric=video_plausibility]")
    expect(plausibility).to_be_visible()

    page.get_by_role("button", name="Go on without it").click()
    expect(plausibility).to_be_hidden()
    expect(page.locator(".questions")).to_contain_text(
        "Video Plausibility is not asked: you rate this trace without its video."
    )
    expect(page.locator("[data-metric=error_validity] input").first).to_be_focused()
    for _ in range(3):
        rate_event(page, CALM_EVENT[:-1])
    expect(page.locator("#missing")).to_have_text("complete")
    page.keyboard.press("s")
    expect(page.locator("#notices")).to_contain_text("Submitted")

    audit.assignment.refresh_from_db()
    assert (audit.assignment.status, audit.assignment.is_without_video) == ("submitted", True)
    assert remarks(audit) == {
        (None, "broken_trace"): "this video is missing on the server",
        (None, "without_video"): "yes",
    }
    page.get_by_role("button", name="Reopen").click()
    page.get_by_role("button", name="Answer the questions about the video after all").click()
    expect(plausibility).to_be_visible()
    expect(plausibility.locator("input").first).to_be_focused()
    expect_saved(page)
    audit.assignment.refresh_from_db()
    assert audit.assignment.is_without_video is False


def test_a_video_that_plays_and_is_wrong_is_reported(page: Page, live_server, audit):
    open_audit(page, live_server, audit)

    page.get_by_role("button", name="Something is wrong with a video").click()
    page.get_by_role("dialog").get_by_label("Reference").fill("Black from 0:02 on")
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect_saved(page)

    assert remarks(audit) == {(None, "broken_reference"): "Black from 0:02 on"}


def test_a_skipped_trace_comes_again_after_the_others(page: Page, live_server, audit):
    first = audit.assignment
    second = AssignmentFactory(
        campaign=first.round.campaign,
        rater=audit.rater,
        trace=TraceFactory(dataset=first.trace.dataset, take=first.trace.take),
        position=first.position + 1,
    )
    open_audit(page, live_server, audit)
    rate_event(page, CALM_EVENT)

    page.get_by_role("button", name="Skip").click()
    page.wait_for_url(f"**/{second.public_id}/")
    wait_until_ready(page)
    page.get_by_role("button", name="Skip").click()
    page.wait_for_url(f"**/{first.public_id}/")
    wait_until_ready(page)

    assert audit.values() == stored(STORED_CALM, 0)
    expect(page.locator("[data-heading]")).to_have_text("Correction 1")
    expect(save_state(page)).to_have_text("All changes saved")


def test_the_only_open_trace_can_be_skipped_and_waits_in_the_queue(page: Page, live_server, audit):
    open_audit(page, live_server, audit)

    page.get_by_role("button", name="Skip").click()

    expect(page.locator(".messages")).to_contain_text("this is the one that you skipped.")
    expect(page.get_by_role("link", name="Start")).to_be_visible()


def test_leaving_a_comment_makes_no_error_in_the_page(page: Page, live_server, audit):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    open_audit(page, live_server, audit)

    page.keyboard.press("c")
    page.keyboard.type("The lid stays on")
    page.keyboard.press("Tab")
    expect_saved(page)

    assert errors == []
    assert remarks(audit) == {(0, "comment"): "The lid stays on"}


def test_reasons_go_with_the_answer_that_is_taken_back(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    reasons = page.locator("[data-metric=error_validity] [data-reasons]")

    page.keyboard.press("0")
    page.keyboard.press("2")
    expect(reasons).to_be_visible()
    page.keyboard.press("Control+z")

    expect(reasons).to_be_hidden()
