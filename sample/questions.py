"""A question set of the sample corpus, reviewed, frozen, answered and graded.

Each part is looked up before it is made, so that an interrupted start goes on where it ended. No
model takes part: the participants are two rules and the people of the review, and what people
answered and graded is made up, which the name of the item set says.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import timedelta

import numpy as np
from django.db import transaction
from django.utils import timezone

from annotation.models import Dataset, Round, User
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.rounds import close_round
from annotation.services.records.jobs import cancel_jobs, requeue_jobs
from benchmarks.engine.questions.checks import polarity_of
from benchmarks.engine.questions.samples import QuestionSettings
from benchmarks.models import Item, ItemSet, ParticipantKind, QuestionSet
from benchmarks.selectors.judging import judge_of, sample_of
from benchmarks.selectors.questions import BEFORE_REVIEW
from benchmarks.services.assessments import delete_assessment
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import ItemSetRequest, start_freezing, start_making
from benchmarks.services.people.judging import draw_sample, finish_grading, grade_answer
from benchmarks.services.questions.reviewing import ReviewRequest, finish_review, start_review
from benchmarks.services.questions.sets import (
    QuestionSetRequest,
    start_freezing_questions,
    start_questions,
)
from benchmarks.services.questions.work import work_on_question_sets
from benchmarks.services.uploads import AnswerUpload, upload_answers
from segments.measures.texts import token_f1
from texts.models import TextVerdict
from texts.services.rounds import open_text_round
from texts.services.verdicts import SentVerdict, answer_blind, give_verdict

QUESTION_SET = "Mistakes of every day"
REVIEW_CAMPAIGN = "Review the questions"
ITEM_SET = "Mistakes of every day, asked (a made-up example)"
BY_RULE = "A rule that reads the procedure and sees no video"
TOLD_MANY = "The same rule, told two of three right answers"
SEED, PAIRS = 2026, 2
# Of the verdicts, what is no "accept", and the seconds that one takes at least and on average.
EDIT_SHARE, REJECT_SHARE, LEAST_S, MORE_S = 0.12, 0.10, 6.0, 12.0
REASONS = ("unclear", "not_visible", "gives_away")
# Of what people answer before they see the answer: how much is right, and what else is said.
RIGHT_SHARE = 0.75
UNSEEN = ("I cannot tell from the recording.", "Nothing went wrong that I could see.")
# The sample has more steps than anybody would grade to try it.
GRADED_ANSWERS, HIGHEST, SPREAD = 24, 5, 0.6
WORD = re.compile(r"[a-z]+")


def ask_about_mistakes(
    dataset: Dataset, owner: User, reviewers: Sequence[User], judges: Sequence[User]
) -> ItemSet:
    """The frozen item set, with participants and grades; what is there already stays as it is."""
    question_set = _reviewed(dataset, owner, reviewers)
    if not question_set.is_frozen:
        start_freezing_questions(question_set=question_set, actor=owner)
        _work(question_set, work_on_question_sets)
    item_set = ItemSet.objects.filter(owner=owner, name=ITEM_SET).first()
    if item_set is None:
        source = question_set.public_id
        request = ItemSetRequest(ITEM_SET, "error_questions", source, seed=SEED, is_shared=True)
        item_set, _ = start_making(request=request, actor=owner)
    if not item_set.is_made:
        _work(item_set, work_on_item_sets)
    if not item_set.is_frozen:
        start_freezing(item_set=item_set, actor=owner)
        _work(item_set, work_on_item_sets)
    _answer(item_set, owner)
    _grade(item_set, owner, judges)
    return item_set


def _work(row: QuestionSet | ItemSet, work: Callable[..., None]) -> None:
    """Do the job of a row here and now: the queue that will serve is not there yet.

    Who has it still was interrupted. Raises RuntimeError where it failed.
    """
    row.refresh_from_db()
    job = row.job
    # It is queued with the row.
    assert job is not None  # noqa: S101
    cancel_jobs(job_ids=[job.pk])
    requeue_jobs(job_ids=[job.pk])
    work(job_ids=[job.pk])
    row.refresh_from_db()
    job.refresh_from_db()
    if job.error:
        raise RuntimeError(f"{row}: {job.error}")


def _reviewed(dataset: Dataset, owner: User, reviewers: Sequence[User]) -> QuestionSet:
    """The question set by templates, with the verdicts of the reviewers."""
    question_set = QuestionSet.objects.filter(owner=owner, name=QUESTION_SET).first()
    if question_set is None:
        settings = QuestionSettings(pairs=PAIRS)
        request = QuestionSetRequest(QUESTION_SET, dataset.public_id, SEED, settings)
        question_set, _ = start_questions(request=request, actor=owner)
    if not question_set.is_made:
        _work(question_set, work_on_question_sets)
    if question_set.review is None:
        review = ReviewRequest(REVIEW_CAMPAIGN, is_blind_first=True)
        question_set.review = start_review(question_set=question_set, request=review, actor=owner)
    _review(question_set.review, owner, reviewers)
    question_set.refresh_from_db()
    if BEFORE_REVIEW not in question_set.figures:
        finish_review(question_set=question_set, actor=owner)
    return question_set


@transaction.atomic
def _review(round_: Round, owner: User, reviewers: Sequence[User]) -> None:
    """Two verdicts on each text, a third where they differ; then the round is closed."""
    if round_.closed_at is not None:
        return
    add_raters(campaign=round_.campaign, raters=reviewers, actor=owner)
    open_text_round(planned=round_, actor=owner)
    rng, blind = np.random.default_rng(SEED), np.random.default_rng([SEED, 1])
    left = round_.text_verdicts.filter(verdict="").select_related("item", "person")
    # Whoever decides gets a text only once two differ.
    while places := list(left.order_by("item", "place")):
        for place in places:
            words = place.item.answer
            if blind.random() >= RIGHT_SHARE:
                words = UNSEEN[int(blind.integers(len(UNSEEN)))]
            answer_blind(public_id=place.public_id, answer=words, actor=place.person)
            _give_verdict(place, rng)
    close_round(closing=round_, actor=owner)


def _give_verdict(place: TextVerdict, rng: np.random.Generator) -> None:
    """A verdict as somebody might give it who finds most of the texts good."""
    took_s = LEAST_S + float(rng.exponential(MORE_S))
    began_at = timezone.now() - timedelta(seconds=took_s)
    TextVerdict.objects.filter(pk=place.pk).update(started_at=began_at)
    drawn, reason = rng.random(), REASONS[int(rng.integers(len(REASONS)))]
    sent = SentVerdict("accept", seconds=took_s)
    if drawn < EDIT_SHARE:
        item = place.item
        answer = f"{item.answer.removesuffix('.')}, as the recording shows."
        sent = SentVerdict("edit", text=item.text, answer=answer, seconds=took_s)
    elif drawn < EDIT_SHARE + REJECT_SHARE:
        sent = SentVerdict("reject", (reason,), seconds=took_s)
    give_verdict(public_id=place.public_id, sent=sent, actor=place.person)


def _answer(item_set: ItemSet, owner: User) -> None:
    """The answers of both rules, as uploaded files."""
    files = item_set.assessments.filter(kind=ParticipantKind.FILE)
    for stopped in files.filter(frozen_at=None):
        cancel_jobs(job_ids=filter(None, [stopped.job_id]))
        delete_assessment(assessment=stopped, actor=owner)
    items = list(item_set.test_items.prefetch_related("shared").order_by("position"))
    by_rule = {item.key: answer_by_rule(item) for item in items}
    told = {item.key: item.truth["text"] for place, item in enumerate(items) if place % 3}
    for name, texts in ((BY_RULE, by_rule), (TOLD_MANY, by_rule | told)):
        if files.filter(name=name).exists():
            continue
        lines = [json.dumps({"key": key, "text": text}) for key, text in texts.items()]
        upload = AnswerUpload(name, "answers.jsonl", "\n".join(lines).encode())
        upload_answers(item_set=item_set, request=upload, actor=owner)


def answer_by_rule(item: Item) -> str:
    """What somebody would say who has not looked: that the step was done as it is written."""
    question = item.payload["question"]
    words = set(WORD.findall(question.lower()))
    step = max(
        item.payload["procedure"], key=lambda step: len(words & set(WORD.findall(step.lower())))
    )
    follows = question.startswith("Did I follow") or "as the procedure says" in question
    if question.startswith(("Did ", "Was ")):
        said = "Yes" if follows else "No"
        return f"{said}, I did it as the procedure says: “{step}”."
    return f"I did it as the procedure says: “{step}”."


@transaction.atomic
def _grade(item_set: ItemSet, owner: User, judges: Sequence[User]) -> None:
    """Grades of each judge for a sample of the answers, by the words that they share with gold."""
    sample = sample_of(item_set)
    if sample is None:
        sample = draw_sample(item_set=item_set, size=GRADED_ANSWERS, seed=SEED, actor=owner)
    answers = sample.answers.select_related("answer__item").order_by("position")
    for number, person in enumerate(judges):
        judge = judge_of(sample, person)
        if judge is not None and judge.finished_at is not None:
            continue
        rng = np.random.default_rng([SEED, number])
        for row in answers:
            text, gold = str((row.answer.value or {})["text"]), row.answer.item.truth["text"]
            score = round(HIGHEST * (token_f1(text, gold) or 0.0) + rng.normal(0.0, SPREAD))
            if polarity_of(text) != polarity_of(gold):
                score = min(score, 1)
            if text == gold:
                score = HIGHEST
            grade_answer(
                sample=sample, person=person, position=row.position,
                score=min(max(score, 0), HIGHEST),
            )  # fmt: skip
        finish_grading(sample=sample, person=person)
