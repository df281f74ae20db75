"""Two recordings on the audit page: in step, frame by frame, and what of them was watched."""

import re

import numpy as np
import pytest
from django.db import OperationalError
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.engine.taxonomy import Mod
from annotation.models import VideoIngest, Viewing
from bench.playing_videos import SAMPLE, SEEK, decoded_numbers, number_at, write_numbered
from tests.e2e.audit_page import (
    expect_saved,
    open_audit,
    play_until,
    times_of,
    wait_until_playable,
    wait_until_ready,
)
from tests.factories import EventFactory, TraceStepFactory, VideoIngestFactory

pytestmark = pytest.mark.e2e

SEED = 3
SEEK_COUNT = 12
FRAME_S = 0.1


def open_players(page: Page, live_server, audit) -> None:
    open_audit(page, live_server, audit)
    wait_until_playable(page)


def watched_of(audit) -> dict[str, list]:
    viewing = Viewing.objects.filter(assignment=audit.assignment).first()
    return {"reference": viewing.reference, "trace": viewing.trace} if viewing else {}


def wait_for_viewing(page: Page, audit) -> None:
    """A request of a page that is left is out of the browser's sight: wait for what it does."""
    for _ in range(300):
        if watched_of(audit):
            return
        page.wait_for_timeout(100)


def seconds_of(spans: list[list[float]]) -> float:
    return sum(end - start for start, end, _ in spans)


def play_from_start(page: Page, second: float) -> list[float]:
    """Return where both sides stopped."""
    page.locator("tr[data-row='0']").click()
    play_until(page, second)
    return times_of(page)


@pytest.fixture
def numbered(audit, tmp_path):
    """The audit's recordings with a number in every frame, 30 frames a second."""
    files = {}
    for side, video in (
        ("reference", audit.assignment.trace.take.video),
        ("trace", audit.assignment.trace.video),
    ):
        path = tmp_path / video.path
        path.unlink()
        write_numbered(path, seconds=video.duration_s, size=(320, 180), seed=len(files))
        video.frame_rate = 30
        video.save()
        files[side] = path
    return files


def test_paused_positions_show_the_frames_that_ffmpeg_decodes(
    page: Page, live_server, audit, numbered
):
    open_players(page, live_server, audit)
    frames = {side: decoded_numbers(path) for side, path in numbered.items()}
    rng = np.random.default_rng(SEED)

    for number in range(SEEK_COUNT):
        side = ("reference", "trace")[number % 2]
        second = float(rng.uniform(0, 7.9))
        at, shown = page.evaluate(SEEK, [side, second])
        assert shown == number_at(frames[side], second) == number_at(frames[side], at)


def test_pausing_stops_both_in_the_middle_of_a_frame(page: Page, live_server, audit):
    open_players(page, live_server, audit)

    play_from_start(page, 1)
    page.wait_for_function("() => [...document.querySelectorAll('video')].every((v) => !v.seeking)")

    assert [round(time % FRAME_S, 3) for time in times_of(page)] == [0.05, 0.05]


@pytest.mark.parametrize("side", ["reference", "trace"])
def test_a_side_that_stalls_is_caught_up_with(page: Page, live_server, audit, numbered, side):
    """Bounds for a busy machine; `python -m bench.playing` has the real ones."""
    open_players(page, live_server, audit)

    page.keyboard.press("Space")
    samples = page.evaluate(SAMPLE, [1.9, side, 400])

    both = [abs(drift) for at_ms, drift in samples if drift is not None]
    assert len(both) > 5
    page.wait_for_function(
        """async () => {
          const { Timeline } = await import("/static/annotation/js/sections.js");
          const { sections } = JSON.parse(document.querySelector("#audit-data").textContent);
          const timeline = new Timeline(sections);
          const [reference, trace] = document.querySelectorAll("video");
          const { reference: place } = timeline.at(timeline.from("trace", trace.currentTime));
          return Math.abs(reference.currentTime - place.time) < 0.08;
        }"""
    )


def test_by_step_the_reference_waits_where_the_trace_adds_something(page: Page, live_server, audit):
    """Row 3 of the trace, from 4 to 6, is a correction: the reference has nothing to play."""
    open_players(page, live_server, audit)
    waiting = page.locator("[data-side=reference] [data-waiting]")
    expect(waiting).to_be_hidden()

    page.locator("tr[data-row='2']").click()
    expect(waiting).to_have_text("Waiting")
    before = times_of(page)
    play_until(page, 5)
    during = times_of(page)
    play_until(page, 6.5)

    # The last frame of the step before is what it waits on.
    assert before == [3.95, 4.05]
    assert during[0] == pytest.approx(3.95, abs=0.11)
    expect(waiting).to_be_hidden()
    assert times_of(page)[0] == pytest.approx(times_of(page)[1] - 2, abs=0.11)


def test_by_step_the_trace_waits_where_a_step_is_missing(page: Page, live_server, audit):
    trace = audit.assignment.trace
    missing = EventFactory(trace=trace, index=3)
    step = trace.take.steps.get(index=3)
    TraceStepFactory(
        trace=trace, index=5, mod=Mod.DELETION, text="", event=missing, reference_step=step,
        start_s=None, end_s=None,
    )  # fmt: skip
    open_players(page, live_server, audit)

    page.locator("tr[data-row]", has_text=step.text).click()
    expect(page.locator("[data-side=trace] [data-waiting]")).to_have_text("Waiting")
    expect(page.locator("[data-summary]")).to_have_text(f"4 {step.text} → –")
    before = times_of(page)
    page.evaluate(
        """() => {
          const [reference] = document.querySelectorAll("video");
          window.lowestS = reference.currentTime;
          const look = () => { window.lowestS = Math.min(window.lowestS, reference.currentTime); };
          reference.addEventListener("timeupdate", look);
        }"""
    )
    play_until(page, 7, side=0)

    assert before[0] == 6.05
    # The trace, which waits at its end, does not begin anew.
    assert page.evaluate("window.lowestS") >= 6
    assert times_of(page)[1] == pytest.approx(before[1], abs=0.11)


def test_modes_are_chosen_by_keyboard_and_free_sides_go_their_own_way(
    page: Page, live_server, audit
):
    open_players(page, live_server, audit)
    page.locator("tr[data-row='0']").click()
    strip = page.get_by_role("slider", name="Time of reference")

    page.get_by_role("radio", name="By step").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="By time")).to_be_checked()
    strip.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    by_time = times_of(page)
    page.get_by_role("radio", name="By time").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Free")).to_be_checked()
    strip.focus()
    page.keyboard.press("ArrowRight")
    free = times_of(page)
    page.keyboard.press("End")
    page.keyboard.press("PageUp")
    at_last_step = times_of(page)

    assert by_time == [2.05, 2.05]
    assert free == [3.05, 2.05]
    assert at_last_step == [6.05, 2.05]
    expect(strip).to_have_attribute("aria-valuetext", re.compile(r"^0:06\.0, Do part 4"))


def test_the_next_trace_begins_in_the_mode_and_speed_of_the_last(page: Page, live_server, audit):
    open_players(page, live_server, audit)
    page.get_by_role("radio", name="By time").check()
    page.keyboard.press(">")
    page.keyboard.press("m")

    page.reload()
    wait_until_ready(page)

    expect(page.get_by_role("radio", name="By time")).to_be_checked()
    expect(page.get_by_label("Speed")).to_have_value("1.5")
    expect(page.get_by_role("button", name="Sound")).to_have_attribute("aria-pressed", "true")


def test_what_keys_change_is_read_aloud(page: Page, live_server, audit):
    open_players(page, live_server, audit)
    news = page.locator("#watch-news")
    page.locator("#steps").focus()

    for key, words in (
        (">", "Speed 1.5"),
        ("<", "Speed 1"),
        ("m", "Sound on"),
        ("o", "Looping this event"),
        ("o", "Loop off"),
        (".", "Reference 0:00.1, To rate 0:00.1"),
        ("Space", "Plays"),
        ("k", re.compile(r"^Paused\. Reference 0:0")),
    ):
        page.keyboard.press(key)
        expect(news).to_have_text(words)


def test_a_loop_repeats_the_event_with_what_is_around_it(page: Page, live_server, audit):
    """The correction lasts from 4 to 6 in the trace: the loop goes from 2 to 8."""
    open_players(page, live_server, audit)
    page.keyboard.press("n")

    page.keyboard.press("o")
    start = times_of(page)
    page.get_by_role("slider", name="Time of to rate").focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    page.evaluate("() => { document.querySelectorAll('video')[1].currentTime = 7.6; }")
    page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime < 4")

    assert start == [2.05, 2.05]


def test_what_was_watched_goes_along_with_an_answer(page: Page, live_server, audit):
    sent = []
    page.on("request", lambda request: sent.append(request.url.split("/")[-2]))
    # Nothing is sent by itself, which the page does every 20 s.
    page.add_init_script(
        "const every = setInterval;"
        " window.setInterval = (act, ms) => (ms === 20_000 ? 0 : every(act, ms));"
    )
    open_players(page, live_server, audit)

    played = play_from_start(page, 1.5)
    sent.clear()
    page.locator("[data-metric=error_validity] input").first.focus()
    page.keyboard.press("2")
    expect_saved(page)

    stored = watched_of(audit)
    assert sent == ["changes"]
    for side, end in zip(("reference", "trace"), played, strict=True):
        assert seconds_of(stored[side]) == pytest.approx(end, abs=0.25)
    page.reload()
    wait_until_ready(page)
    assert page.locator("[data-side=trace] [data-watched] rect").count() == 1


def test_a_loop_does_not_add_to_what_was_watched(page: Page, live_server, audit):
    open_players(page, live_server, audit)

    ends = [play_from_start(page, 1)[1] for _ in range(2)]
    page.locator("[data-metric=error_validity] input").first.focus()
    page.keyboard.press("2")
    expect_saved(page)

    assert seconds_of(watched_of(audit)["trace"]) == pytest.approx(max(ends), abs=0.25)


def test_what_is_played_while_the_page_is_not_drawn_was_watched(page: Page, live_server, audit):
    """On a busy machine a recording plays on while the page waits for its turn."""
    open_players(page, live_server, audit)
    page.locator("tr[data-row='0']").click()
    page.wait_for_function("() => [...document.querySelectorAll('video')].every((v) => !v.seeking)")
    page.evaluate(
        "() => { window.draw = requestAnimationFrame; window.requestAnimationFrame = () => 0; }"
    )

    play_until(page, 1)
    end = times_of(page)[1]
    page.evaluate("() => { window.requestAnimationFrame = window.draw; }")
    page.locator("[data-metric=error_validity] input").first.focus()
    page.keyboard.press("2")
    expect_saved(page)

    [[watched_from, watched_to, _]] = watched_of(audit)["trace"]
    assert watched_from == FRAME_S / 2
    assert watched_to == pytest.approx(end, abs=FRAME_S / 2 + 0.01)


def test_what_was_watched_is_sent_when_the_page_is_left(page: Page, live_server, audit):
    open_players(page, live_server, audit)

    _, end = play_from_start(page, 1)
    page.goto(live_server.url + reverse("queue"))

    wait_for_viewing(page, audit)
    assert seconds_of(watched_of(audit)["trace"]) == pytest.approx(end, abs=0.25)


def test_what_was_watched_is_kept_until_the_server_has_it(
    page: Page, live_server, audit, monkeypatch
):
    def fail(**_):
        raise OperationalError("the disk is full")

    with monkeypatch.context() as trouble:
        trouble.setattr("annotation.api.ratings.viewing.store_viewing", fail)
        trouble.setattr("annotation.api.ratings.ratings.store_viewing", fail)
        open_players(page, live_server, audit)
        page.locator("tr[data-row='0']").click()
        page.keyboard.press("Space")
        page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime >= 1")
        # Left while it plays: what was watched since the last report is kept by nothing yet.
        with page.expect_navigation():
            page.evaluate("() => location.reload()")
        wait_until_ready(page)
        assert watched_of(audit) == {}
    page.reload()
    wait_until_ready(page)

    wait_for_viewing(page, audit)
    assert seconds_of(watched_of(audit)["trace"]) > 0.6


def test_an_answer_is_saved_though_what_was_watched_is_not(
    page: Page, live_server, audit, monkeypatch
):
    def fail(**_):
        raise OperationalError("the disk is full")

    monkeypatch.setattr("annotation.api.ratings.viewing.store_viewing", fail)
    monkeypatch.setattr("annotation.api.ratings.ratings.store_viewing", fail)
    open_players(page, live_server, audit)
    page.evaluate("() => { IDBObjectStore.prototype.put = () => { throw new Error('full'); }; }")

    play_from_start(page, 0.5)
    page.locator("[data-metric=error_validity] input").first.focus()
    page.keyboard.press("2")
    expect_saved(page)

    assert audit.values() == {(0, "error_validity"): ("yes", None, False)}


def test_the_strip_shows_sound_and_pictures_where_there_are_some(page: Page, live_server, audit):
    video = audit.assignment.trace.video
    told = VideoIngestFactory.build(video=video)
    VideoIngest.objects.filter(video=video).update(
        thumbnails=told.thumbnails, sprite=told.sprite, peaks=told.peaks
    )
    asked = []
    page.route("**/sprite/", lambda route: (asked.append(route.request.url), route.abort()))
    open_players(page, live_server, audit)
    page.locator("tr[data-row='0']").click()
    strip = page.locator("[data-side=trace] svg.strip")
    thumbnail = page.locator("[data-side=trace] .thumbnail")

    expect(page.locator("[data-side=trace] [data-waveform] path")).to_have_count(1)
    expect(page.locator("[data-side=reference] [data-waveform] path")).to_have_count(0)
    expect(thumbnail).to_be_hidden()
    box = strip.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 5)

    expect(thumbnail).to_be_visible()
    expect(thumbnail).to_have_text("0:07.5")
    page.mouse.move(5, 5)
    expect(thumbnail).to_be_hidden()
    assert len(asked) == 1
