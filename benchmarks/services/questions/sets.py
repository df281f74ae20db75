"""Start, cancel, resume and delete question sets. The work itself is in `work`.

Functions that queue jobs return the ids of those that `launch` must send.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.http import Http404

from annotation.engine.exceptions import NotNowError
from annotation.models import AT_WORK, Job, User
from annotation.selectors.records.status import installed_version
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import cancel_jobs, enqueue_jobs, requeue_jobs
from annotation.services.records.locks import lock_datasets
from benchmarks.engine.questions.samples import QuestionSettings
from benchmarks.models import Question, QuestionSet
from benchmarks.selectors.material import find_dataset
from benchmarks.selectors.questions import BEFORE_REVIEW
from benchmarks.services.askable import checked_budget, usable_endpoint, usable_endpoints
from benchmarks.services.batches import delete_rows
from benchmarks.services.item_sets import MAX_SEED

# Also the name of the Celery task.
JOB_KIND = "benchmarks.work_on_question_sets"


@dataclass(frozen=True, slots=True)
class QuestionSetRequest:
    """What to make, of the data set `source`, by the text model `writer` or by templates ("").

    `writer` and `source` are public ids.
    """

    name: str
    source: str
    seed: int = 0
    settings: QuestionSettings = field(default_factory=QuestionSettings)
    writer: str = ""
    budget_usd: float | None = None


class QuestionSetInUseError(NotNowError):
    """The question set cannot be changed or deleted as things are; the message says why."""


@transaction.atomic
def start_questions(
    *, request: QuestionSetRequest, actor: User | None
) -> tuple[QuestionSet, list[int]]:
    """Queue the questions about a data set that the user may read.

    `actor` None is the command line. Raises ValidationError by field.
    """
    faults = request.settings.faults()
    if not 0 <= request.seed <= MAX_SEED:
        faults["seed"] = f"It is {request.seed}; expected 0 to {MAX_SEED}."
    if faults:
        raise ValidationError(dict(faults))
    budget = checked_budget(request.budget_usd)
    try:
        source = find_dataset(actor, request.source)
        lock_datasets([source.dataset])
    except Http404 as error:
        words = f"You have no data set {request.source!r}."
        raise ValidationError({"source": words}) from error
    writer = None
    if request.writer:
        writer = usable_endpoint(usable_endpoints(actor), request.writer, "writer")
    question_set = QuestionSet(
        name=request.name.strip(),
        dataset=source.dataset,
        source=source.name,
        settings=request.settings.to_dict(),
        seed=request.seed,
        owner=actor,
        writer=writer,
        writer_name="" if writer is None else writer.name,
        budget_usd=budget,
        code_version=installed_version(),
    )
    job_ids = _queued(question_set, actor)
    detail = {"source": request.source, "writer": request.writer}
    record_questions(question_set, actor, "start", detail)
    return question_set, job_ids


def _queued(question_set: QuestionSet, actor: User | None) -> list[int]:
    """Store a new set as the next version of its name, with its job; needs a transaction."""
    lock_owner_and_number(question_set)
    question_set.full_clean()
    job_ids = enqueue_jobs(
        kind=JOB_KIND, payload_by_key={question_set.public_id: {}}, created_by=actor
    )
    question_set.job_id = job_ids[0]
    question_set.save()
    return job_ids


def lock_owner_and_number(question_set: QuestionSet) -> None:
    """Make a new set the next version of its name; needs a transaction."""
    if question_set.owner is not None:
        # Locked, else two simultaneous clicks would both make the same version.
        User.objects.select_for_update(no_key=True).get(pk=question_set.owner.pk)
    same = QuestionSet.objects.filter(owner=question_set.owner, name=question_set.name)
    question_set.version = (same.aggregate(latest=Max("version"))["latest"] or 0) + 1


@transaction.atomic
def start_freezing_questions(*, question_set: QuestionSet, actor: User | None) -> list[int]:
    """Queue the freeze: what is usable stays, after a look at whether the data set has changed.

    Nothing is queued for a set that is frozen or at work. Raises QuestionSetInUseError for one that
    has no questions yet, or whose review is not over.
    """
    now = locked_question_set(question_set)
    if now.is_frozen:
        return []
    if not now.is_made:
        raise QuestionSetInUseError(f"{now} has no questions yet; freeze it once they are made.")
    if now.review is not None and BEFORE_REVIEW not in now.figures:
        words = f"{now} is in review; close the round and take its verdicts back first."
        raise QuestionSetInUseError(words)
    if now.job_id is None:
        # The pairs of published files came without one.
        job_ids = enqueue_jobs(kind=JOB_KIND, payload_by_key={now.public_id: {}}, created_by=actor)
        now.job_id = job_ids[0]
        now.save(update_fields=["job"])
    else:
        job_ids = requeue_jobs(job_ids=_job_ids(now), with_done=True)
    if job_ids:
        counts = {"done_count": 0, "total_count": 0, "result": {}}
        Job.objects.filter(pk__in=job_ids).update(**counts)
        record_questions(now, actor, "start_freeze", {})
    return job_ids


@transaction.atomic
def cancel_questions(*, question_set: QuestionSet, actor: User | None) -> int:
    """Stop making or freezing; returns the number of stopped jobs."""
    stopped = cancel_jobs(job_ids=_job_ids(question_set))
    if stopped:
        record_questions(question_set, actor, "cancel", {})
    return stopped


@transaction.atomic
def resume_questions(
    *, question_set: QuestionSet, actor: User | None, budget_usd: float | None = None
) -> list[int]:
    """Go on with what was cancelled or has failed, with another budget if one is given.

    Raises QuestionSetInUseError where the set is deleted.
    """
    now = locked_question_set(question_set)
    if budget_usd is not None:
        now.budget_usd = checked_budget(budget_usd)
        now.save(update_fields=["budget_usd"])
    job_ids = requeue_jobs(job_ids=_job_ids(now))
    if job_ids:
        record_questions(now, actor, "resume", {"budget_usd": budget_usd})
    return job_ids


def delete_questions(*, question_set: QuestionSet, actor: User | None) -> None:
    """Delete a set with its questions, batch by batch; raises QuestionSetInUseError while at work.

    Item sets that were made of it keep their items.
    """
    with transaction.atomic():
        now = locked_question_set(question_set)
        if now.job is not None and now.job.status in AT_WORK:
            raise QuestionSetInUseError(f"{now} is being worked on; cancel that first.")
        if now.review is not None and now.review.closed_at is None:
            raise QuestionSetInUseError(f"{now} is being reviewed; close the round first.")
        unmade = {"made_at": None, "frozen_at": None, "question_count": 0}
        QuestionSet.objects.filter(pk=now.pk).update(**unmade)
    # Versions point to those before them, and would go with them one by one.
    delete_rows(None, Question.objects.filter(question_set=now, before__isnull=False))
    delete_rows(None, Question.objects.filter(question_set=now))
    with transaction.atomic():
        # Somebody else may have deleted it meanwhile.
        if not QuestionSet.objects.select_for_update().filter(pk=now.pk).exists():
            return
        record_questions(now, actor, "delete", {"name": str(now)})
        now.delete()
        Job.objects.filter(pk__in=_job_ids(question_set)).delete()


def locked_question_set(question_set: QuestionSet) -> QuestionSet:
    """The set as it is now, locked until the transaction ends; raises QuestionSetInUseError."""
    rows = QuestionSet.objects.select_for_update(of=("self",)).filter(pk=question_set.pk)
    now = rows.select_related("job", "review__campaign", "dataset", "owner", "writer").first()
    if now is None:
        raise QuestionSetInUseError(f"{question_set} has been deleted.")
    return now


def _job_ids(question_set: QuestionSet) -> list[int]:
    return [] if question_set.job_id is None else [question_set.job_id]


def record_questions(
    question_set: QuestionSet, actor: User | None, action: str, detail: Mapping[str, object]
) -> None:
    subject = f"question_set:{question_set.public_id}"
    record(actor=actor, action=f"question_set.{action}", subject=subject, detail=detail)
