"""Make, freeze, share and delete item sets. Making and freezing are queued: see `item_set_work`.

Functions that queue jobs return the ids of those that `launch` must send.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.http import Http404

from annotation.engine.exceptions import NotNowError
from annotation.models import AT_WORK, Job, User
from annotation.selectors.records.status import installed_version
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import cancel_jobs, enqueue_jobs, requeue_jobs
from benchmarks.engine import task as engine
from benchmarks.engine.division import Division
from benchmarks.engine.registry import tasks
from benchmarks.models import Answer, ItemSet
from benchmarks.selectors.item_sets import DATASET, ONLY_AUDIT
from benchmarks.selectors.sources import SOURCES
from benchmarks.services.batches import delete_rows

# Also the name of the Celery task.
JOB_KIND = "benchmarks.work_on_item_sets"
MAX_SEED = 2**53 - 1


@dataclass(frozen=True, slots=True)
class ItemSetRequest:
    """What to make; `source` is the public id of the data set, or of the task's other source."""

    name: str
    task: str
    source: str
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    division: Division | None = None
    is_shared: bool = False


class ItemSetInUseError(NotNowError):
    """The item set cannot be changed or deleted; the message says why."""


@transaction.atomic
def start_making(*, request: ItemSetRequest, actor: User | None) -> tuple[ItemSet, list[int]]:
    """Queue the items of a data set that the user may read, to be looked at before the freeze.

    `actor` None is the command line. Raises ValidationError by field, also for a source that the
    user may not read.
    """
    task = tasks().get(request.task)
    if task is None:
        known = ", ".join(tasks())
        raise ValidationError({"task": f"There is no task {request.task!r}; expected {known}."})
    if not 0 <= request.seed <= MAX_SEED:
        raise ValidationError({"seed": f"It is {request.seed}; expected 0 to {MAX_SEED}."})
    if request.division is not None and task.source != DATASET:
        # Everybody who sees a set gets its examples with their truth, here people's answers.
        words = f"{task.title} cannot be divided: what it is made of gives no examples."
        raise ValidationError({"division": words})
    settings = checked_settings(task, request.settings)
    try:
        source = SOURCES[task.source].find(actor, request.source)
    except Http404 as error:
        words = f"You have no {task.source} {request.source!r}."
        raise ValidationError({"source": words}) from error
    item_set = ItemSet(
        name=request.name.strip(),
        task=task.name,
        task_version=task.version,
        settings=settings,
        seed=request.seed,
        division=request.division.to_dict() if request.division else {},
        dataset=source.dataset,
        source=source.name,
        owner=actor,
        is_shared=request.is_shared,
        code_version=installed_version(),
    )
    if actor is not None:
        # Locked, else two simultaneous clicks would both make the same version.
        User.objects.select_for_update(no_key=True).get(pk=actor.pk)
    same = ItemSet.objects.filter(owner=actor, name=item_set.name)
    item_set.version = (same.aggregate(latest=Max("version"))["latest"] or 0) + 1
    item_set.full_clean()
    job_ids = _queue(item_set, {"source": request.source}, actor)
    item_set.save()
    record_set(item_set, actor, "start", {"source": request.source, "task": task.name})
    return item_set, job_ids


def _queue(item_set: ItemSet, payload: Mapping[str, object], actor: User | None) -> list[int]:
    """Enqueue the one job of a set; needs a transaction, and the set to be saved after it."""
    job_ids = enqueue_jobs(
        kind=JOB_KIND, payload_by_key={item_set.public_id: payload}, created_by=actor
    )
    item_set.job_id = job_ids[0]
    return job_ids


def checked_settings(task: engine.Task, requested: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a task, as requested or by default; raises ValidationError by name."""
    settings = {setting.name: setting for setting in task.settings}
    faults = {
        name: f"{task.title} has no such setting; expected {', '.join(settings) or 'none'}."
        for name in requested
        if name not in settings
    }
    values: dict[str, Any] = {}
    for name, setting in settings.items():
        value = requested.get(name, setting.default)
        if setting.choices:
            if value not in setting.choices:
                faults[name] = f"It is {value!r}; expected one of {', '.join(setting.choices)}."
        elif isinstance(setting.default, str):
            value = str(value)
        else:
            kind = type(setting.default)
            try:
                value = kind(value)
                if not setting.least <= value <= setting.most:
                    raise ValueError
            except (TypeError, ValueError, OverflowError):
                ends = f"{setting.least:g} to {setting.most:g}"
                faults[name] = f"It is {value!r}; expected a number from {ends}."
        values[name] = value
    if faults:
        raise ValidationError(faults)
    return values


@transaction.atomic
def start_freezing(*, item_set: ItemSet, actor: User | None, only_audit: bool = False) -> list[int]:
    """Queue the freeze: the trivial baselines answer, then the items are final.

    `only_audit` has what can be guessed without pictures tried and stored, and freezes nothing.

    Nothing is queued for a set that is frozen or at work already. Raises ItemSetInUseError for one
    whose items are not made yet, or was deleted.
    """
    lock_item_set(item_set)
    now = ItemSet.objects.get(pk=item_set.pk)
    if now.is_frozen:
        return []
    if not now.is_made:
        raise ItemSetInUseError(f"{now} has no items yet; freeze it once they are made.")
    action = "start_audit" if only_audit else "start_freeze"
    return queue_work(now, action, {ONLY_AUDIT: only_audit}, actor)


def queue_work(
    item_set: ItemSet, action: str, payload: Mapping[str, object], actor: User | None
) -> list[int]:
    """Queue work on a set that is made, unless it is at work; needs a transaction and its lock."""
    payload = {"actor": None if actor is None else actor.pk, **payload}
    if item_set.job_id is None:
        job_ids = _queue(item_set, payload, actor)
        item_set.save(update_fields=["job"])
    elif job_ids := requeue_jobs(job_ids=[item_set.job_id], with_done=True):
        counts = {"done_count": 0, "total_count": 0, "result": {}}
        Job.objects.filter(pk__in=job_ids).update(payload=payload, **counts)
    if job_ids:
        record_set(item_set, actor, action, {"hash": item_set.content_hash})
    return job_ids


@transaction.atomic
def cancel_item_set(*, item_set: ItemSet, actor: User | None) -> int:
    """Stop making or freezing; returns the number of stopped jobs."""
    stopped = cancel_jobs(job_ids=_job_ids(item_set))
    if stopped:
        record_set(item_set, actor, "cancel", {})
    return stopped


@transaction.atomic
def resume_item_set(*, item_set: ItemSet, actor: User | None) -> list[int]:
    """Go on with the making or the freeze that was cancelled or has failed."""
    job_ids = requeue_jobs(job_ids=_job_ids(item_set))
    if job_ids:
        record_set(item_set, actor, "resume", {})
    return job_ids


def _job_ids(item_set: ItemSet) -> list[int]:
    return [] if item_set.job_id is None else [item_set.job_id]


def require_frozen(item_set: ItemSet) -> None:
    """Raise ValidationError unless the items are final."""
    if not item_set.is_frozen:
        raise ValidationError(f"{item_set} is not frozen yet; freeze it before anybody answers.")


def lock_item_set(item_set: ItemSet) -> None:
    """Lock the set until the transaction ends; raises ItemSetInUseError if it was deleted.

    Both adding a participant and deleting the set take this lock, so neither misses the other.
    """
    now = ItemSet.objects.select_for_update().filter(pk=item_set.pk).first()
    # A set that was frozen is no more while it is being deleted.
    if now is None or (item_set.is_frozen and not now.is_frozen):
        raise ItemSetInUseError(f"{item_set} has been deleted.")


def share_item_set(*, item_set: ItemSet, is_shared: bool, actor: User | None) -> None:
    """Open the items, not their truth, to every researcher of the site, or close them again."""
    with transaction.atomic():
        changed = ItemSet.objects.filter(pk=item_set.pk).exclude(is_shared=is_shared)
        if changed.update(is_shared=is_shared):
            item_set.is_shared = is_shared
            record_set(item_set, actor, "share" if is_shared else "unshare", {})


def delete_item_set(*, item_set: ItemSet, actor: User | None) -> None:
    """Delete a set that only baselines have answered; raises ItemSetInUseError.

    Large sets go in batches, so that others write meanwhile. From the first on it is a set whose
    items are not made; where the work is interrupted, it is deleted once more.
    """
    with transaction.atomic():
        lock_item_set(item_set)
        job = Job.objects.filter(pk__in=_job_ids(item_set)).first()
        if job is not None and job.status in AT_WORK:
            raise ItemSetInUseError(f"{item_set} is being worked on; cancel that first.")
        takers = item_set.assessments.exclude(kind="baseline")
        if count := takers.count():
            words = f"{count} participants have answered {item_set}; delete theirs first."
            raise ItemSetInUseError(words)
        unmade = {"made_at": None, "frozen_at": None, "is_shared": False, "item_count": 0}
        ItemSet.objects.filter(pk=item_set.pk).update(**unmade)
    delete_rows(None, Answer.objects.filter(assessment__in=item_set.assessments.all()))
    delete_rows(None, item_set.items.all())
    with transaction.atomic():
        # Somebody else may have deleted it meanwhile.
        if not ItemSet.objects.select_for_update().filter(pk=item_set.pk).exists():
            return
        item_set.assessments.all().delete()
        record_set(item_set, actor, "delete", {"name": str(item_set)})
        item_set.delete()
        if job is not None:
            job.delete()


def record_set(
    item_set: ItemSet, actor: User | None, action: str, detail: Mapping[str, object]
) -> None:
    subject = f"item_set:{item_set.public_id}"
    record(actor=actor, action=f"item_set.{action}", subject=subject, detail=detail)
