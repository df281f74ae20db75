"""Queue item sets, assessments and features: write the rows, and send the messages on commit."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from annotation.launch import send_jobs
from annotation.models import Dataset, User
from benchmarks.models import (
    Assessment,
    FeatureSet,
    ItemSet,
    LiveRun,
    QuestionSet,
    StepProposals,
)
from benchmarks.services import (
    assessments,
    feature_uploads,
    feature_work,
    item_sets,
    judging,
    leaving_out,
    live,
    reference_writing,
    training,
)
from benchmarks.services.features import JOB_KIND, FeaturesRequest
from benchmarks.services.proposals import JOB_KIND as PROPOSALS_KIND
from benchmarks.services.proposals import ProposalsRequest, start_proposals
from benchmarks.services.proposals import resume_proposals as resume_stopped_proposals
from benchmarks.services.questions import sets as question_sets


@transaction.atomic
def launch_item_set(*, request: item_sets.ItemSetRequest, actor: User | None) -> ItemSet:
    """Queue the making of an item set, which is empty until then."""
    item_set, job_ids = item_sets.start_making(request=request, actor=actor)
    _send(job_ids, item_sets.JOB_KIND)
    return item_set


@transaction.atomic
def launch_freeze(*, item_set: ItemSet, actor: User | None, only_audit: bool = False) -> int:
    """Queue the freeze of a set, or its shortcut audit, and return the number of jobs."""
    job_ids = item_sets.start_freezing(item_set=item_set, actor=actor, only_audit=only_audit)
    return _send(job_ids, item_sets.JOB_KIND)


@transaction.atomic
def launch_leaving_out(*, item_set: ItemSet, at_least: int | None, actor: User | None) -> int:
    """Queue that guessed items are left out of a set, and return the number of jobs."""
    job_ids = leaving_out.start_leaving_out(item_set=item_set, at_least=at_least, actor=actor)
    return _send(job_ids, item_sets.JOB_KIND)


@transaction.atomic
def launch_reference_writing(
    *, item_set: ItemSet, writer: str, actor: User, budget_usd: float | None = None
) -> int:
    """Queue that a text model writes the right words of a set, and return the number of jobs."""
    job_ids = reference_writing.start_reference_writing(
        item_set=item_set, writer=writer, budget_usd=budget_usd, actor=actor
    )
    return _send(job_ids, item_sets.JOB_KIND)


@transaction.atomic
def launch_deletion(*, item_set: ItemSet, actor: User | None) -> int:
    """Queue the deletion of a set, and return the number of jobs."""
    job_ids = item_sets.start_deleting(item_set=item_set, actor=actor)
    return _send(job_ids, item_sets.JOB_KIND)


@transaction.atomic
def resume_item_set(
    *, item_set: ItemSet, actor: User | None, budget_usd: float | None = None
) -> int:
    """Go on with the stopped work on a set and return the number of jobs."""
    job_ids = item_sets.resume_item_set(item_set=item_set, actor=actor, budget_usd=budget_usd)
    return _send(job_ids, item_sets.JOB_KIND)


@transaction.atomic
def launch_assessment(
    *, item_set: ItemSet, request: assessments.AskRequest, actor: User | None
) -> Assessment:
    assessment, job_ids = assessments.start_assessment(
        item_set=item_set, request=request, actor=actor
    )
    _send(job_ids)
    return assessment


@transaction.atomic
def launch_live(
    *, item_set: ItemSet, recording: str, request: live.LiveRequest, actor: User
) -> LiveRun:
    """Queue a model that watches a recording; it waits, paused, for somebody to play it."""
    run, job_ids = live.start_live(
        item_set=item_set, recording=recording, request=request, actor=actor
    )
    _send(job_ids, live.JOB_KIND)
    return run


@transaction.atomic
def command_live(*, run: LiveRun, kind: str, text: str) -> None:
    """Send a command to a live run, and the run to a worker where none has it."""
    _send(live.command_live(run=run, kind=kind, text=text), live.JOB_KIND)


@transaction.atomic
def launch_training(
    *, item_set: ItemSet, request: training.TrainRequest, actor: User | None
) -> Assessment:
    """Queue the training of a model, which then answers."""
    assessment, job_ids = training.start_training(item_set=item_set, request=request, actor=actor)
    _send(job_ids)
    return assessment


@transaction.atomic
def resume_assessment(
    *, assessment: Assessment, actor: User | None, budget_usd: float | None = None
) -> int:
    """Resume a stopped assessment and return the number of jobs."""
    return _send(
        assessments.resume_assessment(assessment=assessment, actor=actor, budget_usd=budget_usd)
    )


@transaction.atomic
def reask_failed(*, assessment: Assessment, actor: User | None) -> int:
    """Ask again about what failed and return the number of jobs."""
    return _send(assessments.reask_failed(assessment=assessment, actor=actor))


@transaction.atomic
def judge_assessment(
    *,
    assessment: Assessment,
    judges: Sequence[str],
    actor: User | None,
    budget_usd: float | None = None,
) -> int:
    """Have text models judge final answers and return the number of jobs."""
    return _send(
        judging.judge_assessment(
            assessment=assessment, judges=judges, actor=actor, budget_usd=budget_usd
        )
    )


@transaction.atomic
def launch_features(
    *, dataset: Dataset, name: str, extractor: str, is_shared: bool = False, actor: User | None
) -> FeatureSet:
    feature_set, job_ids = feature_work.start_features(
        dataset=dataset, name=name, extractor=extractor, is_shared=is_shared, actor=actor
    )
    _send(job_ids, JOB_KIND)
    return feature_set


def launch_upload(
    *,
    dataset: Dataset,
    request: FeaturesRequest,
    files: Iterable["UploadedFile[Any]"],
    key: str = "",
    actor: User,
) -> FeatureSet:
    """Keep uploaded files of features and have them read."""
    feature_set, job_ids = feature_uploads.start_upload(
        dataset=dataset, request=request, files=files, key=key, actor=actor
    )
    _send(job_ids, JOB_KIND)
    return feature_set


@transaction.atomic
def resume_features(*, feature_set: FeatureSet, actor: User | None) -> int:
    """Resume stopped features and return the number of jobs."""
    job_ids = feature_work.resume_features(feature_set=feature_set, actor=actor)
    return _send(job_ids, JOB_KIND)


@transaction.atomic
def launch_questions(
    *, request: question_sets.QuestionSetRequest, actor: User | None
) -> QuestionSet:
    """Queue the making of a question set, which is empty until then."""
    question_set, job_ids = question_sets.start_questions(request=request, actor=actor)
    _send(job_ids, question_sets.JOB_KIND)
    return question_set


@transaction.atomic
def launch_question_freeze(*, question_set: QuestionSet, actor: User | None) -> int:
    """Queue the freeze of a question set and return the number of jobs."""
    job_ids = question_sets.start_freezing_questions(question_set=question_set, actor=actor)
    return _send(job_ids, question_sets.JOB_KIND)


@transaction.atomic
def resume_questions(
    *, question_set: QuestionSet, actor: User | None, budget_usd: float | None = None
) -> int:
    """Go on with the stopped making or freeze of a question set; returns the number of jobs."""
    job_ids = question_sets.resume_questions(
        question_set=question_set, actor=actor, budget_usd=budget_usd
    )
    return _send(job_ids, question_sets.JOB_KIND)


def _send(job_ids: Sequence[int], kind: str = assessments.JOB_KIND) -> int:
    send_jobs(kind=kind, job_ids=job_ids)
    return len(job_ids)


@transaction.atomic
def launch_proposals(*, request: ProposalsRequest, actor: User | None) -> StepProposals:
    """Queue step proposals, which are empty until their job is done."""
    started, job_ids = start_proposals(request=request, actor=actor)
    _send(job_ids, PROPOSALS_KIND)
    return started


@transaction.atomic
def resume_proposals(
    *, proposals: StepProposals, actor: User | None, budget_usd: float | None = None
) -> int:
    """Go on with stopped step proposals and return the number of jobs."""
    job_ids = resume_stopped_proposals(proposals=proposals, actor=actor, budget_usd=budget_usd)
    return _send(job_ids, PROPOSALS_KIND)
