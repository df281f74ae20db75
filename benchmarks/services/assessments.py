"""Start, cancel, resume and delete assessments. Nothing here sends messages: see `launch`.

Functions that queue jobs return the ids of those that `launch` must send.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404

from annotation.engine.exceptions import NotNowError
from annotation.models import AT_WORK, Job, User
from annotation.selectors.records.status import installed_version
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import cancel_jobs, enqueue_jobs, requeue_jobs
from benchmarks.engine.reading import READING_VERSION
from benchmarks.engine.task import AnswerStatus, Variant
from benchmarks.models import (
    AgentEndpoint,
    Answer,
    Assessment,
    ItemSet,
    ParticipantKind,
)
from benchmarks.selectors.assessments import answers_without_role, reading_versions, sampled
from benchmarks.selectors.item_sets import (
    example_items,
    refuse_while_answering,
    task_of,
)
from benchmarks.services.askable import (
    askable_endpoint,
    judge_settings,
    refuse_agent,
    refuse_judges,
    refuse_telling,
    role_settings,
    usable_endpoints,
)
from benchmarks.services.figures import delete_answers
from benchmarks.services.item_sets import lock_item_set, require_frozen
from benchmarks.services.pictures import MOST_PICTURES as MOST_PICTURES
from benchmarks.services.training_work import forget_weights
from generation.backends.text.model import ImageDetail
from generation.models import TextEndpoint
from generation.models.endpoints import CONCURRENCY, TIMEOUT_S

ASKED_KINDS = {ParticipantKind.ENDPOINT, ParticipantKind.AGENT}
JOB_KIND = "benchmarks.work_on_assessments"
# In the payload of the job of an upload that is being stored.
UPLOAD = "upload"
PICTURE_SIDES = (64, 768)
MOST_REPEATS = 20
# Settings of the endpoint that one assessment may have otherwise.
PACE = ("concurrency", "timeout_s")
ROLE_AGAIN = "another model of it gave no reply, and is asked again"


@dataclass(frozen=True, slots=True)
class AskRequest:
    """Which model or agent to ask, and how; `endpoint` and `judges` are public ids.

    Each item gets `pictures` pictures of at most `picture_side` pixels if the endpoint takes any.
    With a `limit` only a sample of at most so many items is asked about, see `sampled`. `variant`
    is the name of one of the task's, "" for the usual one. `concurrency` and `timeout_s` are those
    of the endpoint unless less, or another time, is asked for.
    """

    endpoint: str
    pictures: int = 4
    picture_side: int = 768
    picture_detail: str = ImageDetail.LOW.value
    repeats: int = 1
    temperature: float | None = 0.0
    budget_usd: float | None = None
    judges: Sequence[str] = ()
    limit: int | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    variant: str = ""
    concurrency: int | None = None
    timeout_s: int | None = None


class AssessmentAtWorkError(NotNowError):
    """The assessment is being worked on."""


@transaction.atomic
def start_assessment(
    *, item_set: ItemSet, request: AskRequest, actor: User | None
) -> tuple[Assessment, list[int]]:
    """Have an endpoint answer a frozen item set; raises ValidationError by field."""
    require_frozen(item_set)
    lock_item_set(item_set)
    refuse_while_answering(actor, item_set)
    refuse_judges(actor, item_set, request.judges)
    check_request(request)
    variant = find_variant(item_set, request.variant)
    usable = usable_endpoints(actor)
    endpoint = askable_endpoint(actor, request.endpoint)
    agent = endpoint if isinstance(endpoint, AgentEndpoint) else None
    model = endpoint if isinstance(endpoint, TextEndpoint) else None
    if agent is not None:
        refuse_agent(item_set, agent)
    refuse_telling(actor, item_set)
    is_text_only = not endpoint.supports_images
    settings = {
        "model": endpoint.model_name,
        "server": urlsplit(endpoint.base_url).hostname or "",
        "is_text_only": is_text_only,
        "pictures": 0 if is_text_only else request.pictures,
        "picture_side": request.picture_side,
        "picture_detail": request.picture_detail,
        "repeats": request.repeats,
        "temperature": request.temperature if model and model.takes_temperature else None,
        "budget_usd": request.budget_usd,
        "reading_versions": [READING_VERSION],
        **{name: value for name in PACE if (value := getattr(request, name)) is not None},
        **({"variant": variant.name} if variant.name else {}),
        **_sample_settings(item_set, request.limit),
        **judge_settings(usable, request.judges, endpoint.model_name),
        **role_settings(usable, item_set, endpoint, request.roles),
    }
    assessment = Assessment(
        item_set=item_set,
        kind=ParticipantKind.AGENT if agent else ParticipantKind.ENDPOINT,
        name=name_of_run(item_set, named(endpoint.name, variant)),
        endpoint=model,
        agent=agent,
        owner=actor,
        settings=settings,
        code_version=installed_version(),
    )
    job_ids = queue_assessment(assessment, actor)
    record_assessment(assessment, actor, "start", {"set": item_set.public_id, **settings})
    return assessment, job_ids


def name_of_run(item_set: ItemSet, name: str) -> str:
    """The name of the next run of a model on a set, as "My model (run 2)"; needs its lock."""
    taken = set(item_set.assessments.filter(name__startswith=name).values_list("name", flat=True))
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} (run {number})"
    return free


def find_variant(item_set: ItemSet, name: str) -> Variant:
    """The way to ask about a set, "" for the usual one; raises ValidationError."""
    try:
        variant = task_of(item_set).variant(name)
    except ValueError as error:
        raise ValidationError({"variant": f"{error}."}) from error
    if variant.has_examples and not example_items(item_set).exists():
        words = f"{item_set} has no examples to show: no recording is only for learning (train)."
        raise ValidationError({"variant": words})
    return variant


def named(participant: str, variant: Variant) -> str:
    """A participant's name with the way in which it is asked."""
    return ", ".join(filter(None, (participant, variant.title)))


def _sample_settings(item_set: ItemSet, limit: int | None) -> dict[str, int]:
    if limit is None or limit >= item_set.item_count:
        return {}
    return {"limit": limit, "sampled": sum(len(unit) for unit in sampled(item_set, limit))}


def check_request(request: AskRequest) -> None:
    """Raise ValidationError by field for what is out of range."""
    faults = {}
    if request.limit is not None and request.limit < 1:
        faults["limit"] = f"It is {request.limit}; expected at least 1 item, or none for all."
    for name, value, least, most in (
        ("pictures", request.pictures, 0, MOST_PICTURES),
        ("picture_side", request.picture_side, *PICTURE_SIDES),
        ("repeats", request.repeats, 1, MOST_REPEATS),
        ("concurrency", request.concurrency, 1, CONCURRENCY.most),
        ("timeout_s", request.timeout_s, TIMEOUT_S.least, TIMEOUT_S.most),
    ):
        if value is not None and not least <= value <= most:
            faults[name] = f"It is {value}; expected {least} to {most}."
    if request.picture_detail not in set(ImageDetail):
        known = ", ".join(ImageDetail)
        faults["picture_detail"] = f"It is {request.picture_detail!r}; expected one of {known}."
    if request.temperature is not None and not 0 <= request.temperature <= 2:
        faults["temperature"] = f"It is {request.temperature}; expected 0 to 2, or none."
    if request.budget_usd is not None and not 0 < request.budget_usd < 1_000_000:
        faults["budget_usd"] = f"It is {request.budget_usd}; expected dollars above 0."
    if faults:
        raise ValidationError(faults)


def refuse_more(actor: User | None, assessment: Assessment) -> None:
    """Lock the set and raise ValidationError where the actor could not start the assessment now.

    The settings of the assessment are then as they are now, and Http404 is raised where it is
    deleted. Needs a transaction.
    """
    lock_item_set(assessment.item_set)
    # As a worker does that finishes: the job first, then the assessment.
    _lock_job(assessment)
    if not _is_there(assessment):
        raise Http404(f"{assessment.name} was deleted just now.")
    # Whoever writes them has the lock, and may have raised the budget since this row was read.
    assessment.refresh_from_db(fields=["settings"])
    refuse_while_answering(actor, assessment.item_set)
    refuse_judges(actor, assessment.item_set, assessment.settings.get("judges", ()))


def queue_assessment(
    assessment: Assessment, actor: User | None, *, is_upload: bool = False
) -> list[int]:
    """Store an assessment with the job that works on it; needs a transaction.

    The job of an upload is held by whoever stores the answers. A worker gets it only where that
    process is no more, and takes away what it left.
    """
    payload = {UPLOAD: True} if is_upload else {}
    job_ids = enqueue_jobs(
        kind=JOB_KIND, payload_by_key={assessment.public_id: payload}, created_by=actor
    )
    assessment.job_id = job_ids[0]
    assessment.save()
    return job_ids


@transaction.atomic
def cancel_assessment(*, assessment: Assessment, actor: User | None) -> int:
    """Stop asking; answers are kept. Returns the number of stopped jobs."""
    # An upload is stored as a whole or not at all.
    jobs = Job.objects.filter(pk__in=_job_ids(assessment)).exclude(payload__has_key=UPLOAD)
    stopped = cancel_jobs(job_ids=jobs.values_list("pk", flat=True))
    if stopped:
        record_assessment(assessment, actor, "cancel", {})
    return stopped


@transaction.atomic
def resume_assessment(
    *, assessment: Assessment, actor: User | None, budget_usd: float | None = None
) -> list[int]:
    """Resume a cancelled or failed assessment, with a higher budget if one is given.

    Raises ValidationError where the actor could not start it now.
    """
    refuse_more(actor, assessment)
    if budget_usd is not None:
        before = assessment.settings.get("budget_usd")
        if before is None or not before < budget_usd < 1_000_000:
            words = f"It is {budget_usd}; expected more than {before} dollars."
            raise ValidationError({"budget_usd": words})
        assessment.settings = {**assessment.settings, "budget_usd": budget_usd}
        assessment.save(update_fields=["settings"])
    job_ids = requeue_jobs(job_ids=_job_ids(assessment))
    _note_reading(assessment)
    if job_ids:
        record_assessment(assessment, actor, "resume", {"budget_usd": budget_usd})
    return job_ids


def _note_reading(assessment: Assessment) -> None:
    """Note the rule by which answers are read from now on; those that came keep their reading."""
    before = reading_versions(assessment)
    if assessment.kind in ASKED_KINDS and READING_VERSION not in before:
        versions = [*before, READING_VERSION]
        assessment.settings = {**assessment.settings, "reading_versions": versions}
        assessment.save(update_fields=["settings"])


@transaction.atomic
def reask_failed(*, assessment: Assessment, actor: User | None) -> list[int]:
    """Ask again about items, roles and judgements that failed; other answers stay as they are.

    Raises ValidationError where the actor could not start the assessment now.
    """
    refuse_more(actor, assessment)
    answers = Answer.objects.filter(assessment=assessment)
    # Of these everything is asked again; what came is read from the record, and not paid for.
    unplanned = list(answers_without_role(assessment).values_list("pk", flat=True))
    asks_roles = answers.filter(pk__in=unplanned).exclude(status=AnswerStatus.FAILED)
    failed = answers.filter(status=AnswerStatus.FAILED).count() + asks_roles.count()
    unjudged = sum(
        any(judgement["status"] == AnswerStatus.FAILED for judgement in judged.values())
        for judged in answers.exclude(judged={}).values_list("judged", flat=True)
    )
    if not failed and not unjudged:
        return []
    job_ids = requeue_jobs(job_ids=_job_ids(assessment), with_done=True)
    if job_ids:
        _note_reading(assessment)
        if failed:
            asks_roles.update(status=AnswerStatus.FAILED, value=None, reason=ROLE_AGAIN)
            Assessment.objects.filter(pk=assessment.pk).update(frozen_at=None)
        record_assessment(assessment, actor, "reask", {"failed": failed, "unjudged": unjudged})
    return job_ids


def delete_assessment(*, assessment: Assessment, actor: User | None) -> None:
    """Delete an assessment with its answers; raises AssessmentAtWorkError while it is worked on.

    Paid calls stay recorded, so asking again costs nothing. Many answers go in batches, so that
    others write meanwhile; where that is interrupted, nothing is compared, and it is deleted again.
    """
    with transaction.atomic():
        _require_idle(assessment)
        Assessment.objects.filter(pk=assessment.pk).update(frozen_at=None)
    delete_answers(assessment)
    with transaction.atomic():
        _require_idle(assessment)
        if not _is_there(assessment):
            return  # a second click came after the first had done it
        record_assessment(assessment, actor, "delete", {"name": assessment.name})
        Assessment.objects.filter(pk=assessment.pk).delete()
        transaction.on_commit(partial(forget_weights, assessment))
        Job.objects.filter(pk__in=_job_ids(assessment)).delete()


def _require_idle(assessment: Assessment) -> None:
    job = _lock_job(assessment)
    if job is not None and job.status in AT_WORK:
        raise AssessmentAtWorkError(f"{assessment.name} is being asked; cancel it first.")


def _lock_job(assessment: Assessment) -> Job | None:
    return Job.objects.select_for_update().filter(pk__in=_job_ids(assessment)).first()


def _is_there(assessment: Assessment) -> bool:
    """Whether it was not deleted, which it is not until the transaction ends: its row is locked."""
    return Assessment.objects.select_for_update().filter(pk=assessment.pk).exists()


def _job_ids(assessment: Assessment) -> list[int]:
    return [] if assessment.job_id is None else [assessment.job_id]


def record_assessment(
    assessment: Assessment, actor: User | None, action: str, detail: Mapping[str, object]
) -> None:
    subject = f"assessment:{assessment.public_id}"
    record(actor=actor, action=f"assessment.{action}", subject=subject, detail=detail)
