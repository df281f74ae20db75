"""Answers are never lost in a real browser, whatever goes wrong while they are saved."""

import re
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import RatingEvent, Trace
from annotation.services.campaigns.protocol import set_consent_text
from annotation.services.campaigns.rounds import close_round
from tests.e2e.audit_page import (
    CALM_EVENT,
    STORED_CALM,
    continue_after_login,
    expect_saved,
    open_audit,
    rate_event,
    save_state,
    stored,
    type_login,
    wait_until_ready,
)
from tests.e2e.site import enter
from tests.factories import AssignmentFactory, CampaignRaterFactory, UserFactory

pytestmark = pytest.mark.e2e

# A browser whose clock can be moved.
AHEAD = """
  const Real = Date;
  window.aheadMs = 0;
  window.Date = class extends Real {
    constructor(...given) { super(...(given.length ? given : [Real.now() + window.aheadMs])); }
    static now() { return Real.now() + window.aheadMs; }
  };
"""


def test_changes_survive_a_reload_before_they_could_be_sent(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    page.route("**/changes/", lambda route: route.abort())
    page.on("dialog", lambda dialog: dialog.accept())

    rate_event(page, CALM_EVENT)
    expect(save_state(page)).to_contain_text("Offline: 7 changes kept here")
    page.keyboard.press("p")
    # The last answer is given at the very moment at which the page goes.
    with page.expect_navigation():
        page.locator("[data-metric=confusability] input[value='3']").evaluate(
            "(mark) => { mark.click(); location.reload(); }"
        )
    wait_until_ready(page)
    page.keyboard.press("p")
    expect(page.locator("[data-metric=confusability] input[value='3']")).to_be_checked()
    expect(save_state(page)).to_contain_text("Offline: 8 changes kept here")
    # One more answer on top of those that wait, to one of the same questions.
    page.keyboard.press("1")
    assert audit.values() == {}
    page.unroute("**/changes/")
    expect_saved(page)

    changed = {"confusability": ("3", None, False), "error_validity": ("no", None, False)}
    assert audit.values() == stored({**STORED_CALM, **changed}, 0)
    order = RatingEvent.objects.filter(is_implied=False).order_by("pk")
    assert list(order.values_list("metric", flat=True)) == [
        "error_validity",
        "human_plausibility",
        "confusability",
        "procedure_logic",
        "procedure_logic",
        "taxonomy_fit",
        "video_plausibility",
        "confusability",
        "error_validity",
    ]


def test_a_page_made_before_the_last_answer_arrived_shows_it(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    page.on("dialog", lambda dialog: dialog.accept())
    sent, made = [], []
    page.route("**/changes/", lambda route: sent.append(route) if not sent else route.continue_())
    page.route("**/audit/*/", lambda route: made.append((route, route.fetch())))

    page.keyboard.press("2")
    page.evaluate("() => { setTimeout(() => location.reload()); }")
    while not made:
        page.wait_for_timeout(20)
    # The new page is made and not shown yet; the old one hears that its answer is saved.
    with page.expect_event("requestfinished", lambda request: "/changes/" in request.url):
        sent[0].continue_()
    page.wait_for_timeout(500)
    with page.expect_navigation():
        made[0][0].fulfill(response=made[0][1])
    wait_until_ready(page)

    expect(page.locator("[data-metric=error_validity] input[value=yes]")).to_be_checked()
    expect_saved(page)
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}
    assert RatingEvent.objects.count() == 1


def test_a_page_whose_script_is_on_its_way_takes_no_answer_and_no_word(
    page: Page, live_server, audit
):
    enter(page, live_server, audit.rater)
    held = []
    page.route("**/audit.js", lambda route: held.append(route))
    page.goto(
        live_server.url + reverse("audit", args=[audit.assignment.public_id]), wait_until="commit"
    )
    answer = page.locator("[data-metric=error_validity] label:has(input[value=yes])").first
    expect(answer).to_be_visible()

    expect(save_state(page)).to_have_text("Opening")
    place = answer.bounding_box()
    page.mouse.click(place["x"] + 5, place["y"] + 5)
    page.locator("#comment").focus()
    page.keyboard.type("Too early")
    expect(answer.locator("input")).not_to_be_checked()
    expect(page.locator("#comment")).to_have_value("")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    wait_until_ready(page)
    page.keyboard.press("2")
    expect_saved(page)

    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


# Whoever reads what is kept in the browser waits for a second, as on a busy disk.
SLOW_READS = """
  const real = IDBIndex.prototype.getAll;
  IDBIndex.prototype.getAll = function (...given) {
    const request = real.apply(this, given);
    let hear = null;
    request.addEventListener("success", () => setTimeout(() => hear?.(), 1000));
    Object.defineProperty(request, "onsuccess", { set(value) { hear = value; } });
    return request;
  };
"""


def test_no_key_answers_before_it_is_known_what_was_kept(page: Page, live_server, audit):
    page.add_init_script(SLOW_READS)
    enter(page, live_server, audit.rater)
    page.goto(live_server.url + reverse("audit", args=[audit.assignment.public_id]))
    page.wait_for_function("() => document.querySelector('#keys-list dt')")

    page.keyboard.press("2")
    wait_until_ready(page)
    expect_saved(page)

    expect(page.locator("#notices")).to_be_empty()
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_leaving_the_page_warns_only_of_unsaved_changes(page: Page, live_server, audit):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    open_audit(page, live_server, audit)

    page.keyboard.press("2")
    expect_saved(page)
    page.reload()
    wait_until_ready(page)
    asked_when_saved = list(asked)
    page.route("**/changes/", lambda route: route.abort())
    page.keyboard.press("1")
    expect(save_state(page)).to_contain_text("Offline")
    page.reload()
    wait_until_ready(page)

    assert asked_when_saved == []
    assert asked == ["beforeunload"]


def test_trouble_with_saving_and_its_end_are_read_aloud(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    news = page.locator("#save-news")

    page.keyboard.press("2")
    expect_saved(page)
    news_of_a_save = news.text_content()
    page.route("**/changes/", lambda route: route.abort())
    page.keyboard.press("1")
    expect(news).to_contain_text("Offline: 1 change kept here")
    page.unroute("**/changes/")

    expect(news).to_have_text("All changes saved")
    assert news_of_a_save == ""


def test_changes_survive_a_server_that_fails_for_a_while(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    page.route("**/changes/", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))

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
        tab.keyboard.press(digit)
        if tab is page:
            expect_saved(tab)

    dialog = other.get_by_role("dialog", name="Rated differently in another tab")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("Mistake 1: Error Validity")
    expect(dialog).to_contain_text("This page: No")
    expect(dialog).to_contain_text(re.compile(r"Saved at .*: Yes"))
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}
    # A key that was meant for the page chooses nothing.
    for key in ("ArrowDown", "Enter"):
        other.keyboard.press(key)
    expect(dialog.get_by_label("This page: No")).to_be_checked()
    other.keyboard.press("Tab")
    other.keyboard.press("Enter")
    expect_saved(other)

    expect(dialog).to_be_hidden()
    assert audit.values() == {(0, "error_validity"): ("no", None, False)}


def test_two_tabs_can_keep_what_is_saved(page: Page, context: BrowserContext, live_server, audit):
    open_audit(page, live_server, audit)
    other = context.new_page()
    open_audit(other, live_server, audit)
    for tab, digit in ((page, "2"), (other, "1")):
        tab.keyboard.press(digit)
        if tab is page:
            expect_saved(tab)

    expect(other.locator("#conflict-dialog")).to_be_visible()
    other.keyboard.press("Tab")
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

    page.keyboard.press("2")
    dialog = page.get_by_role("dialog", name="Your login has expired")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("1 unsaved change is kept in this browser")
    with context.expect_page() as opened:
        dialog.get_by_role("link", name="Log in in a new tab").press("Enter")
    type_login(opened.value, audit.rater.username)
    expect(opened.value.get_by_role("heading", name="My queue")).to_be_visible()
    opened.value.close()
    page.bring_to_front()
    continue_after_login(page)
    expect_saved(page)

    expect(dialog).to_be_hidden()
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_a_login_in_another_window_is_enough_and_the_page_goes_on_by_itself(
    page: Page, context: BrowserContext, live_server, audit
):
    open_audit(page, live_server, audit)
    Session.objects.all().delete()
    page.keyboard.press("2")
    dialog = page.get_by_role("dialog", name="Your login has expired")
    expect(dialog).to_be_visible()
    page.evaluate("() => { window.isSame = true; }")

    # Nobody comes back to the page: it may stand beside the other window.
    page.evaluate(
        "() => window.addEventListener('focus', (event) => event.stopImmediatePropagation(), true)"
    )
    other = context.new_page()
    other.goto(f"{live_server.url}/login/")
    type_login(other, audit.rater.username)
    expect(other.get_by_role("heading", name="My queue")).to_be_visible()

    expect_saved(page)
    expect(dialog).to_be_hidden()
    assert page.evaluate("() => window.isSame")
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_who_skips_or_submits_after_the_login_expired_is_told_so(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    Session.objects.all().delete()

    page.get_by_role("button", name="Skip").press("Enter")

    expect(page.locator("#notices")).to_contain_text(
        "Your login has expired. Log in in another tab"
    )


def test_changes_survive_a_reload_where_the_browser_has_no_database(page: Page, live_server, audit):
    page.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined });")
    open_audit(page, live_server, audit)
    page.route("**/changes/", lambda route: route.abort())
    page.on("dialog", lambda dialog: dialog.accept())

    # Four answers, and one of them taken back, in the moment at which the page goes.
    with page.expect_navigation():
        page.evaluate("""() => {
          const press = (key, how) => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...how }));
          for (const digit of ["2", "4", "2", "1"]) press(digit);
          press("z", { ctrlKey: true });
          location.reload();
        }""")
    wait_until_ready(page)
    expect(save_state(page)).to_contain_text("Offline: 5 changes kept here")
    page.unroute("**/changes/")
    expect_saved(page)

    answers = ("error_validity", "human_plausibility", "confusability")
    calm = {metric: STORED_CALM[metric] for metric in answers}
    given = {key: value for key, value in audit.values().items() if value[0]}
    assert given == stored(calm, 0)
    assert page.evaluate("() => Object.keys(localStorage)") == []


def test_a_browser_that_keeps_nothing_can_be_rated_in_and_says_so(page: Page, live_server, audit):
    page.add_init_script(
        "for (const name of ['indexedDB', 'localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException(name); } });"
    )
    open_audit(page, live_server, audit)

    page.keyboard.press("2")
    expect(page.locator("#notices")).to_contain_text("cannot store unsaved changes")
    expect_saved(page)

    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_an_answer_after_the_round_closed_is_said_to_be_unsaved(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    close_round(closing=audit.assignment.round, actor=None)

    page.keyboard.press("2")

    expect(page.locator("#notices")).to_contain_text("Not saved: this round is closed.")
    expect(save_state(page)).to_have_text("Not open: 1 change not saved")
    with page.expect_navigation():
        page.get_by_role("button", name="Discard").press("Enter")
    wait_until_ready(page)
    expect_saved(page)
    expect(page.locator("[data-metric=error_validity] input:checked")).to_have_count(0)
    assert audit.values() == {}


def test_an_answer_waits_for_a_consent_text_that_came_meanwhile(page: Page, live_server, audit):
    made, rater = audit.assignment.round, audit.assignment.rater
    open_audit(page, live_server, audit)
    set_consent_text(campaign=made.campaign, text="You may stop at any time.", actor=rater)
    page.on("dialog", lambda dialog: dialog.accept())

    page.keyboard.press("2")

    expect(page.locator("#notices")).to_contain_text("Not saved: accept the consent text")
    expect(page.locator("#submit")).to_be_visible()
    page.get_by_role("button", name="Read it").press("Enter")
    expect(page.get_by_text("You may stop at any time.")).to_be_visible()
    page.get_by_role("button", name="I accept, begin").click()
    wait_until_ready(page)
    expect_saved(page)
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_an_answer_after_another_tab_submitted_is_saved_by_reopening(
    page: Page, live_server, audit
):
    open_audit(page, live_server, audit)
    audit.assignment.status = "submitted"
    audit.assignment.submitted_at = audit.assignment.round.campaign.created_at
    audit.assignment.save()

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

    page.keyboard.press("2")
    dialog = page.get_by_role("dialog", name="This trace has been replaced")
    expect(dialog).to_be_visible()
    expect(dialog.locator("textarea")).to_have_value(
        "Mistake 1 (2 part → section), Error Validity: Yes"
    )
    expect(save_state(page)).to_have_text("Trace replaced: 1 change kept here, not saved")
    with page.expect_navigation():
        dialog.get_by_role("button", name="Go on with the new version").press("Enter")
    wait_until_ready(page)
    # The answer is not taken for one to the new version, which can be rated.
    expect(page.locator("[data-metric=error_validity] input:checked")).to_have_count(0)
    page.keyboard.press("1")
    expect_saved(page)
    assert audit.values() == {(0, "error_validity"): ("no", None, False)}

    page.get_by_role("button", name="Show them").press("Enter")
    expect(dialog.locator("textarea")).to_have_value(
        "Mistake 1 (2 part → section), Error Validity: Yes"
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
    page.keyboard.press("2")
    expect(save_state(page)).to_contain_text("Offline: 1 change kept here")
    stranger = UserFactory(username="stranger")
    CampaignRaterFactory(campaign=audit.assignment.round.campaign, rater=stranger)
    AssignmentFactory(
        campaign=audit.assignment.round.campaign, rater=stranger, trace=audit.assignment.trace
    )
    context.clear_cookies()
    other = context.new_page()
    other.goto(live_server.url + "/queue/")
    type_login(other, stranger.username)
    other.get_by_role("link", name="Start").press("Enter")
    other.get_by_role("button", name="Start").press("Enter")
    wait_until_ready(other)

    expect_saved(other)
    expect(other.locator("[data-metric=error_validity] input:checked")).to_have_count(0)
    page.unroute("**/changes/")
    page.bring_to_front()
    page.evaluate("() => window.dispatchEvent(new Event('online'))")

    expect(page.locator("#notices")).to_contain_text("belongs to another account")
    assert RatingEvent.objects.count() == 0


@pytest.mark.parametrize("is_ahead_at_first", [True, False])
def test_a_browser_whose_clock_runs_ahead_loses_no_answer(
    page: Page, live_server, audit, is_ahead_at_first
):
    page.add_init_script(AHEAD)
    if is_ahead_at_first:
        page.add_init_script("window.aheadMs = 86_400_000;")
    open_audit(page, live_server, audit)
    page.evaluate("window.aheadMs = 86_400_000")

    page.keyboard.press("2")
    page.keyboard.press("4")
    expect_saved(page)

    assert audit.values() == {
        (0, "error_validity"): ("yes", None, False),
        (0, "human_plausibility"): ("4", None, False),
    }
    at = RatingEvent.objects.values_list("rated_at", flat=True)
    assert max(abs(moment - timezone.now()) for moment in at) < timedelta(minutes=1)
    expect(page.locator("#notices")).not_to_contain_text("not saved")
