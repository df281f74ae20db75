"""The segment editor as people use it: random keys, two tabs, an ended login, a closed round."""

import json
import random
import re
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Step, Take
from annotation.services.campaigns.rounds import close_round
from segments.models import SegmentEvent
from segments.selectors.history import state_at
from segments.selectors.saving import stored_segments
from tests.e2e.audit_page import continue_after_login, expect_saved, type_login
from tests.e2e.segment_work import APART
from tests.e2e.segments_page import DURATION_S, Segmenting, make_segmenting, open_segments
from tests.e2e.site import enter

pytestmark = pytest.mark.e2e

GESTURES = "**/gestures/"
ROWS = "#rows [data-sheet] > .row:not(.gap)"
SECOND = "Shift+ArrowRight"
# What a person who works by keys presses, more often what moves and marks.
KEYS = [
    *[SECOND] * 6, *["ArrowRight", "Shift+ArrowLeft"] * 3, *["a"] * 6, *["Shift+A"] * 3,
    *["x"] * 3, *["u"] * 2, "Delete", *["n", "p"] * 3, *["[", "]"] * 3, *"123450", "b", ".", ",",
    "Escape", "g", "Control+z", "Control+y",
]  # fmt: skip


@pytest.fixture
def segmenting(transactional_db, tmp_path):
    return make_segmenting(tmp_path)


def rows_of(page: Page) -> list[str]:
    return page.locator(ROWS).all_inner_texts()


def mark(page: Page) -> None:
    """A segment of two seconds from the playhead on, with the likeliest label."""
    for key in ("Escape", "a", SECOND, SECOND, "Shift+A", "w"):
        page.keyboard.press(key)


def expect_log_tells_all(segmenting: Segmenting) -> None:
    own = segmenting.own
    own.refresh_from_db()
    assert state_at(own, own.head).segments == stored_segments(own.pk)


def press_until(page: Page, key: str, words: str) -> int:
    """Press a key until the page says that there is nothing more; how often it did something."""
    for count in range(500):
        page.keyboard.press(key)
        if page.get_by_text(words).count():
            return count
    raise AssertionError(f"{words} was never said")


def test_a_note_that_is_being_written_when_the_page_goes_is_kept(
    page: Page, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    mark(page)
    page.keyboard.press("f")
    page.keyboard.type("The lid is off")

    page.goto(f"{live_server.url}/queue/")
    open_segments(page, live_server, segmenting)
    expect_saved(page)

    [item] = stored_segments(segmenting.own.pk).values()
    assert (item.note, item.is_flagged) == ("The lid is off", True)


def test_a_note_is_saved_while_it_is_typed_and_given_up_with_escape(
    page: Page, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    mark(page)
    expect_saved(page)

    def stored():
        [item] = stored_segments(segmenting.own.pk).values()
        return item.note, item.is_flagged

    page.keyboard.press("f")
    page.keyboard.type("The lid is off")
    # The field is still being written in; what the page says is saved is saved.
    expect_saved(page)
    while_typed = stored()
    page.keyboard.press("Escape")
    expect_saved(page)

    assert (while_typed, stored()) == (("The lid is off", True), ("", False))


def test_random_keys_are_undone_and_redone_across_a_reload(page: Page, live_server, segmenting):
    rng = random.Random(4)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    open_segments(page, live_server, segmenting)

    for _ in range(5):
        mark(page)
    page.keyboard.press("Home")
    for _ in range(200):
        page.keyboard.press(rng.choice(KEYS))
        # A choice that a key opened is given up.
        if page.locator("dialog[open]").count() or page.locator("input:focus").count():
            page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect_saved(page)
    after_all = segmenting.segments()
    page.reload()
    page.wait_for_selector("html[data-ready]")
    undone = press_until(page, "Control+z", "There is nothing to undo.")
    expect(page.locator(ROWS)).to_have_count(0)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    redone = press_until(page, "Control+y", "There is nothing to redo.")
    expect_saved(page)

    assert segmenting.segments() == after_all != []
    assert redone >= undone > 30
    expect_log_tells_all(segmenting)
    assert failures == []


def test_work_offline_is_sent_after_a_reload_and_nothing_twice(page: Page, live_server, segmenting):
    page.on("dialog", lambda dialog: dialog.accept())
    open_segments(page, live_server, segmenting)
    page.route(GESTURES, lambda route: route.abort())

    for _ in range(5):
        mark(page)
    # Now and then it says that it is trying again.
    told = page.wait_for_function(
        """() => /^Offline: (\\d+) changes kept here, sent later$/
          .exec(document.querySelector("#save-state").textContent)?.[1]"""
    )
    kept = int(told.json_value())
    before = rows_of(page)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert rows_of(page) == before
    page.unroute(GESTURES)
    expect_saved(page)

    assert len(before) == len(segmenting.segments()) == 5
    assert SegmentEvent.objects.values("head").distinct().count() == kept
    expect_log_tells_all(segmenting)


@pytest.mark.parametrize("keeps_mine", [True, False])
def test_two_tabs_merge_or_ask(
    page: Page, context: BrowserContext, live_server, segmenting, keeps_mine
):
    context.add_init_script(APART)
    open_segments(page, live_server, segmenting)
    mark(page)
    expect_saved(page)
    other = context.new_page()
    open_segments(other, live_server, segmenting)

    # Different segments: nobody is asked anything.
    page.bring_to_front()
    mark(page)
    expect_saved(page)
    other.bring_to_front()
    for key in ("n", "f"):
        other.keyboard.press(key)
    other.keyboard.type("too dark")
    other.keyboard.press("Enter")
    expect_saved(other)
    expect(other.locator(ROWS)).to_have_count(2)
    # The same one: the first tab does not know yet that it was flagged.
    page.bring_to_front()
    for key in ("Home", "p", "p", "2"):
        page.keyboard.press(key)
    dialog = page.get_by_role("dialog", name="Changed in another tab")
    expect(dialog).to_be_visible()
    # A key that was meant for the page chooses nothing.
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(dialog.get_by_role("radio").first).to_be_checked()
    page.keyboard.press("Tab")
    if not keeps_mine:
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect_saved(page)

    [first, second] = [row[2] for row in segmenting.segments()]
    assert (first != "0") == keeps_mine
    assert second == "1"
    expect_log_tells_all(segmenting)


def test_a_login_that_ends_in_mid_work_loses_nothing(
    page: Page, context: BrowserContext, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    Session.objects.all().delete()

    mark(page)
    dialog = page.get_by_role("dialog", name="Your login has expired")
    expect(dialog).to_be_visible()
    with context.expect_page() as opened:
        dialog.get_by_role("link", name="Log in in a new tab").press("Enter")
    type_login(opened.value, segmenting.person.username)
    expect(opened.value.get_by_role("heading", name="My queue")).to_be_visible()
    opened.value.close()
    page.bring_to_front()
    continue_after_login(page)
    expect_saved(page)

    assert len(segmenting.segments()) == 1
    expect_log_tells_all(segmenting)


def test_a_login_that_ends_in_mid_drag_is_asked_for_when_the_drag_is_over(
    page: Page, context: BrowserContext, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    mark(page)
    expect_saved(page)
    dialog = page.get_by_role("dialog", name="Your login has expired")
    held = []
    page.route(GESTURES, lambda route: held.append(route))
    with page.expect_request(GESTURES):
        page.keyboard.press("2")
    lane = page.locator(".lane.own").bounding_box()

    def place(time_s: float) -> tuple[float, float]:
        return lane["x"] + lane["width"] * time_s / DURATION_S, lane["y"] + lane["height"] / 2

    page.mouse.move(*place(2))
    page.mouse.down()
    page.mouse.move(*place(4))
    Session.objects.all().delete()
    with page.expect_response(GESTURES):
        held.pop().continue_()
    page.wait_for_function("() => document.querySelector('#save-state').dataset.state === 'login'")
    page.mouse.move(*place(6))
    expect(dialog).to_be_hidden()
    page.mouse.up()
    expect(dialog).to_be_visible()
    page.unroute(GESTURES)
    enter(page, live_server, segmenting.person)
    dialog.get_by_role("button", name="I have logged in: continue").press("Enter")
    expect_saved(page)

    [(start_s, end_s, step_id, *_)] = segmenting.segments()
    assert start_s == 0
    assert end_s == 6
    assert step_id != "0"
    expect_log_tells_all(segmenting)


def test_work_of_a_closed_round_can_be_read_and_kept_as_a_file(page: Page, live_server, segmenting):
    page.on("dialog", lambda dialog: dialog.accept())
    open_segments(page, live_server, segmenting)
    mark(page)
    expect_saved(page)
    close_round(closing=segmenting.own.round, actor=None)

    page.keyboard.press("3")
    expect(page.locator("#notices")).to_contain_text("Not saved: this round is closed.")
    expect(page.locator("#rows")).to_contain_text("Drop yellow paint")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my work as a file").click()

    kept = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [row["step_id"] for row in kept["segments"]] == ["2"]
    assert [row["name"] for row in kept["unsaved"]] == ["label"]
    assert [row[2] for row in segmenting.segments()] == ["0"]
    with page.expect_navigation():
        page.get_by_role("button", name="Discard").click()
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("#rows")).to_contain_text("Pour about 15 mL")
    expect(page.locator("#save-state")).to_have_text("All changes saved")


def test_work_on_a_replaced_recording_can_be_copied_and_goes_along(
    page: Page, live_server, segmenting
):
    page.on("dialog", lambda dialog: dialog.accept())
    open_segments(page, live_server, segmenting)
    mark(page)
    expect_saved(page)
    Take.objects.update(content_hash="another")
    Step.objects.filter(step_id="0").delete()

    # The dialog would take the keys of the label.
    page.context.set_offline(True)
    mark(page)
    expect(page.locator("#save-state")).to_contain_text("2 changes")
    page.context.set_offline(False)

    dialog = page.get_by_role("dialog", name="This recording has been replaced")
    expect(dialog).to_be_visible()
    expect(dialog.locator("textarea")).to_have_value(re.compile(r"^draw: steps, 2 to 4 s"))
    assert len(segmenting.segments()) == 1
    with page.expect_navigation():
        dialog.get_by_role("button", name="Go on with the new version").click()
    page.wait_for_selector("html[data-ready]")
    expect_saved(page)
    assert [(row[0], row[2]) for row in segmenting.segments()] == [(0, "0"), (2, "1")]
    expect(page.locator("#left")).to_contain_text("left")
    for key in ("Home", "p", "1"):
        page.keyboard.press(key)
    expect_saved(page)
    assert segmenting.segments()[0][2] != "0"
    expect_log_tells_all(segmenting)


def test_work_goes_on_with_the_new_version_of_a_recording(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    Take.objects.update(content_hash="another")
    page.reload()

    page.get_by_role("button", name="Go on with the new version").click()

    page.wait_for_function("() => !document.querySelector('#notices .message')")
    page.wait_for_selector("html[data-ready]")
    mark(page)
    expect_saved(page)
    assert len(segmenting.segments()) == 1


def test_a_description_is_kept_while_it_is_typed(page: Page, live_server, segmenting):
    page.on("dialog", lambda dialog: dialog.accept())
    open_segments(page, live_server, segmenting)
    mark(page)
    page.keyboard.press("F2")
    page.keyboard.type("wipe the tab")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect_saved(page)
    assert [row[4] for row in segmenting.segments()] == ["wipe the tab"]

    # Escape gives up what was typed, before and after a pause; Enter keeps it at once.
    page.keyboard.press("n")
    page.keyboard.press("F2")
    page.keyboard.type("le with a clo")
    expect_saved(page)
    page.keyboard.type("th")
    page.keyboard.press("Escape")
    expect_saved(page)
    assert [row[4] for row in segmenting.segments()] == ["wipe the tab"]
    page.keyboard.press("F2")
    page.keyboard.type("le")
    page.keyboard.press("Enter")
    expect_saved(page)
    assert [row[4] for row in segmenting.segments()] == ["wipe the table"]
    page.keyboard.press("Control+z")
    expect_saved(page)
    assert [row[4] for row in segmenting.segments()] == ["wipe the tab"]
    expect_log_tells_all(segmenting)
