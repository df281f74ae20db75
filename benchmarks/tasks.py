"""The Celery tasks of the benchmarks app: ids in, one service call."""

from celery import shared_task

from benchmarks.services import (
    assessment_work,
    feature_work,
    item_set_work,
    item_sets,
    live,
    live_work,
    proposal_work,
)
from benchmarks.services.assessments import JOB_KIND
from benchmarks.services.features import JOB_KIND as FEATURES_KIND
from benchmarks.services.proposals import JOB_KIND as PROPOSALS_KIND
from benchmarks.services.questions import sets as question_sets
from benchmarks.services.questions import work as question_work


@shared_task(name=JOB_KIND)
def work_on_assessments(job_ids: list[int]) -> None:
    """Work on the assessments behind these jobs."""
    assessment_work.work_on_assessments(job_ids=job_ids)


@shared_task(name=live.JOB_KIND)
def watch_live(job_ids: list[int]) -> None:
    """Let the models of these jobs watch their recordings."""
    live_work.watch_live(job_ids=job_ids)


@shared_task(name=PROPOSALS_KIND)
def propose_steps(job_ids: list[int]) -> None:
    """Work on the step proposals behind these jobs."""
    proposal_work.propose_steps(job_ids=job_ids)


@shared_task(name=FEATURES_KIND)
def make_features(job_ids: list[int]) -> None:
    """Make or read the features behind these jobs."""
    feature_work.make_features(job_ids=job_ids)


@shared_task(name=item_sets.JOB_KIND)
def work_on_item_sets(job_ids: list[int]) -> None:
    """Make or freeze the item sets behind these jobs."""
    item_set_work.work_on_item_sets(job_ids=job_ids)


@shared_task(name=question_sets.JOB_KIND)
def work_on_question_sets(job_ids: list[int]) -> None:
    """Make or freeze the question sets behind these jobs."""
    question_work.work_on_question_sets(job_ids=job_ids)
