"""A rater's work in a real browser: by keyboard alone, through whatever goes wrong meanwhile."""

import re
import statistics

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect

from annotation.engine.taxonomy import Mod
from annotation.models import RatingEvent, Trace
from annotation.views import byte_ranges
from tests.e2e.conftest import FRAME_RATE
from tests.factories import (
    PASSWORD,
    AssignmentFactory,
    CampaignRaterFactory,
    EventFactory,
    StepFactory,
    TraceStepFactory,
    UserFactory,
)

pytestmark = pytest.mark.e2e

# In step 3, the trace is this much later than the reference: a correction lies before it.
STEP_OFFSET_S = 2.0
# Answers by digit, question by question: validity yes, plausible 4, confusable 2, logic intact
# and sure of it, taxonomy wrong execution, video 5. What follows from "intact" is not asked.
CALM_EVENT = ["2", "4", "2", "1", "3", None, None, "5", "5"]
# Logic broken, so that order and state are asked as well.
BROKEN_EVENT = ["2", "3", "1", "2", "2", "2", "2", "1", "4"]

STORED_CALM = {
    "error_validity": ("yes", None, False),
    "human_plausibility": ("4", None, False),
    "confusability": ("2", None, False),
    "procedure_logic": ("no", 3, False),
    "sequence_consistency": ("5", None, True),
    "state_change_coherence": ("no", None, True),
    "taxonomy_fit": ("WE", None, False),
    "video_plausibility": ("5", None, False),
}
STORED_BROKEN = {
    "error_validity": ("yes", None, False),
    "human_plausibility": ("3", None, False),
    "confusability": ("1", None, False),
    "procedure_logic": ("yes", 2, False),
    "sequence_consistency": ("2", None, False),
    "state_change_coherence": ("yes", None, False),
    "taxonomy_fit": ("D", None, False),
    "video_plausibility": ("4", None, False),
}


def log_in(page: Page, username: str) -> None:
    """Type name and password where the login form has put the cursor."""
    page.locator("[name=username]").focus()
    page.keyboard.type(username)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")


def open_audit(page: Page, live_server, audit) -> None:
    page.goto(live_server.url + reverse("audit", args=[audit.assignment.public_id]))
    if page.locator("[name=username]").count():
        log_in(page, audit.rater.username)
    wait_until_ready(page)


def wait_until_ready(page: Page) -> None:
    page.wait_for_selector("html[data-ready]")


def save_state(page: Page):
    return page.locator("#save-state")


def expect_saved(page: Page) -> None:
    expect(save_state(page)).to_have_text("All changes saved", timeout=15_000)


def rate_event(page: Page, digits: list[str | None]) -> None:
    """Answer the questions of the shown event from the first, digit by digit."""
    for digit in digits:
        page.keyboard.press("ArrowDown")
        if digit is not None:
            page.keyboard.press(digit)


def stored(answers: dict, event: int | None) -> dict:
    return {(event, metric): answer for metric, answer in answers.items()}


def test_a_new_rater_rates_a_whole_trace_by_keyboard_through_a_cut_network(
    page: Page, context: BrowserContext, live_server, audit
):
    page.goto(live_server.url + "/")
    log_in(page, audit.rater.username)
    expect(page.get_by_role("heading", name="My queue")).to_be_visible()
    page.get_by_role("link", name="Start").focus()
    page.keyboard.press("Enter")
    wait_until_ready(page)

    rate_event(page, CALM_EVENT)
    expect_saved(page)
    context.set_offline(True)
    page.keyboard.press("n")
    # Moving on focuses the first question without an answer.
    page.keyboard.press("2")
    rate_event(page, BROKEN_EVENT[1:])
    expect(save_state(page)).to_contain_text("Offline: 9 changes kept here")
    stored_while_offline = audit.values()
    context.set_offline(False)
    expect_saved(page)
    page.keyboard.press("n")
    page.keyboard.press("2")
    rate_event(page, CALM_EVENT[1:])
    page.keyboard.press("n")
    page.keyboard.press("4")
    expect(page.locator("#missing")).to_have_text("complete")
    page.keyboard.press("s")

    expect(page.locator("#notices")).to_contain_text("Submitted")
    audit.assignment.refresh_from_db()
    assert audit.assignment.status == "submitted"
    assert stored_while_offline == stored(STORED_CALM, 0)
    assert audit.values() == {
        **stored(STORED_CALM, 0),
        **stored(STORED_BROKEN, 1),
        **stored(STORED_CALM, 2),
        (None, "text_video_grounding"): ("4", None, False),
    }


def test_changes_survive_a_reload_before_they_could_be_sent(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    page.route("**/changes/", lambda route: route.abort())
    page.on("dialog", lambda dialog: dialog.accept())

    rate_event(page, CALM_EVENT)
    expect(save_state(page)).to_contain_text("Offline: 7 changes kept here")
    page.reload()
    wait_until_ready(page)
    expect(page.locator("[data-metric=confusability] input[value='2']")).to_be_checked()
    expect(save_state(page)).to_contain_text("Offline: 7 changes kept here")
    # One more answer on top of those that wait, to one of the same questions.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("1")
    assert audit.values() == {}
    page.unroute("**/changes/")
    expect_saved(page)

    expected = {**STORED_CALM, "error_validity": ("no", None, False)}
    assert audit.values() == stored(expected, 0)
    order = RatingEvent.objects.filter(is_implied=False).order_by("pk")
    assert list(order.values_list("metric", flat=True)) == [
        "error_validity",
        "human_plausibility",
        "confusability",
        "procedure_logic",
        "procedure_logic",
        "taxonomy_fit",
        "video_plausibility",
        "error_validity",
    ]


def test_leaving_the_page_warns_only_of_unsaved_changes(page: Page, live_server, audit):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    open_audit(page, live_server, audit)

    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    expect_saved(page)
    page.reload()
    wait_until_ready(page)
    asked_when_saved = list(asked)
    page.route("**/changes/", lambda route: route.abort())
    page.keyboard.press("ArrowDown")
    page.keyboard.press("1")
    expect(save_state(page)).to_contain_text("Offline")
    page.reload()
    wait_until_ready(page)

    assert asked_when_saved == []
    assert asked == ["beforeunload"]


def test_trouble_with_saving_and_its_end_are_read_aloud(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    news = page.locator("#save-news")

    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    expect_saved(page)
    news_of_a_save = news.text_content()
    page.route("**/changes/", lambda route: route.abort())
    page.keyboard.press("1")
    expect(news).to_contain_text("Offline: 1 change kept here")
    page.unroute("**/changes/")

    expect(news).to_have_text("All changes saved", timeout=15_000)
    assert news_of_a_save == ""


def test_changes_survive_a_server_that_fails_for_a_while(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    page.route("**/changes/", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))

    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    expect(save_state(page)).to_contain_text("Offline: 1 change kept here")
    page.unroute("**/changes/")
    expect_saved(page)

    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_a_change_whose_answer_was_lost_counts_once(page: Page, live_server, audit):
    open_audit(page, live_server, audit)

    def deliver_and_lose(route):
        route.fetch()
        route.abort()

    page.route("**/changes/", deliver_and_lose, times=1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    expect(save_state(page)).to_contain_text("Offline")
    expect_saved(page)

    assert RatingEvent.objects.count() == 1


def test_two_tabs_with_different_answers_ask_which_one_holds(
    page: Page, context: BrowserContext, live_server, audit
):
    open_audit(page, live_server, audit)
    other = context.new_page()
    open_audit(other, live_server, audit)
    for tab, digit in ((page, "2"), (other, "1")):
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press(digit)
        if tab is page:
            expect_saved(tab)

    dialog = other.get_by_role("dialog", name="Rated differently in another tab")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("Mistake 1: Error Validity")
    expect(dialog).to_contain_text("This page: No")
    expect(dialog).to_contain_text(re.compile(r"Saved at .*: Yes"))
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}
    other.keyboard.press("Enter")
    expect_saved(other)

    expect(dialog).to_be_hidden()
    assert audit.values() == {(0, "error_validity"): ("no", None, False)}


def test_two_tabs_can_keep_what_is_saved(page: Page, context: BrowserContext, live_server, audit):
    open_audit(page, live_server, audit)
    other = context.new_page()
    open_audit(other, live_server, audit)
    for tab, digit in ((page, "2"), (other, "1")):
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press(digit)
        if tab is page:
            expect_saved(tab)

    expect(other.locator("#conflict-dialog")).to_be_visible()
    other.keyboard.press("ArrowDown")
    other.keyboard.press("Enter")
    expect_saved(other)

    expect(other.locator("[data-metric=error_validity] input[value='yes']")).to_be_checked()
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_an_expired_login_keeps_changes_until_the_rater_is_back(
    page: Page, context: BrowserContext, live_server, audit
):
    open_audit(page, live_server, audit)
    Session.objects.all().delete()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    dialog = page.get_by_role("dialog", name="Your login has expired")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("1 unsaved change is kept in this browser")
    with context.expect_page() as opened:
        dialog.get_by_role("link", name="Log in in a new tab").press("Enter")
    log_in(opened.value, audit.rater.username)
    expect(opened.value.get_by_role("heading", name="My queue")).to_be_visible()
    opened.value.close()
    page.bring_to_front()
    if dialog.is_visible():
        dialog.get_by_role("button", name="I have logged in: continue").press("Enter")
    expect_saved(page)

    expect(dialog).to_be_hidden()
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_an_implied_answer_says_from_what_it_follows_and_can_be_changed(
    page: Page, live_server, audit
):
    open_audit(page, live_server, audit)
    sequence = page.locator("[data-metric=sequence_consistency]")

    page.locator("[data-metric=procedure_logic] input[value=no]").focus()
    page.keyboard.press("1")
    expect(sequence).to_contain_text("follows from “Intact” · change")
    expect(sequence.locator("input[value='5']")).to_be_checked()
    sequence.get_by_role("button", name="change").press("Enter")
    page.keyboard.press("3")
    expect(sequence.locator("[data-implied]")).to_be_hidden()
    page.locator("[data-metric=procedure_logic] input[value=no]").focus()
    page.keyboard.press("2")
    expect_saved(page)

    assert audit.values() == {
        (0, "procedure_logic"): ("yes", None, False),
        (0, "sequence_consistency"): ("3", None, False),
        (0, "state_change_coherence"): ("", None, False),
    }


def test_submitting_too_early_goes_to_what_is_missing(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    rate_event(page, CALM_EVENT)

    page.keyboard.press("Control+Enter")

    expect(page.locator("#notices")).to_contain_text("17 answers are missing")
    expect(page.locator("[data-heading]")).to_have_text("Correction 1")
    expect(page.locator("[data-summary]")).to_have_text("Corrects mistake 1: Put it right")
    expect(page.locator("[data-metric=error_validity] input").first).to_be_focused()


def test_submitting_without_how_sure_goes_there_and_the_message_ends_with_the_answer(
    page: Page, live_server, audit
):
    open_audit(page, live_server, audit)
    rate_event(page, BROKEN_EVENT[:4])

    page.keyboard.press("s")
    page.keyboard.press("s")
    first = page.locator("[name=procedure_logic-confidence]").first
    expect(first).to_be_focused()
    expect(page.locator("#notices")).to_contain_text("answers are missing; here is the first")
    page.keyboard.press("2")

    expect(page.locator("#notices")).to_be_empty()
    expect(page.locator("[name=procedure_logic-confidence]").nth(1)).to_be_checked()


def test_a_submitted_trace_is_read_only_until_it_is_reopened(page: Page, live_server, audit):
    audit.assignment.status = "submitted"
    audit.assignment.submitted_at = audit.assignment.campaign.created_at
    audit.assignment.save()
    open_audit(page, live_server, audit)

    expect(page.locator("[data-metric=error_validity] input").first).to_be_disabled()
    page.get_by_role("button", name="Reopen").press("Enter")
    expect(page.locator("[data-metric=error_validity] input").first).to_be_enabled()

    audit.assignment.refresh_from_db()
    assert audit.assignment.status == "open"


def wait_until_playable(page: Page) -> None:
    page.wait_for_function(
        "() => [...document.querySelectorAll('video')].every((video) => video.readyState >= 2)"
    )


def times_of(page: Page) -> list[float]:
    script = "() => [...document.querySelectorAll('video')].map((video) => video.currentTime)"
    return [round(time, 2) for time in page.evaluate(script)]


def test_both_players_follow_rows_and_keys(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    wait_until_playable(page)

    page.locator("tr[data-row='3']").click()
    at_row = times_of(page)
    page.keyboard.press(".")
    one_frame_on = times_of(page)
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime > 6.5")
    page.keyboard.press("k")
    stopped = times_of(page)
    page.wait_for_timeout(300)

    # The third step of the reference and the fourth row of the trace are the same step.
    # Every place is the middle of a frame.
    assert at_row == [4.05, 6.05]
    assert one_frame_on == [4.15, 6.15]
    assert times_of(page) == stopped
    assert abs((stopped[1] - stopped[0]) - STEP_OFFSET_S) < 0.1


def test_a_recording_that_comes_in_parts_plays_to_its_end(
    page: Page, live_server, audit, monkeypatch
):
    monkeypatch.setattr(byte_ranges, "PART_BYTES", 1500)
    ranges = []
    page.on(
        "response",
        lambda answer: (
            ranges.append(answer.headers.get("content-range")) if "/video/" in answer.url else None
        ),
    )
    open_audit(page, live_server, audit)
    wait_until_playable(page)

    page.evaluate("() => { document.querySelectorAll('video')[1].currentTime = 8.5; }")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelectorAll('video')[1].ended")

    assert times_of(page)[1] == pytest.approx(10.0, abs=0.1)
    assert len(set(ranges)) > 2


SAMPLE_DRIFT = """async (seconds) => {
  const { Timeline } = await import("/static/annotation/js/sections.js");
  const { sections } = JSON.parse(document.querySelector("#audit-data").textContent);
  const timeline = new Timeline(sections);
  const [reference, trace] = document.querySelectorAll("video");
  const drifts = [];
  const end = performance.now() + 1000 * seconds;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const place = timeline.at(timeline.from("trace", trace.currentTime));
    drifts.push(Math.abs(reference.currentTime - place.reference.time));
  }
  return drifts;
}"""


def test_the_reference_follows_the_trace_while_both_play(page: Page, live_server, audit):
    """The reference waits during the correction, which it does not have, and goes on after it."""
    open_audit(page, live_server, audit)
    wait_until_playable(page)
    page.locator("tr[data-row='1']").click()

    page.keyboard.press("Space")
    drifts = page.evaluate(SAMPLE_DRIFT, 5)
    page.keyboard.press("Space")
    paused = times_of(page)

    assert statistics.median(drifts) <= 0.08
    assert max(drifts) <= 0.5
    assert paused[1] > 6.0
    assert paused[0] == pytest.approx(paused[1] - STEP_OFFSET_S, abs=1 / FRAME_RATE)


def test_the_loop_stays_around_the_current_event(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    wait_until_playable(page)

    page.keyboard.press("o")
    expect(page.get_by_role("button", name="Loop this event")).to_have_attribute(
        "aria-pressed", "true"
    )
    start = times_of(page)[1]
    page.evaluate("() => { document.querySelectorAll('video')[1].currentTime = 5.8; }")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime < 3")

    # Mistake 1 lasts from second 2 to second 4; two seconds of context on either side.
    assert start == 0.05


def test_keys_are_left_alone_while_a_list_or_dialog_has_the_focus(page: Page, live_server, audit):
    open_audit(page, live_server, audit)

    page.locator("[data-speed]").focus()
    page.keyboard.press("n")
    expect(page.locator("[data-heading]")).to_have_text("Mistake 1")
    page.locator("#steps").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("[data-heading]")).to_have_text("Mistake 1")
    page.keyboard.press("Escape")
    page.keyboard.press("n")

    expect(page.locator("[data-heading]")).to_have_text("Correction 1")


def test_the_page_runs_without_an_error_in_the_console(page: Page, live_server, audit):
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: problems.append(message.text) if message.type == "error" else None,
    )

    open_audit(page, live_server, audit)
    rate_event(page, CALM_EVENT)
    page.keyboard.press("n")
    expect_saved(page)

    assert problems == []


def test_changes_survive_a_reload_where_the_browser_has_no_database(page: Page, live_server, audit):
    page.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined });")
    open_audit(page, live_server, audit)
    page.route("**/changes/", lambda route: route.abort())
    page.on("dialog", lambda dialog: dialog.accept())

    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    expect(save_state(page)).to_contain_text("Offline: 1 change kept here")
    page.reload()
    wait_until_ready(page)
    expect(page.locator("[data-metric=error_validity] input[value=yes]")).to_be_checked()
    page.unroute("**/changes/")
    expect_saved(page)

    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}
    assert page.evaluate("() => Object.keys(localStorage)") == []


def test_an_answer_after_the_campaign_closed_is_said_to_be_unsaved(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    campaign = audit.assignment.campaign
    campaign.closed_at = campaign.created_at
    campaign.save()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")

    expect(page.locator("#notices")).to_contain_text("Not saved: the campaign is closed.")
    expect(save_state(page)).to_have_text("Not open: 1 change not saved")
    page.get_by_role("button", name="Discard").press("Enter")
    wait_until_ready(page)
    expect_saved(page)
    expect(page.locator("[data-metric=error_validity] input:checked")).to_have_count(0)
    assert audit.values() == {}


def test_an_answer_after_another_tab_submitted_is_saved_by_reopening(
    page: Page, live_server, audit
):
    open_audit(page, live_server, audit)
    audit.assignment.status = "submitted"
    audit.assignment.submitted_at = audit.assignment.campaign.created_at
    audit.assignment.save()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    expect(page.locator("#notices")).to_contain_text("Not saved: submitted; reopen it")
    page.get_by_role("button", name="Reopen").press("Enter")
    expect_saved(page)

    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_an_answer_to_a_replaced_trace_is_not_saved_and_can_be_copied(
    page: Page, live_server, audit
):
    open_audit(page, live_server, audit)
    audit.assignment.trace.steps.filter(index=1).update(text="Do nothing at all")
    Trace.objects.update(content_hash="another")

    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    dialog = page.get_by_role("dialog", name="This trace has been replaced")
    expect(dialog).to_be_visible()
    expect(dialog.locator("textarea")).to_have_value(
        "Mistake 1 (Do section 2), Error Validity: Yes"
    )
    expect(save_state(page)).to_have_text("Trace replaced: 1 change kept here, not saved")
    dialog.get_by_role("button", name="Go on with the new version").press("Enter")
    wait_until_ready(page)
    # The answer is not taken for one to the new version, which can be rated.
    expect(page.locator("[data-metric=error_validity] input:checked")).to_have_count(0)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("1")
    expect_saved(page)
    assert audit.values() == {(0, "error_validity"): ("no", None, False)}

    page.get_by_role("button", name="Show them").press("Enter")
    expect(dialog.locator("textarea")).to_have_value(
        "Mistake 1 (Do section 2), Error Validity: Yes"
    )
    dialog.get_by_role("button", name="Discard them").press("Enter")
    wait_until_ready(page)
    expect(page.locator("#notices")).to_be_empty()
    assert audit.values() == {(0, "error_validity"): ("no", None, False)}


def test_another_account_in_the_same_browser_neither_sees_nor_sends_the_changes(
    page: Page, context: BrowserContext, live_server, audit
):
    open_audit(page, live_server, audit)
    page.route("**/changes/", lambda route: route.abort())
    page.keyboard.press("ArrowDown")
    page.keyboard.press("2")
    expect(save_state(page)).to_contain_text("Offline: 1 change kept here")
    stranger = UserFactory(username="stranger")
    CampaignRaterFactory(campaign=audit.assignment.campaign, rater=stranger)
    AssignmentFactory(
        campaign=audit.assignment.campaign, rater=stranger, trace=audit.assignment.trace
    )
    context.clear_cookies()
    other = context.new_page()
    other.goto(live_server.url + "/queue/")
    log_in(other, stranger.username)
    other.get_by_role("link", name="Start").press("Enter")
    wait_until_ready(other)

    expect_saved(other)
    expect(other.locator("[data-metric=error_validity] input:checked")).to_have_count(0)
    page.unroute("**/changes/")
    page.bring_to_front()
    page.evaluate("() => window.dispatchEvent(new Event('online'))")

    expect(page.locator("#notices")).to_contain_text("not open to the account")
    assert RatingEvent.objects.count() == 0


def test_a_long_trace_brings_the_current_row_into_view(page: Page, live_server, audit):
    take, trace = audit.assignment.trace.take, audit.assignment.trace
    rows_before = trace.steps.count()
    for index in range(4, 129):
        step = StepFactory(take=take, index=index)
        TraceStepFactory(
            trace=trace, index=rows_before + index - 4, text=step.text, reference_step=step
        )
    last = EventFactory(trace=trace, index=3)
    TraceStepFactory(
        trace=trace, index=rows_before + 125, mod=Mod.INSERTION, text="Dance", event=last
    )
    open_audit(page, live_server, audit)

    for _ in range(3):
        page.keyboard.press("n")

    expect(page.locator("[data-heading]")).to_have_text("Mistake 3")
    expect(page.locator("tr[aria-current]")).to_contain_text("Dance")
    expect(page.locator("tr[aria-current]")).to_be_in_viewport(ratio=1)
    page.keyboard.press("p")
    expect(page.locator("tr[aria-current]")).to_contain_text("Sing a song")
    expect(page.locator("tr[aria-current]")).to_be_in_viewport(ratio=1)
