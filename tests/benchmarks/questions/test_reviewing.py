"""What a review decided is taken back, with the versions before."""

import pytest

from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.rounds import close_round
from benchmarks.models import QuestionSet, QuestionState
from benchmarks.models.questions import USABLE
from benchmarks.selectors.questions import state_of_questions
from benchmarks.services.questions.reviewing import (
    Decision,
    ReviewRequest,
    finish_review,
    start_review,
    take_back,
)
from benchmarks.services.questions.sets import QuestionSetInUseError, start_freezing_questions
from tests.benchmarks.questions.made import questions_frozen, questions_made
from tests.factories import UserFactory
from texts.models import TextVerdict
from texts.services.rounds import open_text_round
from texts.services.verdicts import SentVerdict, begin, give_verdict

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
    assert frozen.figures["kinds_before"] == made.figures["kinds_before"]


def test_frozen_set_takes_nothing_back(sample, owner):
    frozen = questions_frozen(questions_made(sample, owner), owner)

    with pytest.raises(QuestionSetInUseError, match="is frozen"):
        take_back(question_set=frozen, decisions=as_they_are(frozen), actor=owner)

    assert QuestionSet.objects.get().questions.filter(state="ready").exists()


def test_questions_go_to_a_round_of_texts_and_come_back_decided(sample, owner):
    made = questions_made(sample, owner)
    round_ = start_review(question_set=made, request=ReviewRequest("Review"), actor=owner)
    people = [UserFactory() for _ in range(2)]
    add_raters(campaign=round_.campaign, raters=people, actor=owner)
    open_text_round(planned=round_, actor=owner)
    made.refresh_from_db()
    first, second, third = made.questions.order_by("position")[:3]

    assert state_of_questions(made) == "in review"
    marked = round_.text_items.get(source_key=str(first.position))
    assert (marked.text, marked.answer, marked.start_s) == (
        first.question, first.answer, first.start_s,
    )  # fmt: skip
    assert marked.step_index is not None
    with pytest.raises(QuestionSetInUseError, match="take its verdicts back"):
        start_freezing_questions(question_set=made, actor=owner)
    with pytest.raises(QuestionSetInUseError, match="Its round is open"):
        finish_review(question_set=made, actor=owner)
    sent = {
        str(first.position): SentVerdict("accept"),
        str(second.position): SentVerdict("edit", text="Did I do it well?", answer=second.answer),
        str(third.position): SentVerdict("reject", reasons=("gives_away",)),
    }
    for verdict in TextVerdict.objects.filter(item__source_key__in=sent):
        begin(public_id=verdict.public_id, actor=verdict.person)
        words = sent[verdict.item.source_key]
        give_verdict(public_id=verdict.public_id, sent=words, actor=verdict.person)
    close_round(closing=round_, actor=owner)

    made = QuestionSet.objects.select_related("job", "review").get()
    assert state_of_questions(made) == "reviewed"
    counts = finish_review(question_set=made, actor=owner)

    assert (counts["accepted"], counts["edited"]) == (1, 1)
    rejected = made.questions.get(position=third.position)
    assert rejected.fault == "It gives its answer away"
    made = QuestionSet.objects.select_related("job", "review").get()
    frozen = questions_frozen(made, owner)
    assert frozen.question_count == 2
    asked = set(frozen.questions.filter(state__in=USABLE).values_list("question", flat=True))
    assert asked == {first.question, "Did I do it well?"}
