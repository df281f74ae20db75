"""A recording labelled from nothing: by keys alone, then by mouse alone, to the same file."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.audit_page import expect_saved
from tests.e2e.segments_page import (
    DURATION_S,
    STEPS,
    exported,
    make_segmenting,
    open_segments,
    playhead_s,
    press,
    wait_until_playable,
)

pytestmark = pytest.mark.e2e


def item(start_s, end_s, instruction, labels=(), caption=""):
    return {
        "startTime": start_s,
        "endTime": end_s,
        "instruction": instruction,
        "labels": list(labels),
        "caption": caption,
    }


EXPECTED = {
    "videos": [
        {
            "task_id": "Mixing colours",
            "video_id": "recording",
            "segments": [
                item(1.0, 4.0, 0),
                item(4.0, 7.0, 1, [0], "use blue paint but should use yellow paint"),
                item(8.0, 10.0, -1, caption="wipe the table"),
                item(10.0, 15.0, 2),
            ],
        }
    ],
    "instructions": {"Mixing colours": list(STEPS)},
}


@pytest.fixture
def segmenting(transactional_db, tmp_path):
    return make_segmenting(tmp_path)


@pytest.fixture
def problems(page: Page) -> list[str]:
    """Collect what the browser complains of."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda line: found.append(line.text) if line.type == "error" else None)
    return found


def test_by_keys_alone(page: Page, live_server, segmenting, problems):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    second = "Shift+ArrowRight"

    first = page.locator(".empty-list li", has_text="press A where something")
    expect(first).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("Choose a segment")).to_have_count(2)
    press(page, second, "a", *[second] * 3, "a", "1")
    press(page, *[second] * 3, "Shift+A", "2", "e", "1")
    page.keyboard.type("blue paint")
    press(page, "Tab")
    page.keyboard.type("yellow paint")
    press(page, "Enter", second, "a", *[second] * 2, "a", "0", "F2")
    page.keyboard.type("wipe the table")
    press(page, "Enter", *[second] * 5, "Shift+A", "w", "g", "4", "g", "Enter")
    expect(page.locator("#left")).to_have_text("nothing left")
    expect(first).to_be_hidden()
    press(page, "s")
    expect(page.locator("#notices")).to_contain_text("Submitted")
    expect_saved(page)

    segmenting.own.refresh_from_db()
    assert exported(segmenting) == EXPECTED
    assert segmenting.own.status == "submitted"
    assert problems == []


def test_by_mouse_alone(page: Page, live_server, segmenting, problems):
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)
    lane = page.locator(".lane.own").bounding_box()

    def drag(from_s: float, to_s: float) -> None:
        y = lane["y"] + lane["height"] / 2
        page.mouse.move(lane["x"] + lane["width"] * from_s / DURATION_S, y)
        page.mouse.down()
        page.mouse.move(lane["x"] + lane["width"] * (from_s + to_s) / 2 / DURATION_S, y)
        page.mouse.move(lane["x"] + lane["width"] * to_s / DURATION_S, y)
        page.mouse.up()

    def choose(words: str) -> None:
        page.get_by_role("option", name=words).click()

    drag(1.0, 3.0)
    choose("Pour about 15 mL")
    # Its end is dragged on, and snaps to nothing but a frame.
    drag(3.0, 4.0)
    drag(7.0, 4.0)
    choose("Add a spoon")
    page.get_by_role("button", name="Mistake").click()
    choose("working with wrong objects")
    page.get_by_label("wrong", exact=True).fill("blue paint")
    page.get_by_label("correct", exact=True).fill("yellow paint")
    page.get_by_role("button", name="Keep").click()
    drag(8.0, 10.0)
    choose("Undefined")
    page.get_by_role("button", name="Text").click()
    page.get_by_label("Description").fill("wipe the table")
    page.get_by_role("button", name="Keep").click()
    drag(15.0, 10.0)
    choose("Drop yellow paint")
    for step in ("Draw the green", "Hold the blacklight"):
        page.locator("[data-command=missing]").click()
        choose(step)
    expect(page.locator("#left")).to_have_text("nothing left")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#notices")).to_contain_text("Submitted")
    expect_saved(page)

    assert exported(segmenting) == EXPECTED
    assert problems == []


# Ends the segment after a second, and returns where the recording was at that moment. The page has
# had no time to draw for longer than a frame lasts, as on a busy machine.
END_WHILE_BUSY = """(atS) => new Promise((done) => {
  const video = document.querySelector("#player video");
  const end = () => {
    const busySince = performance.now();
    while (performance.now() < busySince + 100);
    const timeS = video.currentTime;
    if (timeS <= atS) {
      setTimeout(end);
      return;
    }
    const key = { key: "A", shiftKey: true, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent("keydown", key));
    done(timeS);
  };
  setTimeout(end);
})"""


def test_marking_while_it_plays_takes_the_reaction_time_off(page: Page, live_server, segmenting):
    page.add_init_script("localStorage.setItem('piev:reaction', '0.4')")
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)

    press(page, "Shift+ArrowRight", "a", "Space")
    pressed_s = page.evaluate(END_WHILE_BUSY, 2.2)
    press(page, "k")
    expect_saved(page)
    expect(page.locator(".row")).to_have_count(1)

    event = segmenting.own.events.get()
    [(start_s, end_s, *_)] = segmenting.segments()
    late_s = event.raw_time_s - end_s
    assert start_s == 1.0
    assert 2.2 < event.raw_time_s < DURATION_S
    assert event.raw_time_s == pytest.approx(pressed_s, abs=1e-6)
    assert 0.4 <= late_s < 0.4 + 0.041
    assert round(end_s * 25, 4) == round(end_s * 25)
    assert playhead_s(page) > end_s


def test_words_that_fit_no_step_label_nothing(page: Page, live_server, segmenting, problems):
    """A slip of the finger and Enter must not call a step undefined."""
    open_segments(page, live_server, segmenting)

    press(page, "a", "Shift+ArrowRight", "Shift+A", "Enter")
    page.keyboard.type("xyz")
    expect(page.get_by_role("option", name="Undefined")).to_have_attribute("aria-selected", "false")
    press(page, "Enter")
    page.get_by_label("Step", exact=True).fill("undef")
    press(page, "Enter")
    expect_saved(page)

    assert [row[2] for row in segmenting.segments()] == ["-1"]
    steps = [event.after["step_id"] for event in segmenting.own.events.order_by("head")]
    assert steps == ["", "-1"]
    assert problems == []


def test_enter_that_ends_a_composed_word_keeps_the_box_open(
    page: Page, live_server, segmenting, problems
):
    composing = """(field) => field.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }))"""
    open_segments(page, live_server, segmenting)
    press(page, "Home", "a", "Shift+ArrowRight", "Shift+A", "Enter")

    page.locator("#picker input").evaluate(composing)
    expect(page.locator("#picker")).to_be_visible()
    press(page, "Enter", "F2")
    field = page.get_by_label("Description")
    field.fill("水を注ぐ")
    field.evaluate(composing)
    expect(field).to_be_visible()
    press(page, "Enter")
    expect(field).to_be_hidden()
    expect_saved(page)

    assert segmenting.segments() == [(0.0, 1.0, "0", "", "水を注ぐ")]
    assert problems == []
