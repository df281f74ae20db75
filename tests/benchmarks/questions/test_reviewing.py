"""What a review decided is taken back, with the versions before."""

import pytest

from benchmarks.models import QuestionSet, QuestionState
from benchmarks.services.questions.reviewing import Decision, take_back
from benchmarks.services.questions.sets import QuestionSetInUseError
from tests.benchmarks.questions.made import questions_frozen, questions_made

pytestmark = pytest.mark.django_db


def as_they_are(question_set):
    rows = question_set.questions.order_by("position")
    return [Decision(row.position, True, row.question, row.answer) for row in rows]


def test_what_is_accepted_or_edited_freezes_and_each_edit_keeps_the_version_before(sample, owner):
    made = questions_made(sample, owner)
    decisions = as_they_are(made)
    first, second, third, *rest = decisions
    edited = Decision(second.position, True, "Did I do it well?", second.answer)
    rejected = Decision(third.position, False, reasons=("language", "duplicate"))

    counts = take_back(
        question_set=made, decisions=[first, edited, rejected, *rest[:-1]], actor=owner
    )

    # The last one was not decided.
    assert counts == {"accepted": len(decisions) - 3, "edited": 1, "rejected": 2}
    rows = made.questions.filter(position=second.position).order_by("pk")
    assert [(row.state, row.question, row.author) for row in rows] == [
        (QuestionState.REPLACED, second.question, "template"),
        (QuestionState.EDITED, "Did I do it well?", "person"),
    ]
    assert rows[1].before == rows[0]
    assert made.questions.get(position=third.position).fault == "language; duplicate"
    made.refresh_from_db()
    total = sum(row["count"] for row in made.figures["kinds"])
    assert sum(row["count"] for row in made.figures["kinds_before"]) == total + 2
    frozen = questions_frozen(made, owner)
    assert frozen.question_count == len(decisions) - 2
    texts = frozen.questions.filter(state__in=("accepted", "edited"))
    assert texts.count() == frozen.question_count


def test_frozen_set_takes_nothing_back(sample, owner):
    frozen = questions_frozen(questions_made(sample, owner), owner)

    with pytest.raises(QuestionSetInUseError, match="is frozen"):
        take_back(question_set=frozen, decisions=as_they_are(frozen), actor=owner)

    assert QuestionSet.objects.get().questions.filter(state="ready").exists()
