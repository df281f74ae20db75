"""From the first look to the last decision: begin, submit, reopen, reject, return, accept."""

import pytest

from annotation.models import AuditEntry, CampaignRater
from annotation.services.campaigns.protocol import set_consent_text
from segments.engine.faults import FaultKind
from segments.models import RejectReason, Segmentation, SegmentEvent, SegmentRecording
from segments.selectors.history import state_at
from segments.selectors.saving import stored_segments
from segments.selectors.segmentations import segment_page
from segments.services.errors import IncompleteWorkError, SegmentsClosedError
from segments.services.segmentations import (
    accept,
    begin,
    carry_over,
    reject,
    reopen,
    return_to_author,
    submit,
)
from tests.factories import SegmentationFactory, SegmentRoundFactory, UserFactory
from tests.segments.segmenting import answer, close, insert, make_segmentation, piece, put, save

pytestmark = pytest.mark.django_db

WHOLE = (piece("a", 0, 5, step_id="1"), piece("b", 5, 10, step_id="2"))
QUESTIONS = ("accurate", "specific", "complete")


def begun(**more):
    own = make_segmentation(**more)
    begin(public_id=own.public_id, actor=own.person)
    own.refresh_from_db()
    return own


def act(service, own, **more):
    return service(public_id=own.public_id, actor=own.person, **more)


def status_of(own):
    return Segmentation.objects.get(pk=own.pk).status


def closing_code(service, own, **more):
    with pytest.raises(SegmentsClosedError) as raised:
        act(service, own, **more)
    return raised.value.code


# The first look


def test_proposals_are_the_first_gesture_and_come_from_the_site():
    own = begun(proposals=WHOLE)

    assert (own.head, own.content == "", own.started_at is None) == (1, False, False)
    assert stored_segments(own.pk) == {item.key: item for item in WHOLE}
    assert state_at(own, 1).segments == stored_segments(own.pk)
    assert set(SegmentEvent.objects.values_list("name", "client_id", "head")) == {
        ("begin", "site", 1)
    }
    assert begin(public_id=own.public_id, actor=own.person) is False
    assert SegmentEvent.objects.count() == 2


def test_without_proposals_the_log_begins_empty():
    own = begun()

    assert (own.head, stored_segments(own.pk), own.started_at is None) == (0, {}, False)


def test_nothing_begins_in_a_closed_round_nor_before_consent():
    closed, asked = make_segmentation(proposals=WHOLE), make_segmentation(proposals=WHOLE)
    close(closed)
    set_consent_text(campaign=asked.round.campaign, text="Agreed?", actor=UserFactory())

    for own in (closed, asked):
        assert begin(public_id=own.public_id, actor=own.person) is False
        assert Segmentation.objects.get(pk=own.pk).started_at is None


# Submitting


def test_faults_stop_submitting_and_are_listed():
    own = begun(scheme="partition")
    save(own, insert(1, "a", 1, 10))

    with pytest.raises(IncompleteWorkError) as raised:
        act(submit, own)

    assert [fault.kind for fault in raised.value.faults] == [FaultKind.GAP, FaultKind.NO_STEP]
    assert str(raised.value) == "2 faults left"
    assert status_of(own) == "open"


def test_a_whole_one_is_submitted_once():
    own = begun(scheme="partition", proposals=WHOLE)

    first = act(submit, own)
    again = act(submit, own)

    assert (status_of(own), first.submitted_at) == ("submitted", again.submitted_at)
    assert AuditEntry.objects.filter(action="segmentation.submit").count() == 1


def test_proposals_that_nobody_took_over_stop_submitting():
    own = begun(scheme="partition", proposals=[piece("a", 0, 10, step_id="1", is_proposal=True)])

    with pytest.raises(IncompleteWorkError) as raised:
        act(submit, own)

    assert [fault.kind for fault in raised.value.faults] == [FaultKind.PROPOSAL]


def test_where_edges_are_locked_their_faults_do_not_stop_anybody():
    pieces = [piece("a", 0, 4, step_id="1"), piece("b", 3, 20, step_id="2")]
    own = begun(scheme="partition", proposals=pieces, has_locked_edges=True)

    assert act(submit, own).status == "submitted"


def answered(own, answers=(True, True, True), revisions=(1, 1), first=1):
    checks = [
        (key, revision, question, said)
        for key, revision in zip("ab", revisions, strict=True)
        for question, said in zip(QUESTIONS, answers, strict=True)
    ]
    return answer(own, *checks, first=first)


def test_an_audit_needs_an_answer_to_every_question_whatever_it_is():
    own = begun(stage="audit", scheme="partition", proposals=[*WHOLE])
    answer(own, ("a", 1, "accurate", False), ("a", 1, "specific", True))

    with pytest.raises(IncompleteWorkError) as raised:
        act(submit, own)

    assert raised.value.faults == ()
    assert raised.value.unanswered == (
        ("a", "complete"), ("b", "accurate"), ("b", "specific"), ("b", "complete"),
    )  # fmt: skip
    answered(own, (False, True, False), first=10)
    assert act(submit, own).status == "submitted"


def test_a_correction_needs_yes_to_every_question_on_what_is_there_now():
    own = begun(stage="correct", scheme="partition", proposals=[*WHOLE])
    answered(own)
    save(own, put(1, "a", 1, step_id="3"))

    with pytest.raises(IncompleteWorkError) as raised:
        act(submit, own)
    assert raised.value.unanswered == tuple(("a", question) for question in QUESTIONS)

    answered(own, (True, True, False), revisions=(2, 1), first=20)
    with pytest.raises(IncompleteWorkError) as raised:
        act(submit, own)
    assert raised.value.unanswered == (("a", "complete"), ("b", "complete"))

    answered(own, revisions=(2, 1), first=30)
    assert act(submit, own).status == "submitted"


# Afterwards


def test_it_is_opened_again_until_the_round_closes():
    own = begun(scheme="partition", proposals=WHOLE)
    act(submit, own)

    assert act(reopen, own).status == "open"
    save(own, put(1, "a", 1, step_id="3"))
    act(submit, own)
    close(own)
    assert closing_code(reopen, own) == "closed"
    assert closing_code(submit, own) == "closed"
    assert status_of(own) == "submitted"


def test_a_recording_is_rejected_with_a_reason_and_taken_up_again():
    own = begun()

    rejected = act(reject, own, reason=RejectReason.QUALITY, note="All dark")

    assert (rejected.status, rejected.reject_reason, rejected.reason) == (
        "rejected", "quality", "All dark",
    )  # fmt: skip
    opened = act(reopen, own)
    assert (opened.status, opened.reject_reason, opened.reason) == ("open", "", "")


def test_work_goes_on_with_a_replaced_recording_only_after_a_word():
    own = begun(proposals=[piece("a", 0, 5, step_id="1")])
    take = own.recording.take
    take.steps.filter(step_id="1").delete()
    take.content_hash = "another"
    take.save()
    assert closing_code(submit, own) == "replaced"
    assert segment_page(own.person, own.public_id).is_replaced

    act(carry_over, own)

    page = segment_page(own.person, own.public_id)
    assert (page.is_replaced, page.can_edit) == (False, True)
    assert stored_segments(own.pk) == {"a": piece("a", 0, 5, step_id="1")}
    with pytest.raises(IncompleteWorkError) as raised:
        act(submit, own)
    assert FaultKind.UNKNOWN_STEP in {fault.kind for fault in raised.value.faults}


def test_nothing_is_carried_over_to_what_is_finished():
    own = begun(scheme="partition", proposals=WHOLE)
    act(submit, own)

    assert closing_code(carry_over, own) == "submitted"


def test_an_accepted_one_is_not_opened_again():
    own = begun()
    Segmentation.objects.update(status="accepted")

    assert closing_code(reopen, own) == "submitted"


# Reviews


def review_of(author):
    """Return a reviewer's own of what the author submitted, as a planned round has it."""
    made = SegmentRoundFactory(campaign=author.round.campaign, scheme="partition", stage="review")
    recording = SegmentRecording.objects.create(
        round=made.round,
        take=author.recording.take,
        source_segmentation=author,
        proposals=[
            {**item.to_dict(), "is_proposal": True} for item in stored_segments(author.pk).values()
        ],
    )
    review = SegmentationFactory(recording=recording)
    review.based_on.add(author)
    begin(public_id=review.public_id, actor=review.person)
    return review


@pytest.fixture
def author(db):
    own = begun(scheme="partition", proposals=WHOLE)
    act(submit, own)
    return own


def test_a_reviewer_sees_the_authors_segments_and_no_name(author):
    review = review_of(author)

    page = segment_page(review.person, review.public_id)

    assert [(lane.title, lane.segments) for lane in page.lanes] == [("Author", WHOLE)]
    assert author.person.username not in str(page.to_dict())
    assert author.public_id not in str(page.to_dict())


def test_what_is_returned_waits_for_its_author_and_comes_again(author):
    """What the author changed is to be looked at again; the reviewer's other work stays."""
    review = review_of(author)
    save(review, put(1, "a", 1, is_proposal=False, text="as it is"))

    act(return_to_author, review, note="The second begins later.")

    back = Segmentation.objects.get(pk=author.pk)
    assert (back.status, back.reason) == ("returned", "The second begins later.")
    assert segment_page(review.person, review.public_id).waits_for_author
    with pytest.raises(SegmentsClosedError) as raised:
        save(review, put(2, "b", 1, is_proposal=False))
    assert raised.value.code == "locked"
    assert closing_code(return_to_author, review, note="Again") == "locked"

    save(author, put(1, "b", 1, step_id="3"))
    act(submit, author)

    now = stored_segments(review.pk)
    assert now["a"] == piece("a", 0, 5, step_id="1", text="as it is", revision=2)
    assert now["b"] == piece("b", 5, 10, step_id="3", is_proposal=True, revision=2)
    review.refresh_from_db()
    assert state_at(review, review.head).segments == now
    assert not segment_page(review.person, review.public_id).waits_for_author


def test_what_the_author_deleted_leaves_the_review_and_what_is_new_comes(author):
    review = review_of(author)
    act(return_to_author, review, note="One step is too much.")

    save(author, put(1, "b", 1, is_deleted=True), put(2, "a", 1, end_s=8))
    save(author, insert(3, "c", 8, 10, step_id="3"))
    act(submit, author)

    now = stored_segments(review.pk)
    assert {key: (item.is_deleted, item.is_proposal) for key, item in now.items()} == {
        "a": (False, True),
        "b": (True, True),
        "c": (False, True),
    }


def test_the_author_sees_what_the_reviewer_made_of_it_and_no_name(author):
    review = review_of(author)
    assert segment_page(author.person, author.public_id).lanes == ()
    save(review, put(1, "b", 1, is_proposal=False, step_id="3"))

    act(return_to_author, review, note="See the second.")

    [lane] = segment_page(author.person, author.public_id).lanes
    assert (lane.title, [item.step_id for item in lane.segments]) == ("Review", ["1", "3"])
    assert review.person.username not in str(segment_page(author.person, author.public_id))


def test_accepting_needs_a_look_at_every_segment_and_ends_both(author):
    review = review_of(author)
    with pytest.raises(IncompleteWorkError):
        act(accept, review)
    assert status_of(author) == "submitted"

    save(review, put(1, "a", 1, is_proposal=False), put(2, "b", 1, is_proposal=False))
    assert act(accept, review).status == "submitted"

    assert status_of(author) == "accepted"
    assert closing_code(reopen, author) == "submitted"


def test_a_reviewer_who_thinks_again_returns_what_was_accepted(author):
    review = review_of(author)
    save(review, put(1, "a", 1, is_proposal=False), put(2, "b", 1, is_proposal=False))
    act(accept, review)

    assert act(return_to_author, review, note="Look at the second again.").status == "open"

    assert status_of(author) == "returned"
    save(author, put(1, "b", 1, step_id="3"))
    act(submit, author)
    assert stored_segments(review.pk)["b"] == piece(
        "b", 5, 10, step_id="3", is_proposal=True, revision=3
    )


def test_who_left_the_campaign_gets_nothing_of_what_comes_again(author):
    review = review_of(author)
    act(return_to_author, review, note="The second begins later.")
    CampaignRater.objects.filter(rater=review.person).delete()

    save(author, put(1, "b", 1, step_id="3"))
    act(submit, author)

    assert stored_segments(review.pk)["b"].step_id == "2"


def test_only_a_review_returns_and_accepts(author):
    assert closing_code(return_to_author, author, note="x") == "locked"
    assert closing_code(accept, author) == "locked"


def test_nothing_is_returned_to_a_round_that_is_closed(author):
    review = review_of(author)
    close(author)

    assert closing_code(return_to_author, review, note="x") == "closed"
