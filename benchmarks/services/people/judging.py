"""People grade a sample of the answers to a set, without their authors."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.engine.exceptions import NotNowError
from annotation.models import User
from benchmarks.engine.measures.judged import band_of, stratified
from benchmarks.engine.task import AnswerStatus
from benchmarks.models import (
    Answer,
    ItemSet,
    JudgingSample,
    ParticipantKind,
    PersonGrade,
    PersonJudge,
    SampledAnswer,
)
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.selectors.judging import answers_for, judge_scores, sample_of
from benchmarks.services.item_sets import MAX_SEED, lock_item_set, record_set

# As many as the paper has.
USUAL_SIZE, MOST_ANSWERS = 170, 2000
# The breakdown that strata are of, where an item has it, and the one that each has.
SOURCE, DATA_SET = "source", "data set"


class GradesFinalError(NotNowError):
    """The grades of this person are final, or there is nothing to grade."""


@transaction.atomic
def draw_sample(*, item_set: ItemSet, size: int, seed: int, actor: User | None) -> JudgingSample:
    """Draw the answers that people grade; a sample without a grade is drawn anew.

    Raises ValidationError, and GradesFinalError where somebody has begun to grade.
    """
    if not 1 <= size <= MOST_ANSWERS:
        raise ValidationError({"size": f"It is {size}; expected 1 to {MOST_ANSWERS}."})
    if not 0 <= seed <= MAX_SEED:
        raise ValidationError({"seed": f"It is {seed}; expected 0 to {MAX_SEED}."})
    lock_item_set(item_set)
    before = sample_of(item_set)
    if before is not None and PersonGrade.objects.filter(judge__sample=before).exists():
        raise GradesFinalError("Somebody has begun to grade this sample; it can no longer change.")
    rows = Answer.objects.filter(
        assessment__item_set=item_set, assessment__frozen_at__isnull=False, repeat=0,
        status=AnswerStatus.READ,
    ).exclude(assessment__kind=ParticipantKind.BASELINE)  # fmt: skip
    task = task_of(item_set)
    answers = [
        row
        for row in rows.select_related("item").order_by("assessment", "item__position")
        if row.value is not None and task.is_gradable(engine_item(row.item), row.value)
    ]
    if not answers:
        raise ValidationError("Nobody has finished answers that could be graded.")
    strata = [
        (
            str(row.item.groups.get(SOURCE) or row.item.groups.get(DATA_SET, "")),
            str(row.assessment_id),
            band_of(list(judge_scores(task, row).values())),
        )
        for row in answers
    ]
    if before is not None:
        before.delete()
    sample = JudgingSample.objects.create(item_set=item_set, seed=seed, size=size)
    SampledAnswer.objects.bulk_create(
        SampledAnswer(sample=sample, answer=answers[place], position=position)
        for position, place in enumerate(stratified(strata, size, seed), start=1)
    )
    record_set(item_set, actor, "draw_sample", {"size": size, "seed": seed})
    return sample


@transaction.atomic
def grade_answer(*, sample: JudgingSample, person: User, position: int, score: int) -> PersonGrade:
    """Store a person's grade of an answer of the sample; it may change until they finish.

    Raises ValidationError by field, GradesFinalError.
    """
    _refuse_other_grades(sample, score)
    # Locked, else two people who begin at once would get the same number.
    locked = JudgingSample.objects.select_for_update().filter(pk=sample.pk).first()
    if locked is None:
        raise GradesFinalError("The sample was drawn anew; begin again.")
    answers = {one.position: one for one in answers_for(locked, person)}
    if position not in answers:
        raise ValidationError({"position": f"There is no answer {position} for you to grade."})
    judge = PersonJudge.objects.filter(sample=locked, person=person).first()
    if judge is None:
        last = locked.judges.aggregate(last=Max("number"))["last"] or 0
        judge = PersonJudge.objects.create(sample=locked, person=person, number=last + 1)
    if judge.finished_at is not None:
        raise GradesFinalError("Your grades are final.")
    grade, _ = PersonGrade.objects.update_or_create(
        judge=judge, sampled=answers[position], defaults={"score": score}
    )
    return grade


def _refuse_other_grades(sample: JudgingSample, score: int) -> None:
    grades = task_of(sample.item_set).people_rubric.words
    if score not in grades:
        expected = f"{min(grades)} to {max(grades)}"
        raise ValidationError({"score": f"It is {score}; expected {expected}."})


@transaction.atomic
def finish_grading(*, sample: JudgingSample, person: User) -> PersonJudge:
    """Make a person's grades final; those of others and the table are then open to them.

    Raises GradesFinalError for somebody who has graded nothing.
    """
    judge = PersonJudge.objects.select_for_update().filter(sample=sample, person=person).first()
    if judge is None or not judge.grades.exists():
        raise GradesFinalError("You have graded nothing yet.")
    if judge.finished_at is None:
        judge.finished_at = timezone.now()
        judge.save(update_fields=["finished_at"])
        detail = {"judge": judge.number, "grades": judge.grades.count()}
        record_set(sample.item_set, person, "finish_grading", detail)
    return judge


@transaction.atomic
def agree_on(*, sample: JudgingSample, position: int, score: int, actor: User | None) -> None:
    """Store the grade that people agreed on after a discussion; raises ValidationError."""
    _refuse_other_grades(sample, score)
    if not sample.answers.filter(position=position).update(agreed=score):
        raise ValidationError({"position": f"There is no answer {position} in the sample."})
    record_set(sample.item_set, actor, "agree", {"position": position, "score": score})
