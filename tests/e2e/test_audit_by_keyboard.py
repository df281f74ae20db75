"""A rater's work in a real browser, by keyboard alone."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.engine.taxonomy import Mod
from annotation.models import RatingRound
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
    times_of,
    type_login,
    wait_until_playable,
    wait_until_ready,
)
from tests.e2e.looks import PHONE, WIDE, WIDER
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
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    wait_until_ready(page)

    rate_event(page, CALM_EVENT)
    expect_saved(page)
    context.set_offline(True)
    rate_event(page, BROKEN_EVENT)
    expect(save_state(page)).to_contain_text("Offline: 9 changes kept here")
    stored_while_offline = audit.values()
    context.set_offline(False)
    expect_saved(page)
    rate_event(page, CALM_EVENT)
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


def test_a_key_that_stays_down_answers_one_question(page: Page, live_server, audit):
    open_audit(page, live_server, audit)

    for key in ("2", "n", "c"):
        for _ in range(5):
            page.keyboard.down(key)
        page.keyboard.up(key)
    page.keyboard.type("oo")
    for _ in range(3):
        page.keyboard.down("Backspace")
    expect_saved(page)

    # One answer, one event on; the comment has no letters of the key that went to it.
    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}
    expect(page.locator("[data-heading]")).to_have_text("Correction 1")
    expect(page.locator("#comment")).to_be_focused()
    expect(page.locator("#comment")).to_have_value("")


def test_a_composed_word_keeps_its_keys(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    page.keyboard.press("c")

    # Escape takes back what an input method offers; pressed again it leaves the field.
    page.locator("#comment").dispatch_event(
        "keydown", {"key": "Escape", "isComposing": True, "bubbles": True}
    )
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.press("Escape")

    expect(page.locator("#comment")).not_to_be_focused()


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
    page.locator("[data-metric=procedure_logic] input[value=no]").first.focus()
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
    expect(page.locator("[data-summary]")).to_have_text("Corrects mistake 1: – → Put it right")
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


def count_keys(page: Page) -> None:
    """Count from now on the keys that go down in the page."""
    page.evaluate(
        "() => { window.keyCount = 0; document.addEventListener('keydown', "
        "() => { window.keyCount += 1; }, true); }"
    )


@pytest.mark.parametrize("size", [WIDE, WIDER, PHONE], ids=["1280", "1440", "phone"])
def test_an_event_takes_nine_keys_at_most_from_the_first_digit_on(
    page: Page, live_server, audit, size
):
    page.set_viewport_size(size)
    open_audit(page, live_server, audit)
    count_keys(page)

    counts = []
    for digits in (BROKEN_EVENT, CALM_EVENT, BROKEN_EVENT):
        before = page.evaluate("window.keyCount")
        rate_event(page, digits)
        counts.append(page.evaluate("window.keyCount") - before)
    heading = page.locator("[data-heading]").inner_text()
    expect_saved(page)

    assert counts == [9, 7, 9]
    assert heading == "Whole trace"
    assert audit.values() == {
        **stored(STORED_BROKEN, 0),
        **stored(STORED_CALM, 1),
        **stored(STORED_BROKEN, 2),
    }


def test_one_digit_too_many_changes_nothing(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    for digits in (CALM_EVENT, CALM_EVENT, CALM_EVENT, ["4"]):
        rate_event(page, digits)
    expect_saved(page)
    before = audit.values()

    page.keyboard.press("1")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.keyboard.press("Space")

    expect(page.locator("#missing")).to_have_text("complete")
    expect_saved(page)
    assert audit.values() == before
    assert len(before) == 25
    audit.assignment.refresh_from_db()
    assert audit.assignment.status == "open"


def test_a_reload_returns_to_the_first_open_question(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    rate_event(page, CALM_EVENT)
    rate_event(page, CALM_EVENT[:3])
    expect_saved(page)

    page.reload()
    wait_until_ready(page)

    assert focused_question(page) == ("Correction 1", "procedure_logic")


def test_arrows_look_at_answers_and_choose_none(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    rate_event(page, ["2", "4"])
    expect_saved(page)
    page.keyboard.press("ArrowUp")

    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "Shift+ArrowLeft", "Space", "k"):
        page.keyboard.press(key)
    looked_at = page.evaluate("[document.activeElement.name, document.activeElement.value]")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    expect_saved(page)

    assert looked_at == ["human_plausibility", "2"]
    assert audit.values() == {
        (0, "error_validity"): ("yes", None, False),
        (0, "human_plausibility"): ("4", None, False),
    }


def test_the_last_answer_is_taken_back_wherever_it_was(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    rate_event(page, CALM_EVENT)
    rate_event(page, ["1", "3"])
    page.keyboard.press("n")

    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    at_second = focused_question(page)
    page.keyboard.press("Control+z")
    at_first = focused_question(page)
    expect_saved(page)

    assert at_second == ("Correction 1", "error_validity")
    assert at_first == ("Mistake 1", "video_plausibility")
    assert audit.values() == {
        **stored(STORED_CALM, 0),
        (0, "video_plausibility"): ("", None, False),
        (1, "error_validity"): ("", None, False),
        (1, "human_plausibility"): ("", None, False),
    }
    page.reload()
    wait_until_ready(page)
    page.keyboard.press("Control+z")
    expect(page.locator("#rate-news")).to_have_text(
        "Nothing has been answered since the page was opened."
    )


def test_taking_back_gives_back_what_followed_from_another_answer(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    rate_event(page, CALM_EVENT)
    page.keyboard.press("p")
    sequence = page.locator("[data-metric=sequence_consistency]")
    sequence.get_by_role("button", name="change").press("Enter")
    page.keyboard.press("2")
    page.keyboard.press("p")
    logic = page.locator("[data-metric=procedure_logic] input").first
    logic.focus()
    page.keyboard.press("2")
    expect_saved(page)
    broken = audit.values()

    page.keyboard.press("Control+z")
    expect_saved(page)
    typed_over = audit.values()
    page.keyboard.press("Control+z")
    expect_saved(page)

    assert broken == {
        **stored(STORED_CALM, 0),
        (0, "procedure_logic"): ("yes", 3, False),
        (0, "sequence_consistency"): ("2", None, False),
        (0, "state_change_coherence"): ("", None, False),
    }
    assert typed_over == {
        **stored(STORED_CALM, 0),
        (0, "sequence_consistency"): ("2", None, False),
    }
    assert audit.values() == stored(STORED_CALM, 0)


def test_a_key_opens_how_to_judge_the_question(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    guide = page.locator("[data-metric=error_validity] details p")

    page.keyboard.press("h")
    expect(guide).to_be_visible()
    page.keyboard.press("h")

    expect(guide).to_be_hidden()


def test_a_correction_is_asked_about_the_repair(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    validity = page.locator("[data-metric=error_validity] [data-question]")
    plausibility = page.locator("[data-metric=human_plausibility]")

    expect(validity).to_have_text(
        "If nobody put it right, would it spoil the result or a later step?"
    )
    page.keyboard.press("n")

    expect(validity).to_have_text("Does this repair really undo the mistake that it belongs to?")
    expect(plausibility.get_by_role("radio", name="1, not at all")).to_have_count(1)
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator("[data-metric=text_video_grounding] [data-question]")).to_have_text(
        "Does the whole written trace match what the video shows?"
    )


def test_a_campaign_of_old_keeps_its_words(page: Page, live_server, audit):
    RatingRound.objects.update(rubric_version="1")
    open_audit(page, live_server, audit)
    page.keyboard.press("n")

    expect(page.locator("[data-heading]")).to_have_text("Correction 1")
    expect(page.locator("[data-metric=error_validity] [data-question]")).to_have_text(
        "Would this spoil the result or a later step if nobody put it right?"
    )


def test_space_plays_also_after_a_click_on_a_button(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    wait_until_playable(page)
    play = page.locator("[data-play]")

    for selector in ("[data-event='1']", "tr[data-row='3'] [data-go]", "#next-event"):
        page.locator(selector).click()
        heading = page.locator("[data-heading]").inner_text()
        page.keyboard.press("Space")
        expect(play).to_contain_text("Pause")
        page.keyboard.press("Space")
        expect(play).to_contain_text("Play")
        assert page.locator("[data-heading]").inner_text() == heading
    page.locator("[data-sound]").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")

    expect(page.locator("[data-sound]")).to_have_attribute("aria-pressed", "true")
    expect(play).to_contain_text("Play")


def test_submitting_too_early_leaves_the_players_where_they_are(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    wait_until_playable(page)
    rate_event(page, CALM_EVENT)
    page.keyboard.press("n")
    page.locator("tr[data-row='3']").click()
    page.keyboard.press(".")
    before = times_of(page)

    page.keyboard.press("s")

    expect(page.locator("[data-heading]")).to_have_text("Correction 1")
    page.wait_for_timeout(200)
    assert times_of(page) == before


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
    # Questions of every event have the same names: which event it is has to be said.
    expect(page.locator("#rate-news")).to_contain_text("Mistake 1. ")
    page.locator(".events .chip", has_text="Whole trace").click()
    expect(page.locator("#rate-news")).to_contain_text("Whole trace. ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert focused_question(page) == ("Whole trace", "text_video_grounding")


def test_a_submitted_trace_is_read_only_until_it_is_reopened(page: Page, live_server, audit):
    audit.assignment.status = "submitted"
    audit.assignment.submitted_at = audit.assignment.round.campaign.created_at
    audit.assignment.save()
    open_audit(page, live_server, audit)

    expect(page.locator("[data-metric=error_validity] input").first).to_be_disabled()
    page.get_by_role("button", name="Reopen").press("Enter")
    # The button is gone: the focus goes on to the questions.
    expect(page.locator("[data-metric=error_validity] input").first).to_be_focused()

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
