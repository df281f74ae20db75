"""When segments cannot be saved, and the answers to questions about them."""

import pytest
from django.db import connection

from annotation.models import AuditEntry, CampaignRater, Role
from annotation.services.campaigns.protocol import accept_consent, set_consent_text
from segments.models import Segmentation, SegmentCheck, SegmentEvent
from segments.selectors.saving import StandingAnswer
from segments.selectors.segmentations import content_of_recording
from segments.services.errors import CheckConflictError, InvalidGestureError, SegmentsClosedError
from segments.services.saving import ChecksSaved
from segments.services.segmentations import begin
from tests.factories import SegmentationFactory, UserFactory
from tests.segments.segmenting import answer, close, insert, make_segmentation, piece, put, save

pytestmark = pytest.mark.django_db


def refusal_of(own, *gestures, **more):
    with pytest.raises(SegmentsClosedError) as raised:
        save(own, *gestures, **more)
    assert SegmentEvent.objects.filter(client_id="tab").count() == len(raised.value.saved)
    return raised.value.code, raised.value.saved


def test_a_closed_round_takes_nothing_and_answers_what_it_has():
    own = make_segmentation()
    save(own, insert(1, "a", 0, 2))
    close(own)

    assert save(own, insert(1, "a", 0, 2)).saved == (1,)
    assert refusal_of(own, insert(1, "a", 0, 2), insert(2, "b", 2, 3)) == ("closed", (1,))


@pytest.mark.parametrize("status", ["submitted", "accepted", "rejected"])
def test_what_is_finished_takes_nothing(status):
    own = make_segmentation()
    begin(public_id=own.public_id, actor=own.person)
    Segmentation.objects.update(status=status)

    assert refusal_of(own, insert(1, "a", 0, 2)) == ("submitted", ())


def test_a_returned_one_is_worked_on():
    own = make_segmentation()
    begin(public_id=own.public_id, actor=own.person)
    Segmentation.objects.update(status="returned")

    assert save(own, insert(1, "a", 0, 2)).status == "returned"


def test_nothing_is_saved_to_a_recording_that_was_replaced():
    own = make_segmentation()
    begin(public_id=own.public_id, actor=own.person)
    take = own.recording.take
    take.content_hash = "another"
    take.save()

    assert refusal_of(own, insert(1, "a", 0, 2)) == ("replaced", ())


def test_nothing_is_saved_from_a_page_of_another_version():
    own = make_segmentation()

    assert refusal_of(own, insert(1, "a", 0, 2), content="another") == ("replaced", ())
    now = content_of_recording(own.recording)
    assert save(own, insert(1, "a", 0, 2), content=now).saved == (1,)


def test_an_audit_changes_no_segment():
    own = make_segmentation(stage="audit", scheme="partition", proposals=[piece("a", 0, 10)])

    assert refusal_of(own, put(1, "a", 1, step_id="1")) == ("locked", ())


@pytest.mark.parametrize(
    ("values", "is_taken"),
    [
        ({"step_id": "2", "text": "pour"}, True),
        ({"end_s": 3}, False),
        ({"is_deleted": True}, False),
    ],
)
def test_locked_edges_take_labels_and_texts_alone(values, is_taken):
    own = make_segmentation(has_locked_edges=True, proposals=[piece("a", 0, 2)])
    begin(public_id=own.public_id, actor=own.person)

    if is_taken:
        assert save(own, put(1, "a", 1, **values)).saved == (1,)
    else:
        assert refusal_of(own, put(1, "a", 1, text="x"), put(2, "a", 2, **values)) == (
            "locked",
            (1,),
        )


def test_locked_edges_take_no_new_times_but_a_missing_step():
    own = make_segmentation(has_locked_edges=True, proposals=[piece("a", 0, 2)])

    missing = insert(1, "m", None, None, step_id="2")

    assert refusal_of(own, missing, insert(2, "b", 3, 4)) == ("locked", (1,))


def test_the_consent_text_is_asked_before_the_first_gesture():
    own = make_segmentation()
    text = set_consent_text(campaign=own.round.campaign, text="Agreed?", actor=UserFactory())

    assert refusal_of(own, insert(1, "a", 0, 2)) == ("consent", ())
    accept_consent(text=text, rater=own.person)
    assert save(own, insert(1, "a", 0, 2)).saved == (1,)


def test_who_saves_without_having_looked_finds_the_proposals_below():
    own = make_segmentation(proposals=[piece("a", 0, 2)])

    saved = save(own, put(1, "a", 1, step_id="1"))

    assert (saved.head, saved.segments) == (2, (piece("a", 0, 2, step_id="1", revision=2),))


@pytest.mark.parametrize("who", ["stranger", "colleague of the round", "owner", "who left"])
def test_nobody_else_has_it(who):
    own = make_segmentation()
    actor = UserFactory(role=Role.RESEARCHER if who == "owner" else Role.ANNOTATOR)
    if who == "colleague of the round":
        actor = SegmentationFactory(recording=own.recording).person
    if who == "who left":
        actor = own.person
        CampaignRater.objects.filter(rater=actor).delete()

    with pytest.raises(Segmentation.DoesNotExist):
        save(own, insert(1, "a", 0, 2), actor=actor)


def test_a_round_that_is_not_opened_has_nothing():
    own = make_segmentation()
    own.round.opened_at = None
    own.round.save()

    with pytest.raises(Segmentation.DoesNotExist):
        save(own, insert(1, "a", 0, 2))


def test_a_save_is_told_to_the_audit_log():
    own = make_segmentation()

    save(own, insert(1, "a", 0, 2))

    entry = AuditEntry.objects.get(action="segments.save")
    assert (entry.actor, entry.subject) == (own.person, f"segmentation:{own.public_id}")
    assert entry.detail == {"client": "tab", "gestures": [[1, "draw", ["a"]]]}


@pytest.mark.parametrize("count", [1, 40])
def test_a_save_costs_the_same_whatever_lies_around(count, django_assert_num_queries):
    proposals = [piece(f"p{number}", number, number + 1) for number in range(count)]
    own = make_segmentation(proposals=proposals)
    begin(public_id=own.public_id, actor=own.person)

    # Lock (PostgreSQL), state, segment; segment, log, head, audit log; begin and end.
    with django_assert_num_queries(9 if connection.vendor == "postgresql" else 8):
        save(own, put(1, "p0", 1, step_id="1"))


# Answers


def audited(**more):
    pieces = [piece("a", 0, 5, step_id="1"), piece("b", 5, 10, step_id="2")]
    return make_segmentation(stage="audit", scheme="partition", proposals=pieces, **more)


def test_answers_are_kept_and_the_last_one_counts():
    own = audited()

    answer(own, ("a", 1, "accurate", True), ("b", 1, "accurate", False))
    saved = answer(own, ("a", 1, "accurate", False), first=3)

    assert saved == ChecksSaved((3,), (StandingAnswer("a", 1, "accurate", False, ""),))
    assert SegmentCheck.objects.count() == 3


def test_an_answer_that_is_sent_twice_counts_once():
    own = audited()
    answer(own, ("a", 1, "accurate", True))

    again = answer(own, ("a", 1, "accurate", True), ("a", 1, "specific", True))

    assert again.saved == (1, 2)
    assert SegmentCheck.objects.count() == 2
    with pytest.raises(InvalidGestureError):
        answer(own, ("a", 1, "accurate", False))


def test_an_answer_about_an_older_segment_is_refused_with_what_is_there_now():
    own = make_segmentation(stage="correct", scheme="partition", proposals=[piece("a", 0, 10)])
    save(own, put(1, "a", 1, step_id="1"))

    with pytest.raises(CheckConflictError) as raised:
        answer(own, ("a", 2, "accurate", True), ("a", 1, "specific", True))

    assert (raised.value.saved, raised.value.sequence) == ((1,), 2)
    assert raised.value.theirs == piece("a", 0, 10, step_id="1", revision=2)
    assert SegmentCheck.objects.count() == 1


@pytest.mark.parametrize(
    ("check", "field"),
    [(("a", 1, "pretty", True), "question"), (("z", 1, "accurate", True), "key")],
)
def test_an_answer_to_nothing_is_refused_by_name(check, field):
    with pytest.raises(InvalidGestureError) as raised:
        answer(audited(), check)

    assert raised.value.field == field
    assert SegmentCheck.objects.count() == 0


def test_a_closed_round_takes_no_answers():
    own = audited()
    close(own)

    with pytest.raises(SegmentsClosedError) as raised:
        answer(own, ("a", 1, "accurate", True))
    assert raised.value.code == "closed"
