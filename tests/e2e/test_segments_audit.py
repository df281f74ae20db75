"""Segments that are audited, corrected and reviewed in a browser."""

import pytest
from playwright.sync_api import Page, expect

from annotation.engine.segments.model import Segment
from annotation.models import SegmentCheck, SegmentRecording
from tests.e2e.segments_page import (
    expect_saved,
    make_segmenting,
    open_segments,
    playhead_s,
    press,
    wait_until_playable,
)
from tests.factories import SegmentationFactory, SegmentRoundFactory, UserFactory

pytestmark = pytest.mark.e2e

PARTITION = (
    Segment("first", "steps", 0.0, 1.0, "0", is_proposal=True),
    Segment("second", "steps", 1.0, 2.2, "1", is_proposal=True),
    Segment("third", "steps", 2.2, 20.0, "2", is_proposal=True),
)


@pytest.fixture
def audit(transactional_db, tmp_path):
    return make_segmenting(tmp_path, proposals=PARTITION, scheme="partition", stage="audit")


def test_an_audit_asks_after_a_look_and_plays_the_next(page: Page, live_server, audit):
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    expect(page.locator("#checks h2")).to_contain_text("step 1")
    no = page.locator("[data-question=accurate] input[value=no]")
    expect(no).to_be_disabled()

    press(page, "1")
    expect(page.locator("#notices")).to_contain_text("Watch the segment to its end first")
    press(page, "r")
    expect(no).to_be_enabled(timeout=10_000)
    assert 0.9 <= playhead_s(page) < 1.0
    press(page, "2", "2", "1")
    expect(page.locator("#checks h2")).to_contain_text("step 2")
    page.wait_for_function("() => !document.querySelector('#player video').paused")
    expect(no).to_be_enabled(timeout=10_000)
    press(page, "2", "2", "2")
    expect(page.locator("#left")).to_have_text("3 left")
    expect_saved(page)

    given = SegmentCheck.objects.order_by("pk").values_list("key", "question", "answer")
    assert list(given) == [
        ("first", "accurate", True),
        ("first", "specific", True),
        ("first", "complete", False),
        ("second", "accurate", True),
        ("second", "specific", True),
        ("second", "complete", True),
    ]
    # Nothing can be changed: no tool for it is there, and no key does it.
    press(page, "k", "x", "Delete", "a")
    expect(page.get_by_role("button", name="Split")).to_have_count(0)
    expect_saved(page)
    assert audit.own.events.exclude(client_id="site").count() == 0


def test_a_recording_is_rejected_with_a_reason(page: Page, live_server, audit):
    open_segments(page, live_server, audit)

    page.get_by_role("button", name="Reject").click()
    page.get_by_label("It shows another procedure").check()
    page.get_by_label("Note for the researcher").fill("They bake a cake")
    page.get_by_role("button", name="Reject it").click()
    expect(page.locator("#notices")).to_contain_text("Rejected")

    audit.own.refresh_from_db()
    assert (audit.own.status, audit.own.reject_reason) == ("rejected", "procedure")
    assert audit.own.reason == "They bake a cake"


@pytest.fixture
def correction(audit):
    """What somebody else corrects after an audit that said no to one thing."""
    SegmentCheck.objects.create(
        segmentation=audit.own, key="second", segment_revision=1, question="complete",
        answer=False, note="goes on", client_id="tab", client_sequence=1,
        made_at="2026-01-01T00:00:00Z",
    )  # fmt: skip
    return follow(audit, stage="correct", scheme="partition")


def follow(before, *, person=None, **of_round):
    """Return the next round's segmentation, made from the one before."""
    made = SegmentRoundFactory(campaign=before.own.round.campaign, **of_round).round
    source = before.own.recording
    segments = before.own.segments.values() if before.own.segments.exists() else None
    proposals = source.proposals
    if segments:
        proposals = [
            Segment(**{name: row[name] for name in Segment.__slots__} | {
                "is_proposal": True, "revision": 1,
            }).to_dict()
            for row in segments
        ]  # fmt: skip
    recording = SegmentRecording.objects.create(
        round=made, take=source.take, proposals=proposals, source_segmentation=before.own
    )
    person = person or UserFactory(username=of_round["stage"])
    return type(before)(person, SegmentationFactory(recording=recording, person=person))


def test_a_correction_moves_a_shared_edge_and_asks_both_neighbours_again(
    page: Page, live_server, correction
):
    open_segments(page, live_server, correction)
    wait_until_playable(page)
    rows = page.locator(".sheet .row")
    expect(rows.nth(1)).to_contain_text("complete: no, “goes on”")
    for _ in range(3):
        press(page, "2", "2", "2", "n")
    press(page, "p", "b", "b")
    expect(page.locator("#held-words")).to_contain_text("End of step 2 held")
    press(page, "Shift+ArrowRight", "Escape")

    expect(rows.nth(1)).to_contain_text("end +1.0 s")
    expect(rows.nth(2)).to_contain_text("start +1.0 s")
    expect(rows.nth(0)).to_contain_text("checked")
    expect(rows.nth(1)).to_contain_text("unchecked")
    expect(page.locator("#left")).not_to_have_text("nothing left")
    press(page, "2", "2", "2", "n", "2", "2", "2")
    expect(page.locator("#left")).to_have_text("nothing left")
    press(page, "s")
    preview = page.get_by_role("dialog", name="What you changed")
    expect(preview).to_contain_text("3 segments: 2 changed, 0 inserted, 0 deleted.")
    preview.get_by_role("button", name="Submit").click()
    expect(page.locator("#notices")).to_contain_text("Submitted")

    correction.own.refresh_from_db()
    assert correction.own.status == "submitted"
    assert [row[:3] for row in correction.segments()] == [
        (0.0, 1.0, "0"),
        (1.0, 3.2, "1"),
        (3.2, 20.0, "2"),
    ]
