"""The segment editor's lanes, pictures, words and failures, in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from segments.engine.model import Segment
from tests.e2e.audit_page import expect_saved
from tests.e2e.looks import dark_problems_of, problems_of, sideways_px
from tests.e2e.segments_page import (
    DURATION_S,
    RATE,
    make_segmenting,
    open_segments,
    playhead_s,
    press,
    wait_until_playable,
)
from tests.recordings import BIT_COUNT

pytestmark = pytest.mark.e2e

TOUCHING = (
    Segment("a", "steps", 1.0, 4.0, "0"),
    Segment("b", "steps", 4.0, 8.0, "1"),
    Segment("c", "steps", 8.0, 10.0, "2"),
)
# Reads the number that the picture of an edge shows.
NUMBER_OF = """([which, bitCount]) => {
  const canvas = document.querySelector(`[data-still=${which}] canvas`);
  const context = canvas.getContext("2d");
  let number = 0;
  for (let bit = 0; bit < bitCount; bit += 1) {
    const x = Math.round((canvas.width * (bit + 0.5)) / bitCount);
    const [red] = context.getImageData(x, Math.round(canvas.height / 2), 1, 1).data;
    if (red > 125) number += 2 ** bit;
  }
  return number;
}"""


@pytest.fixture
def segmenting(transactional_db, tmp_path):
    return make_segmenting(tmp_path, proposals=TOUCHING)


class Hand:
    """A mouse over the lane of steps, which goes by seconds."""

    def __init__(self, page: Page, duration_s: float = DURATION_S):
        self.page, self.duration_s = page, duration_s
        self.box = page.locator(".lane.own").first.bounding_box()

    def x_of(self, time_s: float) -> float:
        return self.box["x"] + self.box["width"] * time_s / self.duration_s

    def move(self, time_s: float, by_px: float = 0) -> None:
        y = self.box["y"] + self.box["height"] / 2
        self.page.mouse.move(self.x_of(time_s) + by_px, y)

    def take(self, time_s: float) -> None:
        self.move(time_s)
        self.page.mouse.down()

    def drag(self, from_s: float, to_s: float) -> None:
        self.take(from_s)
        self.move((from_s + to_s) / 2)
        self.move(to_s)


def spans(segmenting) -> list[tuple]:
    return [row[:2] for row in segmenting.segments()]


def test_a_shared_edge_takes_its_neighbour_along_and_no_third(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    hand = Hand(page)

    hand.drag(4.0, 5.2)
    expect(page.locator("[data-tip]")).to_have_text("0:05.200 · +1.2 s · shared")
    assert playhead_s(page) == 5.2
    page.mouse.up()
    expect_saved(page)
    moved = spans(segmenting)
    hand.drag(5.2, 12.0)
    page.mouse.up()
    expect_saved(page)
    pushed = spans(segmenting)
    press(page, "Control+z", "Control+z")
    expect_saved(page)

    assert moved == [(1.0, 5.2), (5.2, 8.0), (8.0, 10.0)]
    assert pushed == [(1.0, 7.96), (7.96, 8.0), (8.0, 10.0)]
    assert spans(segmenting) == [(1.0, 4.0), (4.0, 8.0), (8.0, 10.0)]
    heads = segmenting.own.events.exclude(client_id="site").values_list("head", "name", "key")
    assert sorted(heads) == [
        (2, "move end", "a"), (2, "move end", "b"),
        (3, "move end", "a"), (3, "move end", "b"),
        (4, "undo of move end", "a"), (4, "undo of move end", "b"),
        (5, "undo of move end", "a"), (5, "undo of move end", "b"),
    ]  # fmt: skip


def test_escape_leaves_an_edge_where_it_was(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    hand = Hand(page)

    hand.drag(10.0, 13.0)
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(page.locator("[data-tip]")).to_be_hidden()
    expect_saved(page)

    assert spans(segmenting) == [(1.0, 4.0), (4.0, 8.0), (8.0, 10.0)]


def test_an_edge_snaps_to_the_playhead_unless_alt_or_t_says_no(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    hand = Hand(page)
    tip = page.locator("[data-tip]")
    press(page, "Home", *["Shift+ArrowRight"] * 13)

    hand.take(10.0)
    hand.move(11.0)
    hand.move(13.0, by_px=-7)
    expect(tip).to_contain_text("0:13.000 · snaps to the playhead")
    page.keyboard.down("Alt")
    hand.move(13.0, by_px=-6)
    expect(tip).not_to_contain_text("snaps")
    page.keyboard.up("Alt")
    hand.move(13.0, by_px=-10)
    expect(tip).not_to_contain_text("snaps")
    page.keyboard.press("Escape")
    page.mouse.up()
    press(page, "t")
    hand.take(10.0)
    hand.move(13.0, by_px=-3)
    expect(tip).not_to_contain_text("snaps")
    page.keyboard.press("Escape")
    page.mouse.up()


def test_edges_stand_on_frames_with_alt_and_without_snapping(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    hand = Hand(page)

    hand.take(10.0)
    page.keyboard.down("Alt")
    hand.move(11.0)
    hand.move(13.0, by_px=-6.5)
    page.mouse.up()
    page.keyboard.up("Alt")
    press(page, "Escape", "t")
    hand.take(15.0137)
    hand.move(16.0)
    hand.move(17.0171)
    page.mouse.up()
    expect_saved(page)

    edges = [time_s for span in spans(segmenting) for time_s in span]
    assert len(edges) == 8
    assert edges[5] != 10.0
    assert [edge for edge in edges if abs(edge * RATE - round(edge * RATE)) > 1e-3] == []


def test_steps_that_are_left_out_stand_in_the_order_of_the_procedure(
    page: Page, live_server, transactional_db, tmp_path
):
    keys = {"4": "a", "3": "y", "1": "b", "2": "x", "0": "c"}
    left_out = [Segment(key, "steps", None, None, step_id) for step_id, key in keys.items()]
    segmenting = make_segmenting(tmp_path, proposals=tuple(left_out))

    open_segments(page, live_server, segmenting)

    assert page.locator("#rows [role=option] .no").all_inner_texts() == ["1", "2", "3", "4", "5"]


def test_the_pictures_show_the_last_frame_before_an_edge_and_the_first_after(
    page: Page, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)

    press(page, "n", "n", "b")
    for name, frame in (("last", 99), ("first", 100)):
        expect(page.locator(f"[data-still={name}]")).to_have_attribute("data-drawn", str(frame))
        assert page.evaluate(NUMBER_OF, [name, BIT_COUNT]) == frame
    expect(page.locator("[data-still=last]")).to_contain_text("Last frame of step 1")
    expect(page.locator("[data-still=first]")).to_contain_text("First frame of step 2")
    press(page, ".", ".")
    expect(page.locator("[data-still=first]")).to_have_attribute("data-drawn", "102")
    assert page.evaluate(NUMBER_OF, ["last", BIT_COUNT]) == 101
    press(page, "Escape")
    expect_saved(page)

    assert spans(segmenting)[:2] == [(1.0, 102 / RATE), (102 / RATE, 8.0)]


def test_a_held_edge_is_said_with_what_it_touches(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)

    press(page, "n", "n", "b")
    start = page.locator(".handle[data-edge=start]")
    expect(start).to_be_focused()
    expect(start).to_have_attribute("aria-valuetext", "start of step 2, 0:04.0, touches step 1")
    press(page, "ArrowRight")
    expect(start).to_have_attribute("aria-valuetext", re.compile("0:04.1, touches step 1"))
    press(page, "b")
    expect(page.locator(".handle[data-edge=end]")).to_be_focused()
    press(page, "Escape")
    expect(page.locator("#segment-news")).to_contain_text("step 2, Add a spoon")


def test_axe_finds_nothing_and_the_page_never_scrolls_sideways(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    problems = [*problems_of(page), *dark_problems_of(page), *sideways_px(page)]
    press(page, "n", "Enter")
    problems += [*problems_of(page), *sideways_px(page)]
    press(page, "Escape", "e", "1")
    problems += [*problems_of(page), *dark_problems_of(page)]
    press(page, "Escape", "h")
    expect(page.locator("#history li")).not_to_have_count(0)
    problems += problems_of(page)
    press(page, "Escape", "?")
    problems += problems_of(page)

    assert problems == []


def test_an_earlier_revision_is_looked_at_and_brought_back(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    press(page, "n", "Delete", "n", "x")
    rows = page.locator(".sheet .row:not(.gap)")
    expect(rows).to_have_count(2)

    press(page, "h")
    page.locator("#history li button").filter(has_text="begin").click()
    expect(rows).to_have_count(3)
    expect(page.locator("#notices")).to_contain_text("You look at revision 1")
    page.get_by_role("button", name="Restore this one").click()
    expect_saved(page)

    assert spans(segmenting) == [(1.0, 4.0), (4.0, 8.0), (8.0, 10.0)]
    assert segmenting.own.events.latest("head").name == "restore revision 1"


def until_held(page: Page, held: list, count: int) -> None:
    while len(held) < count:
        page.wait_for_timeout(20)


def test_an_earlier_revision_that_comes_late_is_shown_to_nobody_who_went_on(
    page: Page, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    press(page, "n", "Delete")
    expect_saved(page)
    rows = page.locator(".sheet .row:not(.gap)")
    held = []
    page.route(re.compile(r"/history/\d+/$"), lambda route: held.append(route))

    def answer(place: int) -> None:
        with page.expect_event("requestfinished"):
            held[place].continue_()
        expect_saved(page)

    press(page, "h")
    past = page.locator("#history li button")
    past.filter(has_text="begin").click()
    until_held(page, held, 1)
    past.first.click()
    until_held(page, held, 2)
    answer(1)
    expect(page.locator("#notices")).to_contain_text("You look at revision 2")
    answer(0)
    expect(page.locator("#notices")).to_contain_text("You look at revision 2")
    expect(past.first).to_have_attribute("aria-pressed", "true")
    past.filter(has_text="begin").click()
    until_held(page, held, 3)
    press(page, "Escape")
    answer(2)

    expect(page.locator("#notices")).not_to_contain_text("You look at")
    expect(rows).to_have_count(2)


def test_earlier_revisions_that_come_late_take_no_keys_and_stand_there_once(
    page: Page, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    press(page, "n", "Delete")
    expect_saved(page)
    held = []
    page.route("**/history/", lambda route: held.append(route))

    press(page, "h")
    until_held(page, held, 1)
    press(page, "h", "h")
    until_held(page, held, 2)
    press(page, "n", "f")
    page.keyboard.type("too ")
    for route in held:
        with page.expect_event("requestfinished"):
            route.continue_()
    expect(page.locator("#history li")).to_have_count(2)
    page.keyboard.type("dark")

    expect(page.get_by_label("Note", exact=True)).to_have_value("too dark")


def test_joining_two_that_differ_asks_whose_words_stay(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)

    press(page, "n", "u")
    dialog = page.get_by_role("dialog", name="Whose words stay?")
    dialog.get_by_role("button", name="step 2").click()
    expect_saved(page)

    assert segmenting.segments()[0][:3] == (1.0, 8.0, "1")


def test_later_segments_move_together_and_say_how_many(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)

    press(page, "n", "n", "r")
    dialog = page.get_by_role("dialog", name="Move all later segments")
    expect(dialog).to_contain_text("2 segments begin at 0:04.0 or later")
    page.get_by_label("By how many seconds?").fill("a bit")
    dialog.get_by_role("button", name="Move them").click()
    expect(dialog).to_contain_text("is no number of seconds")
    page.get_by_label("By how many seconds?").fill("1,5")
    dialog.get_by_role("button", name="Move them").click()
    expect_saved(page)

    # By 38 frames, so that the edges stay on frames.
    assert spans(segmenting) == [(1.0, 4.0), (5.52, 9.52), (9.52, 11.52)]
    assert segmenting.own.events.latest("head").name == "move 2 later segments by +1.52 s"


def test_without_a_video_segments_are_made_by_their_times(
    page: Page, live_server, transactional_db, tmp_path
):
    segmenting = make_segmenting(tmp_path, has_video=False, proposals=TOUCHING)
    open_segments(page, live_server, segmenting)
    expect(page.locator("#player")).to_contain_text("This recording has no video")
    expect(page.locator("[data-play]")).to_be_disabled()

    press(page, "n", "n", "b", "ArrowRight", "Escape")
    expect_saved(page)

    assert spans(segmenting)[:2] == [(1.0, 4.1), (4.1, 8.0)]


def test_where_frames_are_not_known_edges_move_by_tenths_and_it_is_said(
    page: Page, live_server, transactional_db, tmp_path
):
    segmenting = make_segmenting(tmp_path, is_ingested=False, proposals=TOUCHING)
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    expect(page.locator("#rate-words")).to_contain_text("not known yet")

    press(page, "n", "n", "b", ".", "Escape")
    expect_saved(page)

    assert spans(segmenting)[:2] == [(1.0, 4.1), (4.1, 8.0)]
    expect(page.locator("#clock")).to_have_text("0:04.1")


def test_a_thousand_segments_are_drawn_as_few_and_all_are_in_the_list(
    page: Page, live_server, transactional_db, tmp_path
):
    many = [
        Segment(f"k{place:04}", "steps", place * 0.0192, (place + 1) * 0.0192, "0")
        for place in range(1000)
    ]
    beyond = Segment("late", "steps", 19.2, 24.0, "1")
    segmenting = make_segmenting(tmp_path, proposals=(*many, beyond))
    open_segments(page, live_server, segmenting)

    assert page.locator(".seg:visible").count() < 20
    assert page.locator(".sheet .row").count() < 60
    expect(page.locator(".sheet .row").first).to_have_attribute("aria-setsize", "1001")
    # A click takes what is nearest, and the list goes there.
    hand = Hand(page, duration_s=24.0)
    hand.take(9.6)
    page.mouse.up()
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("0:09.6")
    press(page, "z")
    expect(page.locator(".seg.selected")).to_be_visible()
    late = page.locator(".sheet .row", has_text="goes beyond the end of the video")
    page.locator("#rows").evaluate("rows => rows.scrollTo(0, rows.scrollHeight)")
    expect(late).to_be_visible()


def test_the_typeahead_knows_accents_word_order_and_right_to_left_texts(
    page: Page, live_server, transactional_db, tmp_path
):
    steps = [f"Turn screw number {place} by hand" for place in range(500)]
    steps[250] = "Pour the crème into the café cup"
    steps[251] = "اسكب الماء في الكوب الثاني"
    steps[252] = "a very long instruction " * 12
    segmenting = make_segmenting(
        tmp_path, steps=steps, proposals=(Segment("a", "steps", 1.0, 4.0),)
    )
    open_segments(page, live_server, segmenting)
    options = page.locator("#picker-options [role=option]")

    press(page, "Enter")
    page.keyboard.type("cup creme")
    expect(options).to_have_count(1)
    expect(options).to_contain_text("251 Pour the crème into the café cup")
    page.locator("#picker-input").fill("الماء")
    expect(options).to_have_count(1)
    assert options.locator(".words").evaluate("words => getComputedStyle(words).direction") == "rtl"
    page.locator("#picker-input").fill("499")
    expect(options.first).to_contain_text("499 Turn screw number 498")
    press(page, "Enter")
    expect_saved(page)
    problems = sideways_px(page)

    assert segmenting.segments()[0][2] == "498"
    assert problems == []


def test_an_edge_and_a_segment_are_played_again_and_again(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    # Until it begins again: where it was, and how far it may have come between two looks.
    one_round = """() => new Promise((done) => {
      const video = document.querySelector("#player video");
      const times = [video.currentTime];
      let [lookedAt, unseenS] = [performance.now(), 0];
      const look = () => {
        const last = times.at(-1);
        times.push(video.currentTime);
        unseenS = Math.max(unseenS, (performance.now() - lookedAt) / 1000);
        lookedAt = performance.now();
        if (times.at(-1) > last - 1) requestAnimationFrame(look);
        else done([Math.min(...times), Math.max(...times), unseenS]);
      };
      requestAnimationFrame(look);
    })"""

    press(page, "n", "n", "b", "v")
    low_s, high_s, unseen_s = page.evaluate(one_round)
    expect(page.locator("[data-edge-loop]")).to_have_attribute("aria-pressed", "true")
    press(page, "v", "k", "p", "PageDown")

    assert low_s >= 2.9
    assert 4.9 - unseen_s <= high_s <= 5.1 + unseen_s
    expect(page.locator("[data-edge-loop]")).to_have_attribute("aria-pressed", "false")
    assert playhead_s(page) == 4.0
    press(page, "PageDown")
    assert playhead_s(page) == 8.0
    press(page, "Home")
    assert playhead_s(page) == 0.0


def test_edges_and_sounds_inside_a_frame_are_gone_to_one_after_the_other(
    page: Page, live_server, transactional_db, tmp_path
):
    edges = (1.01, 2.03, 2.05, 4.5)
    proposals = (
        Segment("a", "steps", *edges[:2], "0", is_proposal=True),
        Segment("b", "steps", *edges[2:], "1", is_proposal=True),
    )
    open_segments(page, live_server, make_segmenting(tmp_path, proposals=proposals))
    wait_until_playable(page)
    press(page, "Home")

    forth = []
    for _ in edges:
        press(page, "PageDown")
        forth.append(playhead_s(page))
    press(page, "PageUp")

    # At 25 frames a second, each by the frame in which it lies.
    assert forth == [1.0, 2.0, 2.04, 4.48]
    assert playhead_s(page) == 2.04


def test_a_message_moves_nothing(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    video = page.locator("video").first
    before = video.bounding_box()

    press(page, "s")

    expect(page.locator("#notices")).to_contain_text("left")
    assert video.bounding_box() == before
