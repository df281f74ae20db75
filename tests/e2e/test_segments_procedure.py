"""The procedure beside the recording: what is done, missing and out of order, from own segments."""

import pytest
from playwright.sync_api import Page, expect

from segments.engine.model import Segment
from tests.e2e.audit_page import expect_saved
from tests.e2e.looks import dark_problems_of, problems_of, sideways_px
from tests.e2e.segments_page import make_segmenting, open_segments, press

pytestmark = pytest.mark.e2e

SIZES = [(1280, 800), (390, 844)]
MIXED = (
    Segment("a", "steps", 1.0, 3.0, "0"),
    Segment("b", "steps", 3.0, 5.0, "2"),
    Segment("c", "steps", 5.0, 7.0, "1"),
    Segment("d", "steps", 7.0, 9.0, "0"),
    Segment("m", "steps", None, None, "3"),
    Segment("p", "steps", 12.0, 14.0, "4", is_proposal=True),
)


def told(page: Page) -> list[str]:
    names = page.locator("#procedure li button").evaluate_all(
        "buttons => buttons.map((button) => button.ariaLabel)"
    )
    return [name.partition(":")[0] for name in names]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_pane_says_what_is_done_missing_and_out_of_order(
    page: Page, live_server, transactional_db, tmp_path, width, height
):
    page.set_viewport_size({"width": width, "height": height})
    open_segments(page, live_server, make_segmenting(tmp_path, proposals=MIXED))

    expect(page.locator("#procedure")).to_be_visible()
    assert told(page) == [
        "Step 1, done, 2 times",
        "Step 2, done",
        "Step 3, out of order",
        "Step 4, missing",
        "Step 5, proposed",
    ]
    expect(page.locator("#procedure [data-counts]")).to_have_text(
        "3 of 5 done, 1 missing, 1 out of order"
    )
    assert [*problems_of(page), *dark_problems_of(page), *sideways_px(page)] == []


def test_a_labeller_who_begins_is_told_of_nothing_done(
    page: Page, live_server, transactional_db, tmp_path
):
    """The recording's own steps are not in its answer: only what this person marks counts."""
    segmenting = make_segmenting(tmp_path)
    take = segmenting.own.recording.take
    take.steps.filter(index=2).update(start_s=1.0, end_s=4.0)
    open_segments(page, live_server, segmenting)

    assert told(page) == [f"Step {number}, not yet" for number in range(1, 6)]
    first = page.locator(".empty-list")
    expect(first).to_contain_text("What to do first")
    expect(first).to_contain_text("Press the number of its step")
    assert [*problems_of(page), *sideways_px(page)] == []


def test_the_pane_goes_to_what_is_marked_and_names_what_is_not(
    page: Page, live_server, transactional_db, tmp_path
):
    unnamed = Segment("u", "steps", 15.0, 17.0)
    segmenting = make_segmenting(tmp_path, proposals=(*MIXED[:4], unnamed))
    open_segments(page, live_server, segmenting)
    step = page.locator("#procedure li button")
    current = page.locator(".row[aria-selected=true]")

    expect(current).to_contain_text("0:15.0")
    step.nth(3).click()
    expect(current).to_contain_text("Draw the green liquid")
    expect(step.nth(3)).to_have_attribute("aria-current", "step")
    for start in ("0:01.0", "0:07.0", "0:01.0"):
        step.nth(0).click()
        expect(current).to_contain_text(start)
    step.nth(4).click()
    expect(page.locator("#notices")).to_contain_text("Step 5 is not marked yet")
    expect_saved(page)

    assert [row[2] for row in segmenting.segments()] == ["0", "2", "1", "0", "3"]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_list_of_keys_opens_at_its_beginning(
    page: Page, live_server, transactional_db, tmp_path, width, height
):
    page.set_viewport_size({"width": width, "height": height})
    open_segments(page, live_server, make_segmenting(tmp_path))

    press(page, "?")
    dialog = page.locator("#keys-dialog")
    expect(dialog.get_by_role("heading", name="What to do first")).to_be_in_viewport(ratio=1)
    assert dialog.evaluate("dialog => dialog.scrollTop") == 0
    assert [*problems_of(page), *sideways_px(page)] == []


# How many of twelve steps stand whole in the pane, the share of the window that the video takes,
# and whether the lanes end in the window.
ROOM = """() => {
  const list = document.querySelector("#procedure ol").getBoundingClientRect();
  const rows = [...document.querySelectorAll("#procedure li")];
  const isWhole = ({ top, bottom }) => top >= list.top - 1 && bottom <= list.bottom + 1;
  return [
    rows.filter((row) => isWhole(row.getBoundingClientRect())).length,
    document.querySelector(".screen").getBoundingClientRect().height / innerHeight,
    document.querySelector("#lanes").getBoundingClientRect().bottom <= innerHeight,
  ];
}"""
TWELVE = tuple(f"Take cup number {number} off the shelf and rinse it" for number in range(1, 13))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1440, 900), (1920, 1080)])
@pytest.mark.parametrize("scheme", ["egooops", "captaincook4d"])
def test_seven_steps_are_in_sight_beside_a_video_of_two_fifths_of_the_window(
    page: Page, live_server, transactional_db, tmp_path, width, height, scheme
):
    page.set_viewport_size({"width": width, "height": height})
    open_segments(page, live_server, make_segmenting(tmp_path, steps=TWELVE, scheme=scheme))

    seen, share, lanes_end_in_it = page.evaluate(ROOM)
    assert (seen >= 7, share >= 0.4, lanes_end_in_it) == (True, True, True), (seen, share)
    assert [*problems_of(page), *sideways_px(page)] == []


def test_words_in_a_lane_end_with_a_whole_line(page: Page, live_server, transactional_db, tmp_path):
    """A line that is cut through its letters can be read by nobody."""
    long = " ".join(["Pour the boiling water over the grounds in slow circles"] * 3)
    marked = (
        Segment("a", "steps", 0.0, 2.0, "0"),
        Segment("b", "steps", 2.0, 4.0, "0", "Accident", "Spill the water"),
    )
    open_segments(page, live_server, make_segmenting(tmp_path, steps=(long,), proposals=marked))

    lines = page.locator(".lane.own .seg:visible").evaluate_all(
        """segs => segs.map((seg) => {
          const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(seg);
          const padding = parseFloat(paddingTop) + parseFloat(paddingBottom);
          return (seg.clientHeight - padding) / parseFloat(lineHeight);
        })"""
    )
    assert [round(count, 2) for count in lines] == [3, 2]


def test_on_a_phone_what_plays_the_video_stands_right_below_it(
    page: Page, live_server, transactional_db, tmp_path
):
    page.set_viewport_size({"width": 390, "height": 844})
    open_segments(page, live_server, make_segmenting(tmp_path, steps=TWELVE))

    screen = page.locator(".screen").bounding_box()
    play = page.locator("#transport [data-play]").bounding_box()
    assert 0 <= play["y"] - (screen["y"] + screen["height"]) < 20
    assert [*problems_of(page), *sideways_px(page)] == []
