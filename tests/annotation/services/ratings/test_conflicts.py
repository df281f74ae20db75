"""Changes sent twice, from two tabs, or at the same moment."""

import threading

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.engine.ratings.changes import Answer
from annotation.engine.rubric.rubric import Metric
from annotation.models import AuditEntry, Rating, RatingEvent
from annotation.services.ratings.assignments import submit_assignment
from annotation.services.ratings.errors import (
    InvalidChangeError,
    RatingConflictError,
    RatingsClosedError,
)
from tests.annotation.rating_changes import (
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
    changes = [
        change(i, key, *value_and_confidence(answer))
        for i, (key, answer) in enumerate(all_answers())
    ]
    save(assignment, *changes)
    submit_assignment(assignment=assignment, actor=assignment.rater)

    result = save(assignment, *changes)

    assert (result.saved, result.missing_count) == (tuple(range(7)), 0)
    with pytest.raises(RatingsClosedError) as caught:
        save(assignment, changes[0], change(99, Metric.CONFUSABILITY, "1", base=1))
    assert (caught.value.code, caught.value.saved) == ("submitted", (0,))


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


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no row locks")
def test_the_lock_of_a_save_holds_one_assignment_and_nothing_else():
    assignment = make_assignment()

    with CaptureQueriesContext(connection) as captured:
        save(assignment, change(1, SEQUENCE, "5"))

    locks = [query["sql"] for query in captured if "FOR UPDATE" in query["sql"]]
    assert len(locks) == 1
    assert "JOIN" not in locks[0]
