"""Segments that are audited, corrected and reviewed in a browser."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from segments.engine.model import Segment
from segments.models import SegmentCheck, SegmentRecording
from segments.selectors.rounds import causes_of
from tests.e2e.audit_page import expect_saved
from tests.e2e.looks import PHONE, problems_of, sideways_px
from tests.e2e.segments_page import (
    STEPS,
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
    expect(page.locator("#checks h2")).to_contain_text("Step 1")
    foot = [page.locator(name).bounding_box() for name in ("#previous", "#reject", "#submit")]
    assert len({box["y"] for box in foot}) == 1
    no = page.locator("[data-question=accurate] input[value=no]")

    # The first plays by itself, as all others do.
    expect(no).to_be_enabled()
    assert 0.9 <= playhead_s(page) < 1.0
    assert problems_of(page) == []
    press(page, "2", "2", "1")
    expect(page.locator("#checks h2")).to_contain_text("Step 2")
    # It plays by itself, or nobody could answer.
    expect(no).to_be_enabled()
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


def test_on_a_phone_the_questions_are_in_sight_with_the_video(page: Page, live_server, audit):
    page.set_viewport_size(PHONE)
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    expect(page.locator("#checks h2")).to_contain_text("Step 1")

    expect(page.locator(".screen")).to_be_in_viewport(ratio=1)
    for question in ("accurate", "specific", "complete"):
        expect(page.locator(f"[data-question={question}] label").last).to_be_in_viewport(ratio=1)
    assert [*problems_of(page), *sideways_px(page)] == []


def test_a_hint_goes_with_what_it_asked_for_and_enter_ends_the_note(
    page: Page, live_server, transactional_db, tmp_path
):
    longer = (
        replace(PARTITION[0], end_s=6.0),
        replace(PARTITION[1], start_s=6.0, end_s=8.0),
        replace(PARTITION[2], start_s=8.0),
    )
    audit = make_segmenting(tmp_path, proposals=longer, scheme="partition", stage="audit")
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    no = page.locator("[data-question=accurate] input[value=no]")
    note = page.get_by_label("What is wrong")
    page.wait_for_function("() => !document.querySelector('#player video').paused")

    expect(no).to_be_disabled()
    press(page, "1")
    expect(page.locator("#notices")).to_contain_text("Watch the segment to its end first")
    expect(no).to_be_enabled()
    expect(page.locator("#notices")).not_to_contain_text("Watch the segment")
    press(page, "1", "c")
    expect(note).to_be_focused()
    page.keyboard.type("It begins too late")
    press(page, "Shift+Enter")
    page.keyboard.type("by a second")
    press(page, "Enter")
    expect(note).not_to_be_focused()
    # The keys are the page's again.
    press(page, "2", "2")
    expect(page.locator("#checks h2")).to_contain_text("Step 2")
    expect_saved(page)

    given = SegmentCheck.objects.order_by("pk").values_list("question", "note")
    assert dict(given) == {
        "accurate": "It begins too late\nby a second", "specific": "", "complete": "",
    }  # fmt: skip


def test_what_goes_beyond_the_end_is_asked_about_at_the_end(
    page: Page, live_server, transactional_db, tmp_path
):
    segments = (
        replace(PARTITION[0], end_s=1.5),
        replace(PARTITION[1], start_s=1.5, end_s=3.0),
        replace(PARTITION[2], start_s=3.0, end_s=4.0),
    )
    audit = make_segmenting(
        tmp_path, proposals=segments, scheme="partition", stage="audit", duration_s=2.0
    )
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    no = page.locator("[data-question=accurate] input[value=no]")

    for _ in segments:
        press(page, "r")
        expect(no).to_be_enabled()
        press(page, "2", "2", "2")
    expect(page.locator("#left")).to_have_text("nothing left")
    press(page, "s")

    expect(page.locator("#notices")).to_contain_text("Submitted")


def test_a_note_that_is_being_written_when_the_page_goes_is_kept(page: Page, live_server, audit):
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    press(page, "r")
    expect(page.locator("[data-question=accurate] input[value=no]")).to_be_enabled()
    press(page, "1")
    page.get_by_label("What is wrong").press_sequentially("It begins too late")

    page.goto(f"{live_server.url}/queue/")
    open_segments(page, live_server, audit)
    expect_saved(page)

    given = SegmentCheck.objects.order_by("pk").values_list("question", "answer", "note")
    assert list(given) == [("accurate", False, ""), ("accurate", False, "It begins too late")]


def test_a_note_is_saved_while_it_is_written(page: Page, live_server, audit):
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    press(page, "r")
    expect(page.locator("[data-question=accurate] input[value=no]")).to_be_enabled()
    press(page, "1", "1")
    expect_saved(page)

    note = page.get_by_label("What is wrong")
    note.press_sequentially("It begins too late")

    # The page does not say that all is saved before it is, and nobody leaves the field.
    expect(page.locator("#save-state")).to_have_text("Saving")
    expect_saved(page)
    expect(note).to_be_focused()
    standing = dict(SegmentCheck.objects.order_by("pk").values_list("question", "note"))
    assert standing == {"accurate": "It begins too late", "specific": "It begins too late"}


def test_a_note_that_comes_before_its_answer_survives_a_reload(page: Page, live_server, audit):
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    press(page, "r")
    expect(page.locator("[data-question=accurate] input[value=no]")).to_be_enabled()
    page.get_by_label("What is wrong").press_sequentially("It begins too late")

    page.reload()
    wait_until_playable(page)
    expect(page.get_by_label("What is wrong")).to_have_value("It begins too late")
    press(page, "r")
    expect(page.locator("[data-question=accurate] input[value=no]")).to_be_enabled()
    press(page, "1")
    expect_saved(page)

    given = SegmentCheck.objects.order_by("pk").values_list("question", "answer", "note")
    assert list(given) == [("accurate", False, "It begins too late")]


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


def test_a_rejection_waits_for_what_is_on_its_way(page: Page, live_server, audit):
    open_segments(page, live_server, audit)
    wait_until_playable(page)
    press(page, "r")
    expect(page.locator("[data-question=accurate] input[value=no]")).to_be_enabled()
    held, sent = [], []
    page.route("**/checks/", lambda route: held.append(route))
    page.on("request", lambda request: sent.append(request.url.split("/")[-2]))
    with page.expect_request("**/checks/"):
        press(page, "1")

    page.get_by_role("button", name="Reject").click()
    page.get_by_label("It shows another procedure").check()
    page.get_by_role("button", name="Reject it").click()
    expect(page.locator("#reject-dialog")).to_be_hidden()
    while_on_its_way = sent.count("reject")
    held[0].continue_()
    page.unroute("**/checks/")
    expect(page.locator("#notices")).to_contain_text("Rejected")
    expect_saved(page)

    assert while_on_its_way == 0
    assert [check.answer for check in SegmentCheck.objects.all()] == [False]


def test_what_was_typed_into_a_dialog_survives_an_expired_login_and_a_reload(
    page: Page, live_server, audit
):
    note = page.get_by_label("Note for the researcher")
    open_segments(page, live_server, audit)
    page.get_by_role("button", name="Reject").click()
    page.get_by_label("The steps cannot be corrected").check()
    note.fill("Step 3 is of another kitchen")
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Reject it").click()
    expect(page.locator("#notices")).to_contain_text("Your login has expired")

    page.context.clear_cookies()
    open_segments(page, live_server, audit)
    page.get_by_role("button", name="Reject").click()
    expect(note).to_have_value("Step 3 is of another kitchen")
    page.get_by_role("button", name="Reject it").click()
    expect(page.locator("#notices")).to_contain_text("Rejected")

    audit.own.refresh_from_db()
    assert (audit.own.reject_reason, audit.own.reason) == ("steps", "Step 3 is of another kitchen")
    # The server has it: what comes next is empty.
    page.evaluate(
        """() => new MutationObserver(() => sessionStorage.setItem("offered", "too early"))
          .observe(document.querySelector("#reject"), { attributes: true })"""
    )
    with page.expect_navigation():
        page.get_by_role("button", name="Reopen").click()
    page.wait_for_selector("html[data-ready]")
    # What is done to a page that is about to be loaded anew would go with it.
    assert page.evaluate("() => sessionStorage.getItem('offered')") is None
    page.get_by_role("button", name="Reject").click()
    expect(note).to_have_value("")
    # Nobody has chosen a reason yet, and without one nothing is rejected.
    expect(page.locator("#reject-dialog :checked")).to_have_count(0)
    page.get_by_role("button", name="Reject it").click()
    expect(page.locator("#reject-dialog")).to_be_visible()
    page.get_by_role("button", name="Go on with it").click()
    expect(page.locator("#reject-dialog")).to_be_hidden()
    audit.own.refresh_from_db()
    assert (audit.own.status, audit.own.reject_reason) == ("open", "")


NOTE = "It goes on until the cup is full, and somebody has wiped the table"


@pytest.fixture
def correction(audit):
    """What somebody else corrects after an audit that said no to one thing."""
    SegmentCheck.objects.create(
        segmentation=audit.own, key="second", segment_revision=1, question="complete",
        answer=False, note=NOTE, client_id="tab", client_sequence=1,
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
    expect(rows.nth(1)).to_contain_text("complete: no")
    proposed = page.get_by_role("group", name="Proposed").locator(".seg:visible")
    expect(proposed).to_have_count(3)
    for _ in range(3):
        press(page, "2", "2", "2", "n")
    press(page, "p", "b", "b")
    expect(page.locator("#held-words")).to_contain_text("End of step 2 held")
    whole = page.locator("[data-question=complete]")
    expect(whole.get_by_text(f"Audit: no, “{NOTE}”")).to_be_visible()
    expect(whole.get_by_label("Yes")).to_be_checked()
    press(page, "Shift+ArrowRight", "Escape")

    # An answer was about the segment as it was.
    expect(whole.get_by_label("Yes")).not_to_be_checked()
    expect(rows.nth(1)).to_contain_text("end +1.0 s")
    expect(rows.nth(2)).to_contain_text("start +1.0 s")
    expect(rows.nth(0)).to_contain_text("checked")
    expect(rows.nth(1)).to_contain_text("unchecked")
    expect(page.locator("#left")).not_to_have_text("nothing left")
    press(page, "2", "2", "2", "n", "2", "2", "2")
    expect(page.locator("#left")).to_have_text("nothing left")
    # What was proposed can be brought back, and its neighbour follows.
    press(page, "p", "d")
    expect(rows.nth(1)).to_contain_text("0:01.0–0:02.2")
    press(page, "Control+z")
    expect(page.locator("#left")).not_to_have_text("nothing left")
    press(page, "2", "2", "2", "n", "2", "2", "2")
    expect(page.locator("#left")).to_have_text("nothing left")
    assert problems_of(page) == []
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


LABELLED = (
    Segment("a", "steps", 1.0, 4.0, "0", is_proposal=True),
    Segment("b", "steps", 4.0, 8.0, "1", is_proposal=True),
    Segment("m", "steps", None, None, "4", is_proposal=True),
)


def submitted(segmenting, *segments):
    """Give somebody's segmentation these segments, and submit it unseen."""
    own = segmenting.own
    for item in segments:
        own.segments.create(guideline=own.round.guideline, **item.to_dict())
    own.status, own.started_at = "submitted", "2026-01-01T00:00:00Z"
    own.submitted_at = own.started_at
    own.save()
    return segmenting


def test_a_review_confirms_or_changes_each_segment_beside_the_author(
    page: Page, live_server, transactional_db, tmp_path
):
    mine = [replace(item, is_proposal=False) for item in LABELLED]
    author = submitted(make_segmenting(tmp_path, steps=STEPS[:2] + STEPS[4:]), *mine)
    author.own.segments.filter(key="m").update(step_id="2")
    review = follow(author, stage="review")
    open_segments(page, live_server, review)
    wait_until_playable(page)
    rows = page.locator(".sheet .row")
    expect(page.get_by_text("Author", exact=True)).to_be_visible()
    expect(rows.nth(0)).to_contain_text("unchecked")

    press(page, "y")
    expect(rows.nth(0)).to_contain_text("confirmed")
    press(page, "b", "b", "ArrowRight", "ArrowRight", "Escape")
    expect(rows.nth(1)).to_contain_text("end +0.2 s")
    expect(rows.nth(1)).to_contain_text("changed")
    press(page, "n", "y", "s")
    preview = page.get_by_role("dialog", name="What you changed")
    expect(preview).to_contain_text("3 segments: 1 changed, 0 inserted, 0 deleted.")
    preview.get_by_role("button", name="Accept").click()
    expect(page.locator("#notices")).to_contain_text("Accepted")

    author.own.refresh_from_db()
    review.own.refresh_from_db()
    assert (author.own.status, review.own.status) == ("accepted", "submitted")
    assert [row[:3] for row in review.segments() if row[0]] == [(1.0, 4.0, "0"), (4.0, 8.2, "1")]


def test_a_review_is_returned_with_a_note(page: Page, live_server, transactional_db, tmp_path):
    author = submitted(make_segmenting(tmp_path), replace(LABELLED[0], is_proposal=False))
    review = follow(author, stage="review")
    open_segments(page, live_server, review)

    page.get_by_role("button", name="Return").click()
    page.get_by_label("Note for the author").fill("Step 2 is missing")
    page.reload()
    page.get_by_role("button", name="Return").click()
    expect(page.get_by_label("Note for the author")).to_have_value("Step 2 is missing")
    page.get_by_role("button", name="Return it").click()
    expect(page.locator("#notices")).to_contain_text("Returned to its author")

    author.own.refresh_from_db()
    assert (author.own.status, author.own.reason) == ("returned", "Step 2 is missing")


def between(first, *others):
    """Return a referee between what was submitted and what somebody else submits."""
    other = type(first)(
        UserFactory(username="other"),
        SegmentationFactory(recording=first.own.recording, person=UserFactory(username="second")),
    )
    submitted(other, *others)
    made = SegmentRoundFactory(
        campaign=first.own.round.campaign, stage="adjudicate", source="round",
        source_round=first.own.round,
    ).round  # fmt: skip
    recording = SegmentRecording.objects.create(
        round=made, take=first.own.recording.take, source_segmentation=first.own
    )
    person = UserFactory(username="referee")
    own = SegmentationFactory(recording=recording, person=person)
    own.based_on.set([first.own, other.own])
    return type(first)(person, own)


def test_differences_of_two_are_decided_one_by_one(
    page: Page, live_server, transactional_db, tmp_path
):
    first = submitted(
        make_segmenting(tmp_path, steps=STEPS[:3]),
        Segment("a1", "steps", 1.0, 4.0, "0"),
        Segment("a2", "steps", 4.0, 8.0, "1"),
        Segment("a3", "steps", 9.0, 12.0, "2"),
    )
    referee = between(
        first,
        Segment("b1", "steps", 1.0, 4.0, "0"),
        Segment("b2", "steps", 4.0, 8.4, "1"),
        Segment("b3", "steps", 9.0, 12.0, "-1", text="sing"),
        Segment("b4", "steps", 14.0, 15.0, "-1", text="dance"),
    )
    open_segments(page, live_server, referee)
    wait_until_playable(page)
    panel = page.locator("#checks")
    expect(panel).to_contain_text("3 differences left")
    lane_a = page.locator(".lane.other").first
    a_is_first = lane_a.locator(".seg:visible").count() == 3

    # The label first, then what only one has, then the edges.
    expect(panel).to_contain_text("undefined step")
    assert problems_of(page) == []
    cause = page.get_by_label("Why they differ")
    # No cause is chosen that nobody chose, and without one nothing is decided.
    press(page, "1" if a_is_first else "2")
    expect(page.locator("#notices")).to_contain_text("First choose why they differ")
    expect(cause).to_be_focused()
    expect(panel).to_contain_text("3 differences left")
    cause.select_option("Slip")
    page.keyboard.press("1" if a_is_first else "2")
    expect(panel).to_contain_text("2 differences left")
    expect(cause).to_have_value("")
    cause.select_option("Ambiguous event")
    press(page, "1" if a_is_first else "2")
    expect(panel).to_contain_text("1 difference left")
    cause.select_option("Slip")
    press(page, "3")
    expect(panel).to_contain_text("Every difference is decided")
    press(page, "5")
    expect(page.locator("#left")).to_have_text("nothing left")
    press(page, "s")
    expect(page.locator("#notices")).to_contain_text("Submitted")

    assert [row[:3] for row in referee.segments()] == [
        (1.0, 4.0, "0"),
        (4.0, 8.2, "1"),
        (9.0, 12.0, "2"),
    ]
    assert causes_of(referee.own.round) == [("Ambiguous event", 1), ("Slip", 2)]
    names = set(referee.own.events.values_list("name", flat=True))
    side = "A" if a_is_first else "B"
    assert f"take {side}: slip" in names
    assert "take the mean edges: slip" in names


def test_the_same_proposal_in_two_places_is_decided_twice(
    page: Page, live_server, transactional_db, tmp_path
):
    # One joined the two proposals, the other moved the edge between them.
    first = submitted(
        make_segmenting(tmp_path, steps=STEPS[:2]),
        Segment("p1", "steps", 0.0, 10.0, "0"),
    )
    apart = [Segment("p1", "steps", 0.0, 2.0, "0"), Segment("p2", "steps", 2.0, 10.0, "1")]
    referee = between(first, *apart)
    open_segments(page, live_server, referee)
    panel = page.locator("#checks")
    expect(panel).to_contain_text("2 differences left")
    joined_is_first = page.locator(".lane.other").first.locator(".seg:visible").count() == 1

    page.get_by_label("Why they differ").select_option("Slip")
    press(page, "2" if joined_is_first else "1")
    expect(panel).to_contain_text("1 difference left")
    page.get_by_label("Why they differ").select_option("Slip")
    press(page, "2" if joined_is_first else "1")
    expect(panel).to_contain_text("Every difference is decided")
    expect_saved(page)

    assert [row[:3] for row in referee.segments()] == [(0.0, 2.0, "0"), (2.0, 10.0, "1")]
