"""A rater trains, fails, trains again, passes and enters the main round, or is let in."""

import pytest

from annotation.models import (
    Assignment,
    AuditEntry,
    Purpose,
    Qualification,
    Rating,
    RatingEvent,
    RoundRater,
)
from annotation.selectors.ratings.gold import check_answers, gold_of
from annotation.selectors.ratings.training import get_training
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.assignments import reopen_assignment
from annotation.services.ratings.errors import RatingsClosedError
from annotation.services.ratings.gold import NewGold, edit_gold
from annotation.services.ratings.qualification import let_in
from annotation.services.ratings.training import TrainingError, try_again
from tests.annotation.rating_changes import values
from tests.annotation.training import LOGIC, TAXONOMY, training_campaign
from tests.factories import UserFactory


def main_queue(made, rater):
    return Assignment.objects.filter(round=made.main, rater=rater).count()


def test_a_training_round_gives_the_traces_with_gold_and_the_main_round_waits(owner):
    made = training_campaign(owner)
    [rater] = made.raters

    held = Assignment.objects.filter(round=made.training, rater=rater)

    assert {row.trace for row in held} == set(made.gold)
    assert set(held.values_list("purpose", flat=True)) == {Purpose.GOLD}
    assert not RoundRater.objects.filter(round=made.main).exists()
    assert set(made.main.ratings.traces.all()).isdisjoint(made.gold)


def test_who_passes_enters_the_main_round(owner):
    made = training_campaign(owner)
    [rater] = made.raters

    made.finish(rater)

    found = Qualification.objects.get()
    attempt = found.attempts.get()
    assert (found.passed_at, found.let_in_at) == (attempt.finished_at, None)
    assert (attempt.number, attempt.is_passed) == (1, True)
    assert attempt.right == attempt.asked == {"procedure_logic": 3, "taxonomy_fit": 3}
    assert main_queue(made, rater) == 3
    assert [
        (row.action, row.detail.get("attempt"))
        for row in AuditEntry.objects.filter(action__startswith="training.")
    ] == [("training.pass", 1)]


def test_who_fails_tries_again_from_empty_answers_and_passes(owner):
    made = training_campaign(owner)
    [rater] = made.raters
    made.finish(rater, right=1)
    failed = get_training(rater, made.training.public_id)
    assert (failed.last.is_passed, failed.last.right, failed.last.asked) == (False, 2, 6)
    assert main_queue(made, rater) == 0
    logged = RatingEvent.objects.count()

    try_again(qualification=failed.qualification, actor=rater)

    rows = made.queue(rater)
    assert len(rows) == 3
    assert not Rating.objects.exclude(value="").exists()
    assert RatingEvent.objects.count() == logged + Rating.objects.count()
    assert all(value == "" for row in rows for value, *_ in values(row).values())
    made.finish(rater)
    found = get_training(rater, made.training.public_id)
    assert [(item.number, item.is_passed, item.right) for item in found.attempts] == [
        (2, True, 6),
        (1, False, 2),
    ]
    assert main_queue(made, rater) == 3


@pytest.mark.parametrize(
    ("rule", "right", "is_passed"),
    [
        ({"pass_overall": 0.66, "pass_per_metric": 0.66}, 2, True),
        ({"pass_overall": 0.67, "pass_per_metric": 0.5}, 2, False),
        ({"pass_overall": 0.5, "pass_per_metric": 0.7}, 2, False),
    ],
)
def test_the_rule_is_the_rounds_own(owner, rule, right, is_passed):
    made = training_campaign(owner, **rule)

    made.finish(made.raters[0], right=right)

    assert Qualification.objects.get().is_qualified is is_passed


def test_another_attempt_has_other_traces_first(owner):
    made = training_campaign(owner, traces_per_attempt=1, most_attempts=None)
    [rater] = made.raters
    seen = []
    for _ in range(4):
        [row] = made.queue(rater)
        seen.append(row.trace)
        made.finish(rater, right=0)
        training = get_training(rater, made.training.public_id)
        try_again(qualification=training.qualification, actor=rater)

    assert set(seen[:3]) == set(made.gold)
    assert len(made.queue(rater)) == 1


def test_attempts_are_refused_in_words(owner):
    made = training_campaign(owner, most_attempts=1)
    [rater] = made.raters
    own = Qualification.objects.get()
    with pytest.raises(TrainingError, match="Finish the traces of this attempt first"):
        try_again(qualification=own, actor=rater)
    made.finish(rater, right=0)
    with pytest.raises(TrainingError, match="1 attempts were made, and no more are allowed"):
        try_again(qualification=own, actor=rater)
    let_in(training=made.training, rater=rater, reason="Rated the pilot", actor=owner)
    with pytest.raises(TrainingError, match="You have passed this training"):
        try_again(qualification=own, actor=rater)
    close_round(closing=made.training, actor=owner)
    with pytest.raises(TrainingError, match="This training is closed"):
        try_again(qualification=own, actor=rater)


def test_an_answer_of_training_stands_once_it_was_submitted(owner):
    made = training_campaign(owner)
    row = made.queue(made.raters[0])[0]
    made.answer(row)

    with pytest.raises(RatingsClosedError, match="in training an answer stands"):
        reopen_assignment(assignment=row, actor=row.rater)


def test_somebody_is_let_in_with_a_reason_and_an_audit_row(owner):
    made = training_campaign(owner)
    [rater] = made.raters
    with pytest.raises(TrainingError, match="Write down why"):
        let_in(training=made.training, rater=rater, reason=" ", actor=owner)
    with pytest.raises(TrainingError, match="does not take part"):
        let_in(training=made.training, rater=UserFactory(), reason="A friend", actor=owner)
    with pytest.raises(TrainingError, match="Round 2 is no training round"):
        let_in(training=made.main, rater=rater, reason="Rated the pilot", actor=owner)

    let_in(training=made.training, rater=rater, reason="Rated the pilot ", actor=owner)

    found = Qualification.objects.get()
    assert (found.let_in_by, found.let_in_reason, found.passed_at) == (
        owner,
        "Rated the pilot",
        None,
    )
    assert main_queue(made, rater) == 3
    row = AuditEntry.objects.get(action="training.let_in")
    assert (row.actor, row.detail["reason"]) == (owner, "Rated the pilot")
    with pytest.raises(TrainingError, match="is in already"):
        let_in(training=made.training, rater=rater, reason="Again", actor=owner)


def test_the_score_of_an_attempt_stays_when_gold_is_changed_later(owner):
    made = training_campaign(owner)
    [rater] = made.raters
    made.finish(rater)
    for item in gold_of(made.campaign).filter(metric=LOGIC):
        new = NewGold(0, LOGIC, ["no"], reason="Looked again.")
        edit_gold(item=item, new=new, actor=owner)

    attempt = Qualification.objects.get().attempts.get()

    assert attempt.right == {"procedure_logic": 3, "taxonomy_fit": 3}
    assert {
        (answer["metric"], answer["value"], tuple(answer["accepted"]), answer["is_right"])
        for item in attempt.traces.all()
        for answer in item.answers
    } == {
        ("procedure_logic", "yes", ("yes",), True),
        ("taxonomy_fit", "WE", ("WE",), True),
    }
    assert check_answers(made.training)[rater.pk].gold.count(False) == 3
    assert {item.metric for item in gold_of(made.campaign)} == {LOGIC, TAXONOMY}
