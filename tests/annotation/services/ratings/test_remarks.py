"""What raters say besides answers is stored like them: once, in order, never overwritten unseen."""

from datetime import timedelta

import pytest

from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.ratings.remarks import RemarkChange, RemarkKey, RemarkKind
from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Remark
from annotation.selectors.corpus.corpus import has_ratings
from annotation.selectors.ratings.assignments import rating_sheet
from annotation.selectors.ratings.remarks import notes_of, shown_notes
from annotation.services.ratings.assignments import skip_assignment, submit_assignment
from annotation.services.ratings.errors import (
    ContentReplacedError,
    InvalidChangeError,
    InvalidRemarkError,
    RatingsClosedError,
    RemarkConflictError,
    UnknownEventError,
)
from annotation.services.ratings.remarks import save_remarks
from annotation.services.ratings.saving import save_changes
from tests.annotation.rating_changes import AT, LOGIC, SEQUENCE, change, make_assignment, save
from tests.factories import CampaignFactory, CampaignRaterFactory, UserFactory

pytestmark = pytest.mark.django_db
COMMENT = RemarkKind.COMMENT


def remark(
    sequence: int, text: str, *, kind: RemarkKind = COMMENT, event: int | None = None, base: int = 0
) -> RemarkChange:
    return RemarkChange(
        sequence=sequence,
        key=RemarkKey(event, kind),
        text=text,
        base_revision=base,
        written_at=AT + timedelta(seconds=sequence),
    )


def say(assignment: Assignment, *remarks: RemarkChange, client: str = "tab", **more):
    return save_remarks(
        public_id=assignment.public_id,
        client_id=client,
        remarks=remarks,
        actor=assignment.rater,
        **more,
    )


def standing() -> dict[tuple[int | None, str], tuple[str, int]]:
    rows = Remark.objects.filter(is_current=True)
    return {
        (event, kind): (text, revision)
        for event, kind, text, revision in rows.values_list(
            "event__index", "kind", "text", "revision"
        )
    }


def cannot(sequence: int, metric: Metric, reason: str, *, event: int = 0) -> RatingChange:
    return RatingChange(
        sequence=sequence,
        key=RatingKey(event, metric),
        answer=Answer("", None, reason),
        base_revision=0,
        rated_at=AT + timedelta(seconds=sequence),
    )


def test_every_text_stays_in_the_log_and_the_last_one_stands():
    assignment = make_assignment(event_count=2)

    say(assignment, remark(1, "Is it"), remark(2, "Is it hot?"), remark(3, "No cup", event=1))
    say(assignment, remark(4, "", event=1, base=1))

    assert standing() == {
        (None, "comment"): ("Is it hot?", 2),
        (1, "comment"): ("", 2),
    }
    assert list(Remark.objects.order_by("pk").values_list("text", flat=True)) == [
        "Is it",
        "Is it hot?",
        "No cup",
        "",
    ]
    assignment.refresh_from_db()
    assert assignment.started_at is not None


def test_a_remark_sent_twice_counts_once():
    assignment = make_assignment()

    for _ in range(2):
        states = say(assignment, remark(1, "Hot"), remark(1, "Hot"))

    assert [(key.kind, state.text, state.revision) for key, state in states.items()] == [
        (COMMENT, "Hot", 1)
    ]
    assert Remark.objects.count() == 1


def test_another_text_under_a_used_number_is_refused():
    assignment = make_assignment()
    say(assignment, remark(1, "Hot"))

    with pytest.raises(InvalidRemarkError, match="sequence: a number that this client has not"):
        say(assignment, remark(1, "Cold"))

    assert standing() == {(None, "comment"): ("Hot", 1)}


def test_a_stale_text_of_another_tab_is_a_conflict_and_what_came_before_it_is_stored():
    assignment = make_assignment()
    say(assignment, remark(1, "Hot"), client="first")

    with pytest.raises(RemarkConflictError) as caught:
        say(assignment, remark(1, "Sees it", event=0), remark(2, "Cold"), client="second")

    assert (caught.value.saved, caught.value.theirs.text) == ((1,), "Hot")
    assert standing() == {(None, "comment"): ("Hot", 1), (0, "comment"): ("Sees it", 1)}


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (remark(2, "x", event=5), UnknownEventError, "this trace has no event 5"),
        (
            remark(2, "x", event=0, kind=RemarkKind.BROKEN_TRACE),
            InvalidRemarkError,
            "event: none, because it is about the whole trace",
        ),
    ],
)
def test_a_remark_that_cannot_stand_leaves_nothing_of_its_batch(wrong, error, message):
    assignment = make_assignment()

    with pytest.raises(error, match=message):
        say(assignment, remark(1, "Hot"), wrong)

    assert standing() == {}


def test_nothing_is_said_after_submission_nor_about_another_version():
    assignment = make_assignment(event_count=0)
    submit_assignment(assignment=assignment, actor=assignment.rater)

    with pytest.raises(RatingsClosedError):
        say(assignment, remark(1, "Hot"))
    with pytest.raises(ContentReplacedError):
        say(assignment, remark(1, "Hot"), content="another")


def test_nobody_speaks_for_another_rater():
    assignment = make_assignment()
    stranger = UserFactory()

    with pytest.raises(Assignment.DoesNotExist):
        save_remarks(
            public_id=assignment.public_id,
            client_id="tab",
            remarks=[remark(1, "x")],
            actor=stranger,
        )


def test_without_the_video_its_metrics_are_not_asked_until_the_rater_goes_by_it_again():
    assignment = make_assignment(has_video=True)
    video = Metric.VIDEO_PLAUSIBILITY

    say(assignment, remark(1, "yes", kind=RemarkKind.WITHOUT_VIDEO))
    assignment.refresh_from_db()
    without = {key.metric for key in rating_sheet(assignment).missing}
    with pytest.raises(InvalidChangeError, match="a metric that needs no video"):
        save(assignment, change(1, video, "3"))
    counted = save(assignment, change(2, Metric.ERROR_VALIDITY, "yes")).missing_count
    say(assignment, remark(2, "", kind=RemarkKind.WITHOUT_VIDEO, base=1))
    assignment.refresh_from_db()

    assert video not in without
    assert Metric.TEXT_VIDEO_GROUNDING not in without
    assert counted == len(without) - 1
    assert len(rating_sheet(assignment).missing) == counted + 2


def test_what_cannot_be_judged_is_answered_and_implies_nothing():
    assignment = make_assignment()

    result = save(assignment, cannot(1, LOGIC, "knowledge"), change(2, SEQUENCE, "4"))

    assert [
        (item.key.metric, item.answer.value, item.answer.cannot_judge, item.is_implied)
        for item in result.ratings
    ] == [(LOGIC, "", "knowledge", False), (SEQUENCE, "4", "", False)]
    assert result.missing_count == len(rating_sheet(assignment).missing) == 5


def test_an_answer_takes_the_place_of_a_reason_and_back():
    assignment = make_assignment()

    save(assignment, cannot(1, SEQUENCE, "unclear"), change(2, LOGIC, "no", 2))
    implied = rating_sheet(assignment).ratings[1].answer
    save(assignment, change(3, LOGIC, "yes", 2))
    back = rating_sheet(assignment).ratings[1].answer

    assert implied == Answer("5")
    assert back == Answer("", None, "unclear")


def test_a_value_with_a_reason_is_refused():
    assignment = make_assignment()
    both = RatingChange(1, RatingKey(0, SEQUENCE), Answer("3", None, "unclear"), 0, AT)

    with pytest.raises(InvalidChangeError, match="cannot_judge is 'unclear'; expected none where"):
        save_changes(
            public_id=assignment.public_id,
            client_id="tab",
            changes=[both],
            actor=assignment.rater,
        )


def test_a_comment_keeps_its_trace_from_being_replaced():
    assignment = make_assignment()
    before = has_ratings(assignment.trace)

    say(assignment, remark(1, "Hot"))

    assert (before, has_ratings(assignment.trace)) == (False, True)


@pytest.mark.parametrize("rater_count", [1, 3])
def test_the_campaign_lists_everything_that_was_said(django_assert_num_queries, rater_count):
    campaign = CampaignFactory()
    for _ in range(rater_count):
        assignment = make_assignment(campaign=campaign)
        if not campaign.raters.filter(rater=assignment.rater).exists():
            CampaignRaterFactory(campaign=campaign, rater=assignment.rater)
        say(
            assignment,
            remark(1, "Hot", event=0),
            remark(2, "", event=0),
            remark(3, "Never poured"),
            remark(5, "Black", kind=RemarkKind.BROKEN_TRACE),
            remark(6, "yes", kind=RemarkKind.WITHOUT_VIDEO),
        )
        save(assignment, cannot(4, LOGIC, "knowledge"))
        skip_assignment(assignment=assignment, actor=assignment.rater)

    with django_assert_num_queries(3):
        shown, count = shown_notes(campaign, 50)

    mine = [item for item in shown if item.note.rater == assignment.rater.username]
    event = assignment.trace.events.get().event_id
    assert [(item.words, item.note.event, item.note.text) for item in mine] == [
        ("Skipped for now", "", ""),
        ("Rated without the video", "", ""),
        ("Damaged video", "", "Black"),
        ("Cannot judge Procedure Logic", event, "I do not know this procedure well enough"),
        ("Comment", "", "Never poured"),
    ]
    assert [item.note for item in shown] == notes_of(campaign)
    assert count == len(shown) == 5 * rater_count
    for most in range(1, count + 2):
        assert shown_notes(campaign, most) == (shown[:most], count)
