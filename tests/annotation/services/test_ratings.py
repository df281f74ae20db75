"""Saving ratings: skip rules, idempotency, conflicts, refusals, submission, concurrency."""

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.engine.rating_changes import Answer, RatingChange, RatingKey
from annotation.engine.rubric import Metric
from annotation.models import Assignment, AuditEntry, Rating, RatingEvent, Take, Trace
from annotation.selectors.audit import get_audit_page
from annotation.selectors.ratings import rating_history, rating_sheet
from annotation.services.rating_errors import (
    ContentReplacedError,
    IncompleteError,
    InvalidChangeError,
    RatingConflictError,
    RatingsClosedError,
    UnknownEventError,
)
from annotation.services.ratings import reopen_assignment, save_changes, submit_assignment
from tests.factories import (
    AssignmentFactory,
    EventFactory,
    TakeFactory,
    TraceFactory,
    VideoFactory,
)

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LOGIC = Metric.PROCEDURE_LOGIC
SEQUENCE = Metric.SEQUENCE_CONSISTENCY
STATE = Metric.STATE_CHANGE_COHERENCE
EVENT_ANSWERS = {
    Metric.ERROR_VALIDITY: Answer("yes"),
    Metric.HUMAN_PLAUSIBILITY: Answer("4"),
    Metric.CONFUSABILITY: Answer("2"),
    Metric.PROCEDURE_LOGIC: Answer("yes", 3),
    Metric.SEQUENCE_CONSISTENCY: Answer("3"),
    Metric.STATE_CHANGE_COHERENCE: Answer("yes"),
    Metric.TAXONOMY_FIT: Answer("WE"),
}


def make_assignment(*, event_count: int = 1, has_video: bool = False, **fields) -> Assignment:
    trace = TraceFactory(video=VideoFactory() if has_video else None)
    for index in range(event_count):
        EventFactory(trace=trace, index=index)
    return AssignmentFactory(trace=trace, **fields)


def change(
    sequence: int,
    metric: Metric,
    value: str,
    confidence: int | None = None,
    *,
    event: int | None = 0,
    base: int = 0,
) -> RatingChange:
    return RatingChange(
        sequence=sequence,
        key=RatingKey(event, metric),
        answer=Answer(value, confidence),
        base_revision=base,
        rated_at=AT + timedelta(seconds=sequence),
    )


def save(assignment: Assignment, *changes: RatingChange, client: str = "tab"):
    return save_changes(
        public_id=assignment.public_id, client_id=client, changes=changes, actor=assignment.rater
    )


def values(assignment: Assignment) -> dict[Metric, tuple[str, int | None, bool, int]]:
    return {
        item.key.metric: (
            item.answer.value,
            item.answer.confidence,
            item.is_implied,
            item.revision,
        )
        for item in rating_sheet(assignment).ratings
    }


def log(assignment: Assignment) -> list[tuple[Metric, str, bool, int]]:
    return [
        (row.key.metric, row.answer.value, row.is_implied, row.revision)
        for row in rating_history(assignment)
    ]


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
        with django_assert_num_queries(8 + lock):  # savepoint, 3 reads, 3 writes, release
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

    with pytest.raises(ContentReplacedError, match="has been replaced by another version"):
        save_to(content)
    assert not Rating.objects.exists()
    now = get_audit_page(user=assignment.rater, public_id=assignment.public_id).content
    assert save_to(now).saved == (1,)


@pytest.mark.django_db
def test_logic_no_implies_two_values_and_replaces_typed_ones():
    assignment = make_assignment()

    save(assignment, change(1, SEQUENCE, "3"))
    result = save(assignment, change(2, LOGIC, "no", 2))

    assert {item.key.metric for item in result.ratings} == {LOGIC, SEQUENCE, STATE}
    assert values(assignment) == {
        LOGIC: ("no", 2, False, 1),
        SEQUENCE: ("5", None, True, 2),
        STATE: ("no", None, True, 1),
    }
    assert [
        (row.metric, row.value, row.is_implied, row.client_sequence)
        for row in RatingEvent.objects.order_by("pk")
    ] == [
        (SEQUENCE, "3", False, 1),
        (LOGIC, "no", False, 2),
        (SEQUENCE, "5", True, 2),
        (STATE, "no", True, 2),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("logic", [("yes", 1), ("", None)])
def test_leaving_logic_no_restores_what_was_typed(logic):
    assignment = make_assignment()
    save(assignment, change(1, SEQUENCE, "3"), change(2, LOGIC, "no", 2))

    save(assignment, change(3, LOGIC, *logic, base=1))

    assert values(assignment) == {
        LOGIC: (*logic, False, 2),
        SEQUENCE: ("3", None, False, 3),
        STATE: ("", None, False, 2),
    }


@pytest.mark.django_db
def test_skip_rules_restore_within_one_batch():
    assignment = make_assignment()

    save(
        assignment,
        change(1, SEQUENCE, "2"),
        change(2, LOGIC, "no"),
        change(3, SEQUENCE, "4"),
        change(4, LOGIC, "yes"),
        change(5, LOGIC, "no"),
        change(6, LOGIC, "yes"),
    )

    assert values(assignment)[SEQUENCE] == ("4", None, False, 5)


@pytest.mark.django_db
def test_a_value_typed_over_an_implied_one_stays():
    assignment = make_assignment()
    save(assignment, change(1, LOGIC, "no", 2))

    save(assignment, change(2, SEQUENCE, "4", base=1))
    save(assignment, change(3, LOGIC, "no", 3, base=1))

    assert values(assignment)[SEQUENCE] == ("4", None, False, 2)

    save(assignment, change(4, LOGIC, "yes", 3, base=2))

    assert values(assignment) == {
        LOGIC: ("yes", 3, False, 3),
        SEQUENCE: ("4", None, False, 2),
        STATE: ("", None, False, 2),
    }


@pytest.mark.django_db
def test_skip_rules_stay_inside_their_event():
    assignment = make_assignment(event_count=2)

    save(assignment, change(1, LOGIC, "no", event=1))

    assert {item.key for item in rating_sheet(assignment).ratings} == {
        RatingKey(1, LOGIC),
        RatingKey(1, SEQUENCE),
        RatingKey(1, STATE),
    }


@pytest.mark.django_db
def test_the_same_change_sent_twice_counts_once_and_answers_the_same():
    assignment = make_assignment()
    changes = (change(1, LOGIC, "no", 2), change(2, SEQUENCE, "4", base=1))

    first = save(assignment, *changes)
    stored = (log(assignment), values(assignment), AuditEntry.objects.count())
    second = save(assignment, *changes)

    assert second == first
    assert (log(assignment), values(assignment), AuditEntry.objects.count()) == stored


@pytest.mark.django_db
def test_a_repeated_change_is_answered_after_submission_and_closing():
    assignment = make_assignment()
    changes = [change(i, key, *_pair(answer)) for i, (key, answer) in enumerate(all_answers())]
    save(assignment, *changes)
    submit_assignment(assignment=assignment, actor=assignment.rater)

    result = save(assignment, *changes)

    assert (result.saved, result.missing_count) == (tuple(range(7)), 0)
    with pytest.raises(RatingsClosedError) as caught:
        save(assignment, changes[0], change(99, Metric.CONFUSABILITY, "1", base=1))
    assert (caught.value.code, caught.value.saved) == ("submitted", (0,))


def _pair(answer: Answer) -> tuple[str, int | None]:
    return answer.value, answer.confidence


def all_answers() -> list[tuple[Metric, Answer]]:
    return list(EVENT_ANSWERS.items())


@pytest.mark.django_db
def test_a_sequence_number_used_for_another_change_is_refused():
    assignment = make_assignment()
    save(assignment, change(1, SEQUENCE, "4"))

    with pytest.raises(InvalidChangeError, match="has not used for another change"):
        save(assignment, change(1, SEQUENCE, "5"))
    with pytest.raises(InvalidChangeError, match="has not used for another change"):
        save(assignment, change(2, SEQUENCE, "1"), change(2, SEQUENCE, "2"))

    assert log(assignment) == [(SEQUENCE, "4", False, 1)]


@pytest.mark.django_db
def test_a_stale_change_of_another_tab_conflicts_and_keeps_what_came_before():
    assignment = make_assignment()
    save(assignment, change(1, SEQUENCE, "4"), client="first")

    with pytest.raises(RatingConflictError) as caught:
        save(
            assignment,
            change(1, STATE, "no"),
            change(2, SEQUENCE, "2", base=0),
            change(3, Metric.CONFUSABILITY, "1"),
            client="second",
        )

    assert caught.value.saved == (1,)
    assert caught.value.conflict.mine == change(2, SEQUENCE, "2")
    assert caught.value.conflict.theirs.answer == Answer("4")
    assert caught.value.conflict.theirs.revision == 1
    assert values(assignment) == {
        SEQUENCE: ("4", None, False, 1),
        STATE: ("no", None, False, 1),
    }

    save(assignment, change(4, SEQUENCE, "2", base=1), client="second")

    assert values(assignment)[SEQUENCE] == ("2", None, False, 2)


@pytest.mark.django_db
def test_no_conflict_for_an_equal_value_or_the_own_tab():
    assignment = make_assignment()
    save(assignment, change(1, SEQUENCE, "4"), client="first")

    save(assignment, change(1, SEQUENCE, "4", base=0), client="second")
    save(assignment, change(2, SEQUENCE, "5", base=0), client="second")

    assert values(assignment) == {SEQUENCE: ("5", None, False, 3)}


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
    assignment.campaign.closed_at = timezone.now()
    assignment.campaign.save()

    with pytest.raises(RatingsClosedError, match="the campaign is closed") as caught:
        save(assignment, change(1, SEQUENCE, "5"))
    assert caught.value.code == "closed"
    for act in (submit_assignment, reopen_assignment):
        with pytest.raises(RatingsClosedError):
            act(assignment=assignment, actor=assignment.rater)


@pytest.mark.django_db
def test_submit_lists_what_is_missing_confidence_included():
    assignment = make_assignment(event_count=2)
    answers = {**EVENT_ANSWERS, LOGIC: Answer("yes", None)}
    save(assignment, *(change(i, m, *_pair(a)) for i, (m, a) in enumerate(answers.items())))
    second = (change(10 + i, m, *_pair(a), event=1) for i, (m, a) in enumerate(all_answers()))
    result = save(assignment, *list(second)[1:])

    with pytest.raises(IncompleteError) as caught:
        submit_assignment(assignment=assignment, actor=assignment.rater)

    missing = (RatingKey(0, LOGIC), RatingKey(1, Metric.ERROR_VALIDITY))
    assert caught.value.missing == missing
    assert result.missing_count == len(missing)


@pytest.mark.django_db
def test_submit_and_reopen_leave_ratings_and_history():
    assignment = make_assignment()
    save(assignment, *(change(i, m, *_pair(a)) for i, (m, a) in enumerate(all_answers())))
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


@pytest.mark.django_db(transaction=True)
def test_concurrent_tabs_lose_nothing_and_send_twice_without_harm():
    assignment = make_assignment(event_count=4)
    errors: list[BaseException] = []
    metrics = [Metric.HUMAN_PLAUSIBILITY, Metric.CONFUSABILITY, SEQUENCE]

    def work(event: int, client: str) -> None:
        try:
            for sequence in range(12):
                item = change(sequence, metrics[sequence % 3], str(sequence % 5 + 1), event=event)
                save(assignment, item, client=client)
        except BaseException as error:  # noqa: BLE001 (a thread's error must fail the test)
            errors.append(error)
        finally:
            connection.close()

    # Each tab rates its own event, and every tab is mirrored by a thread that sends the same.
    threads = [
        threading.Thread(target=work, args=(event, f"tab{event}"))
        for event in range(4)
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert RatingEvent.objects.count() == 4 * 12
    assert AuditEntry.objects.count() == 4 * 12
    for event in range(4):
        events = RatingEvent.objects.filter(event__index=event)
        for rating in Rating.objects.filter(event__index=event):
            last = events.filter(metric=rating.metric).order_by("pk").last()
            assert (rating.value, rating.revision) == (last.value, 4)


@pytest.mark.django_db(transaction=True)
def test_two_tabs_racing_for_one_value_one_wins_and_one_hears_of_it():
    assignment = make_assignment()
    barrier = threading.Barrier(2)
    outcomes: list[str] = []

    def work(client: str, value: str) -> None:
        barrier.wait()
        try:
            save(assignment, change(1, SEQUENCE, value), client=client)
            outcomes.append("saved")
        except RatingConflictError:
            outcomes.append("conflict")
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=pair) for pair in (("a", "1"), ("b", "2"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["conflict", "saved"]
    assert RatingEvent.objects.count() == 1


CLIENTS = st.sampled_from(["a", "b"])
ANSWERS = st.one_of(
    st.tuples(st.just(LOGIC), st.sampled_from(["yes", "no", ""])),
    st.tuples(st.just(SEQUENCE), st.sampled_from(["1", "5", ""])),
    st.tuples(st.just(STATE), st.sampled_from(["yes", "no", ""])),
)


class TestRandomChanges(TestCase):
    @given(st.lists(st.tuples(CLIENTS, ANSWERS, st.booleans()), max_size=25))
    @settings(max_examples=40, deadline=None)
    def test_current_values_follow_from_the_log(self, steps):
        assignment = make_assignment()
        model: dict[Metric, tuple[str, bool]] = {}
        typed: dict[Metric, str] = {}

        for sequence, (client, (metric, value), is_repeated) in enumerate(steps):
            base = Rating.objects.filter(metric=metric).values_list("revision", flat=True).first()
            item = change(sequence, metric, value, base=base or 0)
            for _ in range(1 + is_repeated):
                save(assignment, item, client=client)
            _model_change(model, typed, metric, value)

        current = {
            rating.metric: (rating.value, rating.confidence, rating.is_implied, rating.revision)
            for rating in Rating.objects.all()
        }
        assert {key: (row[0], row[2]) for key, row in current.items()} == model
        replayed = {
            row.metric: (row.value, row.confidence, row.is_implied, row.revision)
            for row in RatingEvent.objects.order_by("pk")
        }
        assert current == replayed
        revisions = Counter(RatingEvent.objects.values_list("metric", flat=True))
        assert {key: row[3] for key, row in current.items()} == dict(revisions)
        if steps:
            again = save(assignment, item, client=client)
            expected = len(rating_sheet(assignment).missing)
            assert again.missing_count == expected


def _model_change(model, typed, metric, value):
    """Say in the plainest way what a change does: the oracle of the property test."""
    before = model.get(metric, ("", False))[0]
    model[metric] = (value, False)
    typed[metric] = value
    if metric is not LOGIC or (before == "no") == (value == "no"):
        return
    for other, implied in ((SEQUENCE, "5"), (STATE, "no")):
        if value == "no":
            model[other] = (implied, True)
        elif model[other][1]:
            model[other] = (typed.get(other, ""), False)


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no row locks")
def test_the_lock_of_a_save_holds_one_assignment_and_nothing_else():
    assignment = make_assignment()

    with CaptureQueriesContext(connection) as captured:
        save(assignment, change(1, SEQUENCE, "5"))

    locks = [query["sql"] for query in captured if "FOR UPDATE" in query["sql"]]
    assert len(locks) == 1
    assert "JOIN" not in locks[0]
