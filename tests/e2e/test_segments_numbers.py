"""Digits are numbers of the procedure, the likeliest step has a key, keys are counted."""

import pytest
from playwright.sync_api import Page, expect

from segments.engine.model import Segment
from segments.models import SegmentCheck
from tests.e2e.audit_page import expect_saved
from tests.e2e.looks import PHONE, WIDE, WIDER, problems_of, sideways_px
from tests.e2e.segments_page import (
    STEPS,
    make_segmenting,
    open_segments,
    press,
    wait_until_playable,
)

pytestmark = pytest.mark.e2e

TWELVE = tuple(f"Turn screw {place} by hand" for place in range(1, 13))
SECOND = "Shift+ArrowRight"
PARTITION = tuple(
    Segment(f"part{at}", "steps", at + 0.0, at + 1.0, str(at), is_proposal=True) for at in range(3)
)
THREE = tuple(Segment(key, "steps", at, at + 2.0) for key, at in (("a", 1.0), ("b", 4.0), ("c", 7)))


def labels(segmenting) -> list[str]:
    return [row[2] for row in segmenting.segments()]


class Counted:
    """A keyboard that counts what is pressed, going to a place left out."""

    def __init__(self, page: Page):
        self.page, self.count = page, 0

    def press(self, *keys: str) -> None:
        press(self.page, *keys)
        self.count += len(keys)


def test_digits_are_the_numbers_of_the_procedure_whatever_was_marked_before(
    page: Page, live_server, transactional_db, tmp_path
):
    segmenting = make_segmenting(tmp_path, proposals=THREE)
    open_segments(page, live_server, segmenting)

    for number in ("3", "1", "1"):
        expect(page.locator("#picker")).to_be_visible()
        press(page, number, "n")
    press(page, "5")
    expect_saved(page)

    assert labels(segmenting) == ["2", "0", "4"]


def test_next_likeliest_has_a_key_and_says_so(page: Page, live_server, transactional_db, tmp_path):
    segmenting = make_segmenting(tmp_path, proposals=THREE)
    open_segments(page, live_server, segmenting)
    first = page.locator("#picker-options [role=option]").first

    press(page, "2", "n")
    expect(first).to_contain_text("3 Drop yellow paint")
    expect(first).to_contain_text("next")
    expect(first.locator("kbd").last).to_have_text("W")
    press(page, "w", "n", "w")
    expect_saved(page)

    assert labels(segmenting) == ["1", "2", "3"]


def test_digits_of_long_numbers_gather_in_sight(
    page: Page, live_server, transactional_db, tmp_path
):
    segmenting = make_segmenting(tmp_path, steps=TWELVE, proposals=THREE)
    open_segments(page, live_server, segmenting)
    picker, options = page.locator("#picker"), page.locator("#picker-options [role=option]")

    # No number but 2 begins with 2.
    press(page, "2")
    expect(picker).to_be_hidden()
    press(page, "n", "1")
    expect(picker).to_contain_text("Step 1…")
    assert options.locator("kbd:first-of-type").all_inner_texts() == ["1", "10", "11", "12"]
    expect(options.first.locator("kbd").last).to_have_text("Enter")
    assert [*problems_of(page), *sideways_px(page)] == []
    press(page, "3")
    expect(page.locator("#notices")).to_contain_text(
        "No step has the number 13; expected one from 1 to 12."
    )
    expect(picker).to_contain_text("Step 1…")
    press(page, "2")
    expect(picker).to_be_hidden()
    press(page, "n", "1", "Enter")
    expect(picker).to_be_hidden()
    expect_saved(page)

    assert labels(segmenting) == ["1", "11", "0"]


def test_a_number_that_is_not_whole_is_taken_by_the_next_act_and_given_up_by_escape(
    page: Page, live_server, transactional_db, tmp_path
):
    segmenting = make_segmenting(tmp_path, steps=TWELVE, proposals=THREE)
    open_segments(page, live_server, segmenting)

    press(page, "1", "n", "1", "Escape", "n", "1")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect_saved(page)

    assert labels(segmenting) == ["0", "", "0"]


def test_a_number_is_typed_in_the_field_too(page: Page, live_server, transactional_db, tmp_path):
    segmenting = make_segmenting(tmp_path, steps=TWELVE, proposals=THREE)
    open_segments(page, live_server, segmenting)

    press(page, "Enter", "1", "1", "n", "Enter", "1", "Enter", "n", "Enter", "7")
    expect_saved(page)

    assert labels(segmenting) == ["10", "0", "6"]


@pytest.mark.parametrize("size", [WIDE, WIDER], ids=["1280", "1440"])
def test_a_segment_takes_two_keys_and_with_a_gap_three(
    page: Page, live_server, transactional_db, tmp_path, size
):
    page.set_viewport_size(size)
    segmenting = make_segmenting(tmp_path, steps=STEPS)
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    keys = Counted(page)

    press(page, "Home")
    keys.press("a")
    for number in ("4", "w", "2"):
        press(page, SECOND)
        keys.press("a", number)
    press(page, "Escape")
    touching, keys.count = keys.count, 0
    for number in ("3", "1"):
        press(page, SECOND)
        keys.press("a")
        press(page, SECOND)
        keys.press("Shift+A", number)
    expect_saved(page)

    assert labels(segmenting) == ["3", "4", "1", "2", "0"]
    # The first begins where nothing has ended.
    assert touching == 1 + 3 * 2
    assert keys.count == 2 * 3


@pytest.mark.parametrize("size", [WIDE, WIDER, PHONE], ids=["1280", "1440", "phone"])
def test_naming_what_is_proposed_takes_two_keys_a_segment(
    page: Page, live_server, transactional_db, tmp_path, size
):
    page.set_viewport_size(size)
    segmenting = make_segmenting(tmp_path, proposals=THREE)
    open_segments(page, live_server, segmenting)
    keys = Counted(page)

    for number in ("3", "1", "5"):
        keys.press(number, "n")
    expect_saved(page)

    assert labels(segmenting) == ["2", "0", "4"]
    assert keys.count == 2 * 3


@pytest.mark.parametrize("size", [WIDE, WIDER, PHONE], ids=["1280", "1440", "phone"])
def test_auditing_a_segment_takes_a_key_for_each_question(
    page: Page, live_server, transactional_db, tmp_path, size
):
    page.set_viewport_size(size)
    audit = make_segmenting(
        tmp_path, proposals=PARTITION, scheme="partition", stage="audit", duration_s=3.0
    )
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    keys = Counted(page)

    # Each plays by itself, and can be answered once it was seen.
    for place in range(len(PARTITION)):
        expect(page.locator("#checks h2")).to_contain_text(f"Step {place + 1}")
        expect(page.locator("[data-question=accurate] input[value=no]")).to_be_enabled()
        keys.press("2", "2", "2")
    expect(page.locator("#left")).to_have_text("nothing left")
    expect_saved(page)

    answers = SegmentCheck.objects.order_by("pk").values_list("key", "question", "answer")
    assert list(answers) == [
        (item.key, question, True)
        for item in PARTITION
        for question in ("accurate", "specific", "complete")
    ]
    assert keys.count == 3 * len(PARTITION)
