"""What one change does to its own value and, through the skip rules, to others."""

from datetime import UTC, datetime

import pytest

from annotation.engine.ratings.changes import (
    Answer,
    RatingChange,
    RatingKey,
    RatingState,
    apply_change,
    is_answered,
    is_conflict,
    required_keys,
)
from annotation.engine.rubric.rubric import Metric, current_rubric

AT = datetime(2026, 1, 2, tzinfo=UTC)
LOGIC = RatingKey(0, Metric.PROCEDURE_LOGIC)
SEQUENCE = RatingKey(0, Metric.SEQUENCE_CONSISTENCY)
STATE = RatingKey(0, Metric.STATE_CHANGE_COHERENCE)
RUBRIC = current_rubric()


def state(value: str, *, revision: int = 1, is_implied: bool = False, client: str = "tab"):
    return RatingState(Answer(value), is_implied, revision, client, AT)


def change(key: RatingKey, value: str, *, base: int = 0) -> RatingChange:
    return RatingChange(1, key, Answer(value), base, AT)


def apply(item: RatingChange, states: dict, typed: dict | None = None) -> dict:
    return apply_change(
        item,
        client_id="tab",
        states=states,
        last_typed=lambda key: (typed or {}).get(key, Answer()),
        rubric_=RUBRIC,
    )


def test_apply_change_alters_only_its_key_without_a_rule():
    states = {SEQUENCE: state("3"), LOGIC: state("yes")}

    assert apply(change(SEQUENCE, "4"), states) == {SEQUENCE: state("4", revision=2)}


def test_apply_change_implies_over_typed_and_missing_values():
    assert apply(change(LOGIC, "no"), {SEQUENCE: state("3")}) == {
        LOGIC: state("no"),
        SEQUENCE: state("5", revision=2, is_implied=True),
        STATE: state("no", is_implied=True),
    }


@pytest.mark.parametrize("value", ["yes", ""])
def test_apply_change_restores_only_what_is_still_implied(value):
    states = {
        LOGIC: state("no"),
        SEQUENCE: state("4", revision=3),
        STATE: state("no", revision=2, is_implied=True),
    }

    altered = apply(change(LOGIC, value), states, {STATE: Answer("yes")})

    assert altered == {LOGIC: state(value, revision=2), STATE: state("yes", revision=3)}


def test_apply_change_does_not_imply_again_when_the_cause_stays():
    states = {LOGIC: state("no"), SEQUENCE: state("4", revision=2), STATE: state("no")}

    assert apply(change(LOGIC, "no"), states) == {LOGIC: state("no", revision=2)}


@pytest.mark.parametrize(
    ("current", "value", "base", "expected"),
    [
        (None, "4", 0, False),
        (state("3", client="other"), "4", 0, True),
        (state("3", client="other"), "4", 1, False),
        (state("4", client="other"), "4", 0, False),
        (state("3", client="tab"), "4", 0, False),
    ],
)
def test_is_conflict_needs_a_newer_other_answer_of_another_tab(current, value, base, expected):
    found = is_conflict(change(SEQUENCE, value, base=base), client_id="tab", current=current)

    assert found is expected


def test_is_answered_asks_procedure_logic_for_its_confidence():
    found = [
        is_answered(key, answer, rubric_=RUBRIC)
        for key, answer in (
            (LOGIC, Answer("no")),
            (LOGIC, Answer("no", 1)),
            (SEQUENCE, Answer("5")),
            (SEQUENCE, Answer()),
        )
    ]

    assert found == [False, True, True, False]


def test_required_keys_lists_events_then_the_trace():
    with_video = required_keys([0, 1], has_video=True, rubric_=RUBRIC)

    assert [key.event_index for key in with_video] == [0] * 8 + [1] * 8 + [None]
    assert with_video[-1].metric is Metric.TEXT_VIDEO_GROUNDING
    assert len(required_keys([0, 1], has_video=False, rubric_=RUBRIC)) == 14
