"""A rater's work in a real browser, by keyboard alone."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.engine.taxonomy import Mod
from tests.e2e.audit_page import (
    BROKEN_EVENT,
    CALM_EVENT,
    STORED_BROKEN,
    STORED_CALM,
    expect_saved,
    open_audit,
    rate_event,
    save_state,
    stored,
    type_login,
    wait_until_ready,
)
from tests.factories import (
    EventFactory,
    StepFactory,
    TraceStepFactory,
)

pytestmark = pytest.mark.e2e


def test_a_new_rater_rates_a_whole_trace_by_keyboard_through_a_cut_network(
    page: Page, context: BrowserContext, live_server, audit
):
    page.goto(live_server.url + "/")
    type_login(page, audit.rater.username)
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


def focused_question(page: Page) -> tuple[str, str]:
    """Return the event that is shown and the metric whose question has the focus."""
    metric = page.evaluate(
        "document.activeElement.closest('[data-metric]')?.dataset.metric ?? null"
    )
    return page.locator("#rubric [data-heading]").inner_text(), metric


def test_the_arrows_go_on_from_event_to_event(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    page.keyboard.press("n")
    page.keyboard.press("2")
    page.keyboard.press("p")
    rate_event(page, CALM_EVENT[:-1])
    last = page.locator("[data-metric=video_plausibility] input").first
    last.focus()
    before = focused_question(page)

    page.keyboard.press("ArrowDown")
    # The first question of the second event is answered already.
    onward = focused_question(page)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    back = focused_question(page)

    assert before == ("Mistake 1", "video_plausibility")
    assert onward == ("Correction 1", "human_plausibility")
    assert back == before
    page.locator(".events .chip", has_text="Whole trace").click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert focused_question(page) == ("Whole trace", "text_video_grounding")


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
