"""What a film editor has: typed edges, speeds, skips, several at once, a filter."""

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
from tests.e2e.test_segments_page import TOUCHING, Hand, spans

pytestmark = pytest.mark.e2e

APART = tuple(
    Segment(key, "steps", at, at + 2.0, step)
    for key, at, step in (("a", 1.0, "0"), ("b", 4.0, "1"), ("c", 7.0, "0"), ("d", 10.0, ""))
)
SIZES = [(1280, 800), (390, 844)]


@pytest.fixture
def segmenting(transactional_db, tmp_path):
    return make_segmenting(tmp_path, proposals=TOUCHING)


@pytest.fixture
def apart(transactional_db, tmp_path):
    return make_segmenting(tmp_path, proposals=APART)


def field(page: Page, edge: str, kind: str = "time"):
    return page.locator(f"#edge-fields [data-edge={edge}][data-kind={kind}]")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_edges_are_typed_as_times_and_as_frames(page: Page, live_server, segmenting, width, height):
    page.set_viewport_size({"width": width, "height": height})
    open_segments(page, live_server, segmenting)

    press(page, "n", "n")
    expect(field(page, "start")).to_have_value("0:04.000")
    expect(field(page, "end", "frame")).to_have_value("200")
    press(page, "Shift+B")
    expect(field(page, "start")).to_be_focused()
    page.keyboard.type("0:05,1")
    press(page, "Enter")
    # On the nearest frame, with the neighbour that touches it.
    expect(field(page, "start", "frame")).to_have_value("127")
    field(page, "end", "frame").fill("180")
    press(page, "Enter", ".")
    expect_saved(page)

    assert spans(segmenting) == [(1.0, 127 / RATE), (127 / RATE, 7.2), (7.2, 10.0)]
    assert [*problems_of(page), *sideways_px(page)] == []


def test_a_wrong_time_or_frame_is_refused_with_what_was_expected(
    page: Page, live_server, segmenting
):
    open_segments(page, live_server, segmenting)
    problem = page.locator("#edge-fields [data-problem]")
    press(page, "n", "n")

    for edge, kind, typed, words in (
        ("start", "time", "soon", "“soon” is no time here; expected minutes and seconds"),
        ("start", "time", "0:99", "from 0:00.000 to 0:20.000"),
        ("end", "frame", "7.5", "“7.5” is no frame of this recording; expected a whole number"),
        ("end", "time", "12", "leaves no room for the segments beside; expected 0:04.040 to"),
    ):
        field(page, edge, kind).fill(typed)
        press(page, "Enter")
        expect(problem).to_contain_text(words)
        expect(field(page, edge, kind)).to_have_attribute("aria-invalid", "true")
        # What was typed stays to be mended, until Escape gives it up.
        expect(field(page, edge, kind)).to_have_value(typed)
        assert [*problems_of(page), *dark_problems_of(page)] == []
        field(page, edge, kind).focus()
        press(page, "Escape")
        expect(problem).to_be_hidden()
    expect_saved(page)

    assert spans(segmenting) == [(1.0, 4.0), (4.0, 8.0), (8.0, 10.0)]


def test_shift_puts_an_edge_between_frames_and_alt_on_one(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    hand = Hand(page)

    hand.take(10.0)
    page.keyboard.down("Shift")
    hand.move(12.0)
    hand.move(13.0137)
    expect(field(page, "end")).not_to_have_value("0:10.000")
    page.mouse.up()
    page.keyboard.up("Shift")
    press(page, "Escape")
    field(page, "start").fill("8.0123")
    press(page, "Shift+Enter")
    expect_saved(page)

    (_, _, (start_s, end_s)) = spans(segmenting)
    assert start_s == 8.0123
    assert abs(end_s * RATE - round(end_s * RATE)) > 1e-3


def test_skips_and_speeds_are_ones_own_and_stay(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    skip = page.locator("[data-skip]")

    skip.fill("2,4")
    press(page, "Enter", "Home", "Shift+J", "Shift+J", "j")
    assert playhead_s(page) == 2.4
    skip.fill("far")
    press(page, "Enter")
    assert skip.evaluate("skip => skip.validationMessage") == (
        "“far” is no skip; expected seconds from 0.1 to 600, such as 2.5."
    )
    page.locator("[data-speed]").select_option("0.1")
    press(page, "Escape")
    page.locator("h1").click(force=True)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    expect(skip).to_have_value("2.4")
    expect(page.locator("[data-speed]")).to_have_value("0.1")
    press(page, *[">"] * 8)
    expect(page.locator("[data-speed]")).to_have_value("4")
    assert page.locator("#player video").evaluate("video => video.playbackRate") == 4


def test_playing_stays_in_the_segment(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    page.locator("[data-speed]").select_option("4")

    press(page, "n", "Shift+O")
    expect(page.locator("[data-stay]")).to_have_attribute("aria-pressed", "true")
    for _ in range(2):
        press(page, "Space")
        page.wait_for_function("() => !document.querySelector('#player video').paused")
        page.wait_for_function("() => document.querySelector('#player video').paused")
        assert playhead_s(page) == 4.0 - 1 / RATE


def test_several_are_relabelled_moved_and_deleted_at_once(page: Page, live_server, apart):
    open_segments(page, live_server, apart)
    rows = page.locator(".sheet .row:not(.gap)")

    press(page, "n")
    rows.nth(0).click()
    rows.nth(2).click(modifiers=["Shift"])
    expect(page.locator(".row[aria-selected=true]")).to_have_count(3)
    expect(page.locator(".seg.chosen")).to_have_count(3)
    assert [*problems_of(page), *dark_problems_of(page)] == []
    press(page, "4")
    expect_saved(page)
    assert [row[2] for row in apart.segments()] == ["3", "3", "3", ""]
    press(page, "r")
    dialog = page.get_by_role("dialog", name="Move the chosen segments")
    expect(dialog).to_contain_text("3 segments are chosen")
    page.get_by_label("By how many seconds?").fill("2")
    dialog.get_by_role("button", name="Move them").click()
    expect(page.locator("#notices")).to_contain_text("No room")
    press(page, "r")
    page.get_by_label("By how many seconds?").fill("-0.4")
    dialog.get_by_role("button", name="Move them").click()
    expect_saved(page)
    assert spans(apart) == [(0.6, 2.6), (3.6, 5.6), (6.6, 8.6), (10.0, 12.0)]
    press(page, "Shift+P", "Delete")
    expect_saved(page)
    assert spans(apart) == [(6.6, 8.6), (10.0, 12.0)]
    # The key stays down.
    for key in ("Control", "z", "z", "z"):
        page.keyboard.down(key)
    page.keyboard.up("z")
    page.keyboard.up("Control")
    expect_saved(page)

    assert spans(apart) == [row[:2] for row in [(s.start_s, s.end_s) for s in APART]]
    assert [row[2] for row in apart.segments()] == ["0", "1", "0", ""]
    names = apart.own.events.exclude(client_id="site").values_list("head", "name")
    assert [name for _, name in sorted(set(names))][:3] == [
        "label 3 segments",
        "move 3 segments by -0.4 s",
        "delete 2 segments",
    ]


def test_a_press_on_a_row_that_is_made_anew_meanwhile_counts(page: Page, live_server, apart):
    open_segments(page, live_server, apart)
    rows = page.locator(".sheet .row:not(.gap)")

    rows.nth(0).click()
    press(page, "f")
    page.keyboard.type("The lid is off")
    rows.nth(2).click(delay=300)
    expect_saved(page)
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("0:07.0")
    press(page, "f")
    page.keyboard.type("The cup is full")
    page.locator(".seg").nth(1).click(delay=300)
    expect_saved(page)
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("0:04.0")
    rows.nth(0).hover()
    page.mouse.down()
    page.evaluate("document.querySelector('#rows').style.marginTop = '90px'")
    page.mouse.up()
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("0:01.0")
    rows.nth(0).hover()
    page.mouse.down()
    rows.nth(2).hover()
    page.mouse.up()
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("0:01.0")


def test_the_list_is_kept_to_one_label(page: Page, live_server, apart):
    open_segments(page, live_server, apart)
    rows = page.locator(".sheet .row")
    page.locator(".row", has_text="0:01.0").click()

    press(page, "/")
    expect(rows).to_have_count(2)
    expect(page.locator("#filter")).to_have_value("step:0")
    press(page, "n")
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("0:07.0")
    expect(page.locator(".seg.dim")).to_have_count(2)
    assert [*problems_of(page), *sideways_px(page)] == []
    press(page, "Control+a", "2")
    expect_saved(page)
    page.locator("#filter").select_option("Without a label")
    expect(rows).to_have_count(1)
    page.locator("#filter").select_option("All labels")
    expect(page.locator(".sheet .row:not(.gap)")).to_have_count(4)

    assert [row[2] for row in apart.segments()] == ["1", "1", "1", ""]


def test_what_begins_gets_its_label_while_it_plays(
    page: Page, live_server, transactional_db, tmp_path
):
    segmenting = make_segmenting(tmp_path)
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)

    press(page, "Home", "Space", "a", "3")
    expect(page.locator(".opening")).to_contain_text("3 Drop yellow paint")
    page.wait_for_function("() => document.querySelector('#player video').currentTime > 0.6")
    press(page, "a", "w")
    expect(page.locator(".opening")).to_contain_text("4 Draw the green liquid")
    page.wait_for_function("() => document.querySelector('#player video').currentTime > 1.2")
    press(page, "Shift+A", "k")
    expect_saved(page)

    assert [row[2] for row in segmenting.segments()] == ["2", "3"]
    assert len(segmenting.own.events.exclude(client_id="site")) == 2


@pytest.mark.parametrize("from_edge_px", [-9, -4, 4, 9])
@pytest.mark.parametrize("at_s", [1.0, 10.0])
def test_a_press_near_an_edge_does_what_the_cursor_shows(
    page: Page, live_server, segmenting, at_s, from_edge_px
):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    hand = Hand(page)

    hand.move(at_s, by_px=from_edge_px)
    y = hand.box["y"] + hand.box["height"] / 2
    x = hand.x_of(at_s) + from_edge_px
    cursor = page.evaluate(
        "([x, y]) => getComputedStyle(document.elementFromPoint(x, y)).cursor", [x, y]
    )
    outwards = -1 if at_s == 1.0 else 1
    page.mouse.down()
    page.mouse.move(x + outwards * 20, y)
    page.mouse.move(x + outwards * 40, y)
    page.mouse.up()
    expect_saved(page)

    isnt_drawn = len(segmenting.segments()) == 3
    before = [(1.0, 4.0), (4.0, 8.0), (8.0, 10.0)]
    done = "draw" if not isnt_drawn else "drag" if spans(segmenting) != before else "choose"
    assert {"draw": "crosshair", "drag": "ew-resize", "choose": "pointer"}[done] == cursor
    is_outside = from_edge_px * outwards > 0
    assert done == ("drag" if abs(from_edge_px) < 6 else "draw" if is_outside else "choose")
    assert hand.box["width"] / DURATION_S > 20


def test_the_toolbar_is_one_row_and_every_icon_says_its_name_and_key(
    page: Page, live_server, segmenting
):
    page.set_viewport_size({"width": 1280, "height": 800})
    open_segments(page, live_server, segmenting)
    press(page, "n", "n", "b")

    tools = page.locator("#tools button:visible")
    tops = tools.evaluate_all("tools => tools.map((tool) => tool.getBoundingClientRect().top)")
    told = tools.evaluate_all("tools => tools.map(({ ariaLabel, title }) => [ariaLabel, title])")
    assert len(tops) > 20
    assert max(tops) - min(tops) < 4
    assert [names for names in told if not names[1] or not (names[0] or names[1])] == []
    assert (
        page.locator("[data-command=split]").get_attribute("title") == "Split at the playhead (X)"
    )
    lanes = page.locator(".lane.own").evaluate_all(
        "lanes => lanes.map((lane) => lane.offsetHeight)"
    )
    assert all(56 <= height <= 72 for height in lanes)
    assert [*problems_of(page), *dark_problems_of(page), *sideways_px(page)] == []


def test_steps_have_colours_that_their_numbers_tell_too(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)

    segments = page.locator(".lane.own .seg:visible")
    # Lanes are drawn with the frame after the page is ready.
    expect(segments).to_have_count(3)
    shown = segments.evaluate_all(
        "segs => segs.map((seg) => [getComputedStyle(seg).backgroundColor, seg.textContent])"
    )

    assert len({colour for colour, _ in shown}) == 3
    assert [text.split()[0] for _, text in shown] == ["1", "2", "3"]


def test_times_in_the_list_move_while_an_edge_is_dragged(page: Page, live_server, segmenting):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    hand = Hand(page)
    times = page.locator(".sheet .row .t")

    hand.drag(4.0, 5.2)
    expect(times.nth(0)).to_have_text("0:01.0–0:05.2")
    expect(times.nth(1)).to_have_text("0:05.2–0:08.0")
    expect(field(page, "end")).to_have_value("0:05.200")
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(times.nth(0)).to_have_text("0:01.0–0:04.0")
    expect(field(page, "end")).to_have_value("0:04.000")


def test_the_chosen_row_stays_in_sight_when_a_box_opens_below(
    page: Page, live_server, transactional_db, tmp_path
):
    many = [Segment(f"k{at:02}", "steps", at * 0.4, at * 0.4 + 0.4, "0") for at in range(40)]
    open_segments(page, live_server, make_segmenting(tmp_path, proposals=tuple(many)))

    press(page, *["n"] * 30)
    row = page.locator(".row[aria-selected=true]")
    expect(row).to_be_in_viewport(ratio=0.95)
    press(page, "f")
    page.keyboard.type("look")
    expect(row).to_be_in_viewport(ratio=0.95)
    press(page, "Enter", "x")
    expect(row).to_be_in_viewport(ratio=0.95)


def test_a_phone_says_what_it_is_good_at_and_is(page: Page, live_server, apart):
    page.set_viewport_size({"width": 390, "height": 844})
    open_segments(page, live_server, apart)

    expect(page.get_by_text("Edges want a larger screen")).to_be_visible()
    expect(page.locator("[data-command=split]")).to_be_hidden()
    page.locator(".row:not(.gap)", has_text="0:10.0").click()
    page.get_by_role("option", name="Draw the green").click()
    expect_saved(page)
    list_top, time_top = (page.locator(name).bounding_box()["y"] for name in (".list", ".time"))

    assert [row[2] for row in apart.segments()] == ["0", "1", "0", "3"]
    assert list_top < time_top
    assert [*problems_of(page), *sideways_px(page)] == []
