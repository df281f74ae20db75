"""Start a model that watches a recording live, and send it what the person at the page wants."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from annotation.engine.exceptions import NotNowError
from annotation.models import Job, JobStatus, User
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import cancel_jobs, enqueue_jobs, requeue_jobs
from benchmarks.models import ItemSet, LiveCommand, LiveCommandKind, LiveEventKind, LiveRun
from benchmarks.selectors.item_sets import may_see_truth, refuse_while_answering, task_of
from benchmarks.services.assessments import MOST_PICTURES, role_settings, usable_endpoints
from benchmarks.services.item_sets import lock_item_set, require_frozen

JOB_KIND = "benchmarks.watch_live"
# Seconds of the recording between decisions; 0: at the points of the set.
LEAST_STRIDE_S, MOST_STRIDE_S = 0.5, 60.0
MOST_QUESTION_CHARACTERS = 500
# Why a run has ended that its person ended.
STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class LiveRequest:
    """Which model watches, and how often it is asked; `endpoint` and `roles` are public ids.

    Every `stride_s` seconds of the recording, or with 0 at the points of the set.
    """

    endpoint: str
    stride_s: float = 2.0
    pictures: int = 4
    temperature: float | None = 0.0
    budget_usd: float | None = None
    roles: Mapping[str, str] = field(default_factory=dict)


class LiveEndedError(NotNowError):
    """The run has ended: nothing can be sent to it any more."""


@transaction.atomic
def start_live(
    *, item_set: ItemSet, recording: str, request: LiveRequest, actor: User
) -> tuple[LiveRun, list[int]]:
    """Have a model watch a recording of a set; returns the run and the jobs to send.

    Only for who may see the truth. Raises ValidationError by field, Http404 for no such recording.
    """
    _check(request)
    require_frozen(item_set)
    lock_item_set(item_set)
    refuse_while_answering(actor, item_set)
    if not task_of(item_set).is_watched or not may_see_truth(actor, item_set):
        raise Http404("nobody watches this live")
    items = item_set.items.filter(recording=recording).select_related("video")
    last = items.order_by("-moment_s").first()
    if last is None or last.moment_s is None:
        raise Http404(f"{item_set} has no recording {recording!r}")
    usable = usable_endpoints(actor)
    endpoint = usable.filter(public_id=request.endpoint).first()
    if endpoint is None:
        raise ValidationError({"endpoint": f"You have no text model {request.endpoint!r}."})
    settings = {
        "model": endpoint.model_name,
        "stride_s": request.stride_s,
        "pictures": request.pictures,
        "picture_side": 768,
        "picture_detail": endpoint.image_detail,
        "temperature": request.temperature if endpoint.takes_temperature else None,
        "budget_usd": request.budget_usd,
        **role_settings(usable, item_set, endpoint, request.roles),
    }
    run = LiveRun(
        item_set=item_set,
        recording=recording,
        owner=actor,
        endpoint=endpoint,
        settings=settings,
        length_s=max(last.moment_s, last.video.duration_s if last.video else 0.0),
    )
    job_ids = enqueue_jobs(kind=JOB_KIND, payload_by_key={run.public_id: {}}, created_by=actor)
    run.job_id = job_ids[0]
    run.save()
    detail = {"set": item_set.public_id, "recording": recording, **settings}
    record(actor=actor, action="live.start", subject=f"live:{run.public_id}", detail=detail)
    return run, job_ids


def _check(request: LiveRequest) -> None:
    faults = {}
    if request.stride_s and not LEAST_STRIDE_S <= request.stride_s <= MOST_STRIDE_S:
        words = f"expected 0, or {LEAST_STRIDE_S:g} to {MOST_STRIDE_S:g} seconds"
        faults["stride_s"] = f"It is {request.stride_s:g}; {words}."
    if not 0 <= request.pictures <= MOST_PICTURES:
        faults["pictures"] = f"It is {request.pictures}; expected 0 to {MOST_PICTURES}."
    if request.budget_usd is not None and not 0 < request.budget_usd < 1_000_000:
        faults["budget_usd"] = f"It is {request.budget_usd}; expected dollars above 0."
    if faults:
        raise ValidationError(faults)


@transaction.atomic
def command_live(*, run: LiveRun, kind: str, text: str = "") -> list[int]:
    """Send a command to a run; returns the jobs to send, where no worker has it.

    Raises ValidationError, and LiveEndedError where it has ended.
    """
    if kind not in LiveCommandKind.values:
        known = ", ".join(LiveCommandKind.values)
        raise ValidationError({"kind": f"It is {kind!r}; expected one of {known}."})
    text = text.strip()
    if (kind == LiveCommandKind.ASK) != bool(text) or len(text) > MOST_QUESTION_CHARACTERS:
        words = f"expected words with ask alone, at most {MOST_QUESTION_CHARACTERS} characters"
        raise ValidationError({"text": f"It has {len(text)} characters; {words}."})
    if run.ended_at is not None:
        raise LiveEndedError("This run has ended; start another.")
    LiveCommand.objects.create(run=run, kind=kind, text=text)
    if run.job_id is None:
        return []
    # A worker that leaves the run does so before it looks for commands.
    job = Job.objects.select_for_update().get(pk=run.job_id)
    if kind != LiveCommandKind.STOP:
        return requeue_jobs(job_ids=[job.pk]) if job.status == JobStatus.WAITING else []
    cancel_jobs(job_ids=[job.pk])
    # A worker that has it ends it itself, after what it may be asking just now.
    is_held = job.lease_until is not None and job.lease_until > timezone.now()
    if job.status != JobStatus.RUNNING or not is_held:
        end_live(run, STOPPED)
    return []


def end_live(run: LiveRun, reason: str) -> None:
    """Write that a run has ended, with the figures that it has; needs a transaction.

    Once: a worker that was thought to be dead may end it, too.
    """
    if LiveRun.objects.filter(pk=run.pk, ended_at__isnull=False).exists():
        return
    number = run.events.count() + 1
    kind, shown = LiveEventKind.ENDED, {"reason": reason}
    run.events.create(number=number, kind=kind, time_s=run.position_s, shown=shown)
    run.ended_at, run.playing_since = timezone.now(), None
    run.save(update_fields=["ended_at", "playing_since", "figures"])
