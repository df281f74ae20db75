"""Question sets of tests."""

from django.core.exceptions import ValidationError

from benchmarks.services.questions.sets import (
    QuestionSetRequest,
    start_freezing_questions,
    start_questions,
)
from benchmarks.services.questions.work import work_on_question_sets


def questions_made(dataset, owner, **changes):
    fields = {"name": "Mistakes", "source": dataset.public_id, **changes}
    request = QuestionSetRequest(**fields)
    question_set, job_ids = start_questions(request=request, actor=owner)
    return questions_worked_on(question_set, job_ids)


def questions_worked_on(question_set, job_ids):
    """The set after its job; raises ValidationError where the job failed."""
    work_on_question_sets(job_ids=job_ids)
    question_set.refresh_from_db()
    question_set.job.refresh_from_db()
    if question_set.job.error:
        raise ValidationError(question_set.job.error)
    return question_set


def questions_frozen(question_set, owner):
    job_ids = start_freezing_questions(question_set=question_set, actor=owner)
    return questions_worked_on(question_set, job_ids)
