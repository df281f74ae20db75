"""The two skip rules of the protocol while ratings are saved: implied, typed over, taken back."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.engine.ratings.changes import RatingKey
from annotation.engine.rubric.rubric import Metric
from annotation.models import Rating, RatingEvent
from annotation.selectors.ratings.assignments import rating_sheet
from tests.annotation.rating_changes import (
    LOGIC,
    SEQUENCE,
    STATE,
    change,
    make_assignment,
    save,
    values,
)


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
def test_an_implied_value_comes_back_when_its_cause_is_given_again_after_a_clearing():
    assignment = make_assignment()
    save(assignment, change(1, LOGIC, "no", 2), change(2, SEQUENCE, "4"))

    save(assignment, change(3, SEQUENCE, ""), change(4, LOGIC, "no", 2))
    back = values(assignment)
    save(assignment, change(5, LOGIC, "yes", 2))

    assert back == {
        LOGIC: ("no", 2, False, 2),
        SEQUENCE: ("5", None, True, 4),
        STATE: ("no", None, True, 1),
    }
    assert values(assignment)[SEQUENCE] == ("", None, False, 5)


@pytest.mark.django_db
def test_skip_rules_stay_inside_their_event():
    assignment = make_assignment(event_count=2)

    save(assignment, change(1, LOGIC, "no", event=1))

    assert {item.key for item in rating_sheet(assignment).ratings} == {
        RatingKey(1, LOGIC),
        RatingKey(1, SEQUENCE),
        RatingKey(1, STATE),
    }


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
    if metric is not LOGIC:
        return
    for other, implied in ((SEQUENCE, "5"), (STATE, "no")):
        if before == value == "no" and model[other][0]:
            continue
        if before != "no" and value != "no":
            continue
        if value == "no":
            model[other] = (implied, True)
        elif model[other][1]:
            model[other] = (typed.get(other, ""), False)
