"""Watching on the audit page: one video enlarged, all from the start, and what was not seen yet."""

from playwright.sync_api import Page, expect

from tests.e2e.test_playing import open_players, times_of


def test_a_key_enlarges_one_video_after_the_other(page: Page, live_server, audit):
    open_players(page, live_server, audit)
    sides = [page.locator(f"[data-side={side}] video") for side in ("reference", "trace")]

    shown = []
    for _ in range(3):
        page.keyboard.press("e")
        shown.append([side.is_visible() for side in sides])

    assert shown == [[False, True], [True, False], [True, True]]


def test_questions_about_the_video_say_that_nothing_was_watched(page: Page, live_server, audit):
    open_players(page, live_server, audit)
    note = page.locator("[data-metric=video_plausibility] [data-unwatched]")

    expect(note).to_be_visible()
    page.keyboard.press(" ")
    expect(note).to_be_hidden(timeout=20_000)


def test_a_key_plays_from_the_start(page: Page, live_server, audit):
    open_players(page, live_server, audit)
    page.locator("tr[data-row='2']").click()
    assert times_of(page)[1] > 3

    page.keyboard.press("b")
    page.keyboard.press("k")

    assert times_of(page)[1] < 3


def test_the_message_after_submit_moves_nothing(page: Page, live_server, audit):
    open_players(page, live_server, audit)
    table = page.locator("#steps")
    before = table.bounding_box()

    page.keyboard.press("s")

    expect(page.locator("#notices .message")).to_be_visible()
    assert table.bounding_box() == before


def test_the_ring_of_the_focus_is_around_all_answers(page: Page, live_server, audit):
    open_players(page, live_server, audit)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")

    outlines = page.evaluate(
        """() => {
          const answer = document.activeElement;
          return [answer.nextElementSibling, answer.closest("[data-stop]")]
            .map((element) => getComputedStyle(element).outlineStyle);
        }"""
    )

    assert outlines == ["none", "solid"]
