"""The segment editor by scheme: references to copy, proposals, mistakes of steps, points, locks."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Step, Trace
from segments.engine.model import Segment
from tests.e2e.audit_page import expect_saved
from tests.e2e.segments_page import (
    STEPS,
    make_segmenting,
    open_segments,
    press,
    wait_until_playable,
)
from tests.factories import TraceFactory

pytestmark = pytest.mark.e2e


@pytest.fixture
def filmed_trace(transactional_db, tmp_path):
    """A trace to segment, whose reference was filmed twice as slowly."""
    segmenting = make_segmenting(tmp_path, steps=STEPS[:3])
    recording = segmenting.own.recording
    take = recording.take
    for index, (start_s, end_s) in enumerate(((2.0, 8.0), (8.0, 16.0), (20.0, 30.0))):
        Step.objects.filter(take=take, index=index).update(start_s=start_s, end_s=end_s)
    trace: Trace = TraceFactory(dataset=take.dataset, take=take, video=take.video)
    slow = take.video
    slow.pk, slow.public_id, slow.stem = None, "slowslowslow", "slow"
    slow.duration_s = 40.0
    slow.save()
    take.video = slow
    take.save()
    recording.trace = trace
    recording.save()
    return segmenting


def test_the_reference_is_copied_as_proposals_that_are_accepted_once_seen(
    page: Page, live_server, filmed_trace
):
    open_segments(page, live_server, filmed_trace)
    wait_until_playable(page)
    rows = page.locator(".sheet .row")

    press(page, "c")
    expect(page.locator(".row.proposal")).to_have_count(3)
    expect_saved(page)
    copied = [row[:3] for row in filmed_trace.segments()]
    press(page, "Shift+Y")
    expect(page.locator("#notices")).to_contain_text("3 proposals have not been played through")
    press(page, "n", "p", "y")
    expect(page.locator(".row.proposal")).to_have_count(2)
    press(page, "p", "p", "b", "b", "ArrowLeft", "Escape")
    expect_saved(page)
    press(page, "d")
    expect(rows.first).to_contain_text("0:01.0–0:04.0")
    expect_saved(page)

    assert copied == [(1.0, 4.0, "0"), (4.0, 8.0, "1"), (10.0, 15.0, "2")]
    assert [row[:2] for row in filmed_trace.segments()] == [(1.0, 4.0), (4.0, 8.0), (10.0, 15.0)]
    names = filmed_trace.own.events.order_by("head").values_list("name", flat=True).distinct()
    assert list(dict.fromkeys(names)) == [
        "copy 3 steps from the reference",
        "accept a proposal",
        "move end",
        "take the times of the reference",
    ]


def test_all_proposals_are_accepted_after_they_were_played(
    page: Page, live_server, transactional_db, tmp_path
):
    proposals = (
        Segment("a", "steps", 0.0, 1.0, "0", is_proposal=True),
        Segment("b", "steps", 1.0, 2.0, "1", is_proposal=True),
    )
    segmenting = make_segmenting(tmp_path, steps=STEPS[:2], proposals=proposals)
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)

    press(page, "Home", "Space")
    page.wait_for_function("() => document.querySelector('#player video').currentTime > 2.3")
    press(page, "k", "Shift+Y")
    expect(page.locator("#left")).to_have_text("nothing left")
    expect_saved(page)

    assert segmenting.own.events.latest("head").name == "accept 2 proposals"
    assert not segmenting.own.segments.filter(is_proposal=True).exists()


def test_a_mistake_belongs_to_its_step_and_lasts_as_long(
    page: Page, live_server, transactional_db, tmp_path
):
    step = Segment("a", "steps", 1.0, 4.0, "0")
    segmenting = make_segmenting(
        tmp_path, steps=STEPS[:1], proposals=(step,), scheme="captaincook4d"
    )
    open_segments(page, live_server, segmenting)

    press(page, "n", "e")
    page.keyboard.type("measure")
    press(page, "Enter")
    page.keyboard.type("poured 20 mL")
    press(page, "Enter")
    expect(page.locator(".lane.own").nth(1).locator(".seg:visible")).to_have_text(
        "▲ Measurement Error: poured 20 mL"
    )
    press(page, "ArrowUp")
    expect(page.locator(".sheet .row")).to_contain_text("Measurement Error")
    expect_saved(page)

    child = segmenting.own.segments.get(track="mistakes")
    assert (child.start_s, child.parent_key, child.label) == (None, "a", "Measurement Error")
    assert child.text == "poured 20 mL"


def test_onsets_are_points_that_one_key_sets(page: Page, live_server, transactional_db, tmp_path):
    segmenting = make_segmenting(tmp_path, steps=STEPS[:2], scheme="onset")
    open_segments(page, live_server, segmenting)

    press(page, *["Shift+ArrowRight"] * 3, "a", "1", "b", "ArrowRight", "Escape")
    expect(page.locator(".seg.point")).to_have_count(1)
    expect_saved(page)

    [(start_s, end_s, step_id, *_)] = segmenting.segments()
    assert (start_s, end_s, step_id) == (3.12, 3.12, "0")


def test_given_edges_stay_and_only_labels_are_asked(
    page: Page, live_server, transactional_db, tmp_path
):
    given = (Segment("a", "steps", 1.0, 4.0), Segment("b", "steps", 4.0, 8.0))
    segmenting = make_segmenting(tmp_path, steps=STEPS[:2], proposals=given, has_locked_edges=True)
    open_segments(page, live_server, segmenting)
    expect(page.locator("#notices")).to_contain_text("The edges are given")

    press(page, "b", "ArrowRight", "Escape", "]", "x", "Delete")
    expect(page.locator("#notices")).to_contain_text("only labels and words can be changed")
    expect(page.get_by_role("button", name="Split")).to_have_count(0)
    press(page, "1", "n", "2")
    expect(page.locator("#left")).to_have_text("nothing left")
    expect_saved(page)

    assert [row[:3] for row in segmenting.segments()] == [(1.0, 4.0, "0"), (4.0, 8.0, "1")]


def test_the_reaction_time_is_measured_by_ten_flashes(
    page: Page, live_server, transactional_db, tmp_path
):
    segmenting = make_segmenting(tmp_path, steps=STEPS[:1])
    # Flashes come as soon as they can, and nobody waits the 0.9 s between two.
    page.add_init_script(
        "Math.random = () => 0; const wait = setTimeout;"
        " window.setTimeout = (act, ms) => wait(act, ms === 900 ? 10 : ms);"
    )
    open_segments(page, live_server, segmenting)

    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Reaction time").click()
    # A flash goes out by itself before a busy machine has told of it.
    page.locator(".light").evaluate(
        """(light) => new MutationObserver(() => {
          const key = new KeyboardEvent("keydown", { key: "a", bubbles: true, cancelable: true });
          if (light.classList.contains("lit")) setTimeout(() => light.dispatchEvent(key), 20);
        }).observe(light, { attributeFilter: ["class"] })"""
    )
    page.get_by_role("button", name="Measure with ten flashes").click()
    expect(page.locator("#reaction-dialog [data-told]")).to_contain_text("taken off while it plays")
    page.get_by_role("button", name="Done").click()

    kept_s = float(page.evaluate("localStorage.getItem('piev:reaction')"))
    assert 0 < kept_s <= 1


def test_a_press_that_snaps_to_a_later_tenth_begins_the_next_segment(
    page: Page, live_server, transactional_db, tmp_path
):
    # 3.96 s lie on no tenth of a second, nor does the end.
    segmenting = make_segmenting(tmp_path, steps=STEPS[:2], duration_s=6.48, scheme="partition")
    open_segments(page, live_server, segmenting)
    wait_until_playable(page)

    press(page, "Home", "a", *["Shift+ArrowRight"] * 4, ",", "a", "1", "End", "Shift+A", "2")
    expect(page.locator("#left")).to_have_text("nothing left")
    expect_saved(page)

    assert [row[:3] for row in segmenting.segments()] == [(0.0, 4.0, "0"), (4.0, 6.48, "1")]
