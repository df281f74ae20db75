"""The audit page on a phone and at 200% zoom: no scrolling sideways, the questions in sight."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.audit_page import (
    CALM_EVENT,
    STORED_CALM,
    expect_saved,
    open_audit,
    play_until,
    rate_event,
    save_state,
    stored,
    wait_until_playable,
)
from tests.e2e.looks import PHONE

pytestmark = pytest.mark.e2e

# 1280 x 800 at 200%.
ZOOMED = {"width": 640, "height": 400}


# What has the focus and lies under something else, by its outer HTML.
COVERED = """() => {
  const { activeElement } = document;
  const { x, y, width, height } = activeElement.getBoundingClientRect();
  const above = document.elementFromPoint(x + width / 2, y + height / 2);
  return activeElement.contains(above) ? [] : [activeElement.outerHTML];
}"""


def sideways(page: Page) -> float:
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


@pytest.mark.parametrize("size", [PHONE, ZOOMED], ids=["phone", "zoomed"])
def test_a_small_window_never_scrolls_sideways_and_keeps_the_questions_in_sight(
    page: Page, live_server, audit, size
):
    page.set_viewport_size(size)
    open_audit(page, live_server, audit)
    wait_until_playable(page)
    first = page.locator("[data-metric=error_validity] [data-stop]").first

    widths = [sideways(page)]
    expect(first).to_be_in_viewport(ratio=1)
    page.locator("#steps tbody tr").last.scroll_into_view_if_needed()
    widths.append(sideways(page))
    expect(first).to_be_in_viewport(ratio=1)
    page.keyboard.press("c")
    widths.append(sideways(page))
    page.keyboard.press("Escape")
    rate_event(page, CALM_EVENT)
    widths.append(sideways(page))
    expect_saved(page)

    assert widths == [0, 0, 0, 0]
    assert audit.values() == stored(STORED_CALM, 0)


def test_on_a_phone_opening_the_page_leaves_the_videos_in_sight(page: Page, live_server, audit):
    page.set_viewport_size(PHONE)
    open_audit(page, live_server, audit)
    wait_until_playable(page)

    expect(page.locator("video").first).to_be_in_viewport(ratio=1)
    page.keyboard.press("n")
    expect(page.locator("video").first).to_be_in_viewport(ratio=1)
    assert page.evaluate("window.scrollY") == 0


def test_on_a_phone_a_trace_is_rated_by_touch(page: Page, live_server, audit):
    page.set_viewport_size(PHONE)
    open_audit(page, live_server, audit)

    for metric, value in [("error_validity", "yes"), ("human_plausibility", "4")]:
        page.locator(f"[data-metric={metric}] label:has(input[value='{value}'])").first.click()
    page.locator(".chip", has_text="Correction 1").click()
    page.locator("[data-metric=error_validity] label:has(input[value=no])").first.click()
    expect_saved(page)

    assert audit.values() == {
        (0, "error_validity"): ("yes", None, False),
        (0, "human_plausibility"): ("4", None, False),
        (1, "error_validity"): ("no", None, False),
    }


@pytest.mark.parametrize("size", [PHONE, ZOOMED], ids=["phone", "zoomed"])
def test_no_answer_is_cut_off_in_a_small_window(page: Page, live_server, audit, size):
    page.set_viewport_size(size)
    open_audit(page, live_server, audit)
    answers = page.locator("[data-metric=taxonomy_fit] .taxonomy label")
    expect(answers).to_have_count(6)
    card = page.locator("#rubric").bounding_box()
    ends = [box["x"] + box["width"] for box in (each.bounding_box() for each in answers.all())]

    assert max(ends) <= card["x"] + card["width"]


@pytest.mark.parametrize("size", [PHONE, ZOOMED], ids=["phone", "zoomed"])
def test_saving_moves_no_button_away_while_it_is_pressed(page: Page, live_server, audit, size):
    page.set_viewport_size(size)
    open_audit(page, live_server, audit)
    page.locator("#comment").focus()
    page.keyboard.type("Seen twice")
    expect(save_state(page)).to_have_text("Saving")
    skip = page.locator("#skip")
    before = skip.bounding_box()
    page.mouse.move(before["x"] + 4, before["y"] + 4)

    # The field is left by the press, and all of it is saved before the button is let go.
    page.mouse.down()
    expect_saved(page)
    after = skip.bounding_box()
    page.mouse.up()

    assert after == before
    page.wait_for_url("**/queue/**")


def test_on_a_phone_what_the_keyboard_goes_to_is_not_under_the_questions(
    page: Page, live_server, audit
):
    page.set_viewport_size({"width": PHONE["width"], "height": 600})
    open_audit(page, live_server, audit)
    wait_until_playable(page)
    page.locator("[data-speed]").focus()
    covered = page.evaluate(COVERED)

    for _ in range(3):
        page.keyboard.press("Tab")
        covered += page.evaluate(COVERED)

    assert covered == []


def test_a_video_that_is_watched_moves_no_answer(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    wait_until_playable(page)
    question = page.locator("[data-metric=video_plausibility]")
    answers, note = question.locator(".answers"), question.locator("[data-unwatched]")
    expect(note).to_be_visible()
    before = answers.bounding_box()

    play_until(page, 3)
    expect(note).to_be_hidden()

    assert answers.bounding_box() == before


def test_a_comment_marked_on_the_last_event_moves_nothing_sideways(page: Page, live_server, audit):
    page.set_viewport_size(ZOOMED)
    open_audit(page, live_server, audit)
    page.locator("[data-event='']").click()
    page.locator("#comment").fill("Seen twice")
    page.keyboard.press("Escape")
    expect_saved(page)

    assert sideways(page) == 0


def test_the_list_of_keys_opens_at_its_beginning(page: Page, live_server, audit):
    page.set_viewport_size({"width": 1280, "height": 500})
    open_audit(page, live_server, audit)

    page.keyboard.press("?")

    expect(page.get_by_role("heading", name="Keys")).to_be_in_viewport(ratio=1)
    assert page.locator("#keys-dialog").evaluate("dialog => dialog.scrollTop") == 0


def test_on_a_phone_the_event_that_is_shown_is_seen_among_the_events(
    page: Page, live_server, audit
):
    page.set_viewport_size(PHONE)
    open_audit(page, live_server, audit)
    first, last = page.locator(".events .chip").first, page.locator(".events .chip").last
    expect(last).not_to_be_in_viewport(ratio=1)

    for _ in range(3):
        page.keyboard.press("n")
    expect(last).to_have_attribute("aria-current", "true")
    expect(last).to_be_in_viewport(ratio=1)
    for _ in range(3):
        page.keyboard.press("p")

    expect(first).to_be_in_viewport(ratio=1)
