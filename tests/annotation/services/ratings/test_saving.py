"""Saving and submitting ratings: what is stored, what is refused, what is missing."""

from collections import Counter

import pytest
from django.db import connection
from django.utils import timezone

from annotation.engine.ratings.changes import Answer, RatingKey
from annotation.engine.rubric.rubric import Metric
from annotation.models import AuditEntry, Rating, RatingEvent, Take, Trace
from annotation.selectors.ratings.assignments import rating_sheet
from annotation.selectors.ratings.audit import get_audit_page
from annotation.services.ratings.assignments import reopen_assignment, submit_assignment
from annotation.services.ratings.errors import (
    ContentReplacedError,
    IncompleteError,
    InvalidChangeError,
    RatingsClosedError,
    UnknownEventError,
)
from annotation.services.ratings.saving import save_changes
from tests.annotation.rating_changes import (
    EVENT_ANSWERS,
    LOGIC,
    SEQUENCE,
    STATE,
    all_answers,
    change,
    log,
    make_assignment,
    save,
    value_and_confidence,
    values,
)
from tests.factories import (
    TakeFactory,
)


@pytest.mark.django_db
def test_save_changes_stores_value_log_and_audit_and_starts():
    assignment = make_assignment()

    result = save(assignment, change(1, Metric.ERROR_VALIDITY, "yes"))

    assert result.saved == (1,)
    assert result.missing_count == 6
    assert result.status == "open"
    assert [(item.key, item.answer, item.revision) for item in result.ratings] == [
        (RatingKey(0, Metric.ERROR_VALIDITY), Answer("yes"), 1)
    ]
    assert values(assignment) == {Metric.ERROR_VALIDITY: ("yes", None, False, 1)}
    assert log(assignment) == [(Metric.ERROR_VALIDITY, "yes", False, 1)]
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.subject) == (
        assignment.rater,
        "ratings.save",
        f"assignment:{assignment.public_id}",
    )
    assert entry.detail == {"client": "tab", "changes": [[1, 0, "error_validity", "yes"]]}
    assignment.refresh_from_db()
    started_at = assignment.started_at
    assert started_at <= timezone.now()

    save(assignment, change(2, Metric.ERROR_VALIDITY, "no", base=1))

    assignment.refresh_from_db()
    assert assignment.started_at == started_at


@pytest.mark.django_db
def test_save_changes_costs_few_queries_whatever_the_number_of_events(django_assert_num_queries):
    short, long = make_assignment(), make_assignment(event_count=30)
    lock = int(connection.features.has_select_for_update)

    for assignment in (short, long):
        save(assignment, change(1, Metric.CONFUSABILITY, "3"))
        with django_assert_num_queries(9 + lock):  # savepoint, 3 reads, 4 writes, release
            save(assignment, change(2, Metric.CONFUSABILITY, "4", base=1))


@pytest.mark.django_db
@pytest.mark.parametrize("change_content", ["trace", "take", "reference"])
def test_save_changes_refuses_answers_to_another_content(change_content):
    assignment = make_assignment()
    trace = assignment.trace
    content = get_audit_page(user=assignment.rater, public_id=assignment.public_id).content

    def save_to(content):
        return save_changes(
            public_id=assignment.public_id,
            client_id="tab",
            changes=[change(1, Metric.ERROR_VALIDITY, "yes")],
            actor=assignment.rater,
            content=content,
        )

    if change_content == "trace":
        Trace.objects.update(content_hash="changed")
    elif change_content == "take":
        Take.objects.update(content_hash="changed")
    else:
        Trace.objects.update(take=TakeFactory(dataset=trace.dataset))

    with pytest.raises(ContentReplacedError, match="was replaced by another version"):
        save_to(content)
    assert not Rating.objects.exists()
    now = get_audit_page(user=assignment.rater, public_id=assignment.public_id).content
    assert save_to(now).saved == (1,)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            change(1, Metric.CONFUSABILITY, "6"),
            "confusability: value is '6'; expected one of 1, 2, 3, 4, 5",
        ),
        (
            change(1, LOGIC, "no", 4),
            "procedure_logic: confidence is 4; expected one of 1, 2, 3",
        ),
        (
            change(1, SEQUENCE, "5", 2),
            "sequence_consistency: confidence is 2; expected none for this metric",
        ),
        (
            change(1, LOGIC, "", 2),
            "procedure_logic: confidence is 2; expected none without a value",
        ),
        (
            change(1, Metric.VIDEO_PLAUSIBILITY, "5"),
            "video_plausibility: metric is 'video_plausibility'; "
            "expected a metric that needs no video, because this trace has none",
        ),
        (
            change(1, SEQUENCE, "5", event=None),
            "sequence_consistency: event is None; "
            "expected an event for a metric that is rated once per event",
        ),
        (
            change(1, Metric.TEXT_VIDEO_GROUNDING, "5"),
            "text_video_grounding: event is 0; "
            "expected no event for a metric that is rated once per trace",
        ),
    ],
)
def test_a_change_that_the_rubric_does_not_take_is_refused_with_the_whole_batch(wrong, message):
    assignment = make_assignment()

    with pytest.raises(InvalidChangeError) as caught:
        save(assignment, change(0, STATE, "no"), wrong)

    assert str(caught.value) == message
    assert not RatingEvent.objects.exists()


@pytest.mark.django_db
def test_an_event_of_another_trace_is_unknown():
    assignment = make_assignment(event_count=1)
    make_assignment(event_count=2)

    with pytest.raises(UnknownEventError, match="this trace has no event 1"):
        save(assignment, change(1, SEQUENCE, "5", event=1))


@pytest.mark.django_db
def test_video_metrics_are_rated_where_there_is_a_video():
    assignment = make_assignment(has_video=True)

    result = save(
        assignment,
        change(1, Metric.VIDEO_PLAUSIBILITY, "5"),
        change(2, Metric.TEXT_VIDEO_GROUNDING, "4", event=None),
    )

    assert result.missing_count == 7
    assert len(rating_sheet(assignment).missing) == 7


@pytest.mark.django_db
def test_nothing_is_saved_after_the_campaign_closed():
    assignment = make_assignment()
    assignment.round.closed_at = timezone.now()
    assignment.round.save()

    with pytest.raises(RatingsClosedError, match="this round is closed") as caught:
        save(assignment, change(1, SEQUENCE, "5"))
    assert caught.value.code == "closed"
    for act in (submit_assignment, reopen_assignment):
        with pytest.raises(RatingsClosedError):
            act(assignment=assignment, actor=assignment.rater)


@pytest.mark.django_db
def test_submit_lists_what_is_missing_confidence_included():
    assignment = make_assignment(event_count=2)
    answers = {**EVENT_ANSWERS, LOGIC: Answer("yes", None)}
    save(
        assignment,
        *(change(i, m, *value_and_confidence(a)) for i, (m, a) in enumerate(answers.items())),
    )
    second = (
        change(10 + i, m, *value_and_confidence(a), event=1)
        for i, (m, a) in enumerate(all_answers())
    )
    result = save(assignment, *list(second)[1:])

    with pytest.raises(IncompleteError) as caught:
        submit_assignment(assignment=assignment, actor=assignment.rater)

    missing = (RatingKey(0, LOGIC), RatingKey(1, Metric.ERROR_VALIDITY))
    assert caught.value.missing == missing
    assert result.missing_count == len(missing)


@pytest.mark.django_db
def test_submit_and_reopen_leave_ratings_and_history():
    assignment = make_assignment()
    save(
        assignment,
        *(change(i, m, *value_and_confidence(a)) for i, (m, a) in enumerate(all_answers())),
    )
    before = (values(assignment), log(assignment))

    submitted = submit_assignment(assignment=assignment, actor=assignment.rater)
    submitted_at = submitted.submitted_at
    again = submit_assignment(assignment=assignment, actor=assignment.rater)
    assert (submitted.status, again.submitted_at) == ("submitted", submitted_at)
    reopened = reopen_assignment(assignment=assignment, actor=assignment.rater)
    reopen_assignment(assignment=assignment, actor=assignment.rater)

    assert (reopened.status, reopened.submitted_at) == ("open", None)
    assert (values(assignment), log(assignment)) == before
    actions = Counter(AuditEntry.objects.values_list("action", flat=True))
    assert actions == {"ratings.save": 1, "assignment.submit": 1, "assignment.reopen": 1}
    save(assignment, change(50, Metric.CONFUSABILITY, "5", base=1))
    assert values(assignment)[Metric.CONFUSABILITY] == ("5", None, False, 2)
