"""Make, freeze, share and delete item sets. All but sharing is queued: see `item_set_work`.

Functions that queue jobs return the ids of those that `launch` must send.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
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
from annotation.services.records.locks import lock_datasets
from benchmarks.engine import task as engine
from benchmarks.engine.division import PARTS, TEST, Division, ExampleRecordings
from benchmarks.engine.mixing import names_apart
from benchmarks.engine.registry import tasks
from benchmarks.models import ItemSet, ItemSetSource, ParticipantKind
from benchmarks.selectors.item_sets import DATASET, DELETE, DOOMED, ONLY_AUDIT, WRITE
from benchmarks.selectors.material import NamedSource
from benchmarks.selectors.sources import SOURCES
from benchmarks.services.askable import checked_budget

# Also the name of the Celery task.
JOB_KIND = "benchmarks.work_on_item_sets"
MAX_SEED = 2**53 - 1
# Participants that the freeze itself makes.
MADE_KINDS = (ParticipantKind.BASELINE, ParticipantKind.REVIEW)
# The room of the column of sources.
MOST_NAME = 200


# More data sets would make a form that nobody reads.
MOST_SOURCES = 20


@dataclass(frozen=True, slots=True)
class OneOfSources:
    """One of several sources by its public id; all of its items are in `part`, "" for no part."""

    source: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class ItemSetRequest:
    """What to make; `source` is the public id of the data set, or of the task's other source.

    In its place there may be several `sources`, either mixed or each with a part.
    """

    name: str
    task: str
    source: str = ""
    sources: Sequence[OneOfSources] = ()
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    division: Division | ExampleRecordings | None = None
    is_shared: bool = False


class ItemSetInUseError(NotNowError):
    """The item set cannot be changed or deleted; the message says why."""


@transaction.atomic
def start_making(*, request: ItemSetRequest, actor: User | None) -> tuple[ItemSet, list[int]]:
    """Queue the items of a data set that the user may read, to be looked at before the freeze.

    `actor` None is the command line. Raises ValidationError by field, also for a source that the
    user may not read.
    """
    task = _task_for(request)
    settings = checked_settings(task, request.settings)
    sources = checked_sources(task, request)
    named = [_find_source(task, actor, one.source) for one in sources]
    try:
        lock_datasets(one.dataset for one in named)
    except Http404 as error:
        raise ValidationError({"source": str(error)}) from error
    names = names_apart([one.name for one in named])
    item_set = ItemSet(
        name=request.name.strip(),
        task=task.name,
        task_version=task.version,
        settings=settings,
        seed=request.seed,
        division=request.division.to_dict() if request.division else {},
        dataset=named[0].dataset if len(named) == 1 else None,
        source=names_in_words(names),
        source_ids=[one.source for one in sources],
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
    chosen = [[one.source, one.part] for one in sources]
    job_ids = _queue(item_set, {"sources": chosen}, actor)
    item_set.save()
    if len(sources) > 1:
        ItemSetSource.objects.bulk_create(
            ItemSetSource(
                item_set=item_set, position=position, dataset=found.dataset, name=name,
                part=one.part,
            )
            for position, (one, found, name) in enumerate(
                zip(sources, named, names, strict=True), start=1
            )
        )  # fmt: skip
    record_set(item_set, actor, "start", {"sources": chosen, "task": task.name})
    return item_set, job_ids


def _task_for(request: ItemSetRequest) -> engine.Task:
    """The task that is asked for; raises ValidationError where seed or division do not fit it."""
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
    return task


def checked_sources(task: engine.Task, request: ItemSetRequest) -> list[OneOfSources]:
    """The sources that are asked for; raises ValidationError where they do not go together."""
    if not request.sources:
        return [OneOfSources(request.source)]
    sources = list(request.sources)
    parts = {one.part for one in sources}
    unknown = sorted(parts - {"", *PARTS})
    is_divided = request.division is not None
    faults = {
        "There are both one source and several; expected one of the two.": bool(request.source),
        f"There are {len(sources)}; expected at most {MOST_SOURCES}.": len(sources) > MOST_SOURCES,
        "One of them is there twice; expected each once.": (
            len({one.source for one in sources}) < len(sources)
        ),
        f"The parts are {', '.join(unknown)}; expected {', '.join(PARTS)}, or none.": bool(unknown),
        "Some have a part and some have none; expected a part for all of them, or for none.": (
            "" in parts and len(parts) > 1
        ),
        f"None is the part {TEST}; expected at least one, which is answered and scored.": (
            not parts & {"", TEST}
        ),
        "Each has a part already, and they are to be divided too; expected one of the two.": (
            is_divided and "" not in parts
        ),
        f"{task.title} is made of one {task.source}; expected no more.": (
            len(sources) > 1 and not SOURCES[task.source].may_be_several
        ),
    }
    for words, is_so in faults.items():
        if is_so:
            raise ValidationError({"sources": words})
    return sources


def _find_source(task: engine.Task, actor: User | None, public_id: str) -> NamedSource:
    try:
        return SOURCES[task.source].find(actor, public_id)
    except Http404 as error:
        words = f"You have no {task.source} {public_id!r}."
        raise ValidationError({"source": words}) from error


def names_in_words(names: Sequence[str]) -> str:
    """The names of sources in one text, cut to the room of its column."""
    words = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return shorten(words, MOST_NAME, placeholder="…") if len(words) > MOST_NAME else words


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
    now = ItemSet.objects.select_related("review__campaign").get(pk=item_set.pk)
    if now.is_frozen:
        return []
    if not only_audit and now.review is not None and now.review.closed_at is None:
        words = f"close its round in {now.review.campaign.name} first"
        raise ItemSetInUseError(f"The right words of {now} are in review; {words}.")
    if not now.is_made:
        raise ItemSetInUseError(f"{now} has no items yet; freeze it once they are made.")
    action = "start_audit" if only_audit else "start_freeze"
    return queue_work(now, action, {ONLY_AUDIT: only_audit}, actor)


def queue_work(
    item_set: ItemSet, action: str, payload: Mapping[str, object], actor: User | None
) -> list[int]:
    """Queue work on a set, unless it is at work; needs a transaction and the set's lock."""
    payload = {"actor": None if actor is None else actor.pk, **payload}
    if item_set.job_id is None:
        job_ids = _queue(item_set, payload, actor)
        item_set.save(update_fields=["job"])
    elif job_ids := requeue_jobs(job_ids=[item_set.job_id], with_done=True):
        counts = {"done_count": 0, "total_count": 0, "result": {}}
        before = Job.objects.get(pk=item_set.job_id).payload
        # Whatever comes next, what was to be left out goes first.
        payload |= {DOOMED: before[DOOMED]} if DOOMED in before else {}
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
def resume_item_set(
    *, item_set: ItemSet, actor: User | None, budget_usd: float | None = None
) -> list[int]:
    """Go on with what was cancelled or has failed.

    A text model that was to write gets another budget if one is given; raises ValidationError.
    """
    checked_budget(budget_usd)
    job_ids = requeue_jobs(job_ids=_job_ids(item_set))
    for job in Job.objects.filter(pk__in=job_ids):
        if WRITE in job.payload and budget_usd is not None:
            job.payload |= {"budget_usd": budget_usd}
            job.save(update_fields=["payload"])
    if job_ids:
        record_set(item_set, actor, "resume", {"budget_usd": budget_usd})
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


@transaction.atomic
def start_deleting(*, item_set: ItemSet, actor: User | None) -> list[int]:
    """Queue the deletion of a set that nobody was asked to answer; raises ItemSetInUseError.

    From now on it is a set whose items are not made. Where the work is cancelled or fails, it is
    gone on with, or the set is deleted once more.
    """
    lock_item_set(item_set)
    now = ItemSet.objects.select_related("job").get(pk=item_set.pk)
    if now.job is not None and now.job.status in AT_WORK:
        raise ItemSetInUseError(f"{now} is being worked on; cancel that first.")
    if count := now.assessments.exclude(kind__in=MADE_KINDS).count():
        words = f"{count} participants have answered {now}; delete theirs first."
        raise ItemSetInUseError(words)
    now.made_at, now.frozen_at, now.is_shared, now.item_count = None, None, False, 0
    now.save(update_fields=["made_at", "frozen_at", "is_shared", "item_count"])
    return queue_work(now, "start_delete", {DELETE: True}, actor)


def record_set(
    item_set: ItemSet, actor: User | None, action: str, detail: Mapping[str, object]
) -> None:
    subject = f"item_set:{item_set.public_id}"
    record(actor=actor, action=f"item_set.{action}", subject=subject, detail=detail)
