"""Two recordings follow the rows, the keys and each other."""

import statistics

import pytest
from playwright.sync_api import Page, expect

from annotation import byte_ranges
from tests.e2e.audit_page import open_audit, play_until, times_of, wait_until_playable
from tests.e2e.conftest import FRAME_RATE

pytestmark = pytest.mark.e2e

# In step 3, the trace is this much later than the reference: a correction lies before it.
STEP_OFFSET_S = 2.0


def test_both_players_follow_rows_and_keys(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    wait_until_playable(page)

    page.locator("tr[data-row='3']").click()
    at_row = times_of(page)
    page.keyboard.press(".")
    one_frame_on = times_of(page)
    play_until(page, 6.5)
    stopped = times_of(page)
    page.wait_for_timeout(300)

    # The third step of the reference and the fourth row of the trace are the same step.
    # Every place is the middle of a frame.
    assert at_row == [4.05, 6.05]
    assert one_frame_on == [4.15, 6.15]
    assert times_of(page) == stopped
    assert abs((stopped[1] - stopped[0]) - STEP_OFFSET_S) < 0.1


def test_a_recording_that_comes_in_parts_plays_to_its_end(
    page: Page, live_server, audit, monkeypatch
):
    monkeypatch.setattr(byte_ranges, "PART_BYTES", 1500)
    ranges = []
    page.on(
        "response",
        lambda answer: (
            ranges.append(answer.headers.get("content-range")) if "/video/" in answer.url else None
        ),
    )
    open_audit(page, live_server, audit)
    wait_until_playable(page)

    page.evaluate("() => { document.querySelectorAll('video')[1].currentTime = 8.5; }")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelectorAll('video')[1].ended")

    assert times_of(page)[1] == pytest.approx(10.0, abs=0.1)
    assert len(set(ranges)) > 2


# How far apart the two are while they play, until the trace has come to a second; it stops there.
# Also the longest time in which a busy machine gave the page no turn to keep them together, and
# where the trace was at the stop.
SAMPLE_DRIFT = """async (second) => {
  const { Timeline } = await import("/static/annotation/js/sections.js");
  const { sections } = JSON.parse(document.querySelector("#audit-data").textContent);
  const timeline = new Timeline(sections);
  const [reference, trace] = document.querySelectorAll("video");
  const drifts = [];
  let [lookedAt, busyS] = [performance.now(), 0];
  while (trace.currentTime < second) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    busyS = Math.max(busyS, (performance.now() - lookedAt) / 1000);
    lookedAt = performance.now();
    const place = timeline.at(timeline.from("trace", trace.currentTime));
    drifts.push(Math.abs(reference.currentTime - place.reference.time));
  }
  const stoppedAtS = trace.currentTime;
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", bubbles: true }));
  return [drifts, busyS, stoppedAtS];
}"""


def test_the_reference_follows_the_trace_while_both_play(page: Page, live_server, audit):
    """The reference waits during the correction, which it does not have, and goes on after it."""
    open_audit(page, live_server, audit)
    wait_until_playable(page)
    page.locator("tr[data-row='1']").click()

    page.keyboard.press("Space")
    drifts, busy_s, stopped_at_s = page.evaluate(SAMPLE_DRIFT, 7)
    paused = times_of(page)

    assert statistics.median(drifts) <= 0.08
    assert max(drifts) <= 0.5 + busy_s
    assert paused[1] == pytest.approx(stopped_at_s, abs=1 / FRAME_RATE)
    assert paused[0] == pytest.approx(paused[1] - STEP_OFFSET_S, abs=1 / FRAME_RATE)


def test_the_loop_stays_around_the_current_event(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    wait_until_playable(page)

    page.keyboard.press("o")
    expect(page.get_by_role("button", name="Loop this event")).to_have_attribute(
        "aria-pressed", "true"
    )
    start = times_of(page)[1]
    page.evaluate("() => { document.querySelectorAll('video')[1].currentTime = 5.8; }")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime < 3")

    # Mistake 1 lasts from second 2 to second 4; two seconds of context on either side.
    assert start == 0.05
