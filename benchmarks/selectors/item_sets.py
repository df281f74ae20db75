"""Read item sets: who may see which, and who may see their truth."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import Http404
from django.utils import timezone

from annotation.models import AT_WORK, Job, JobStatus, User
from annotation.selectors.corpus.blinding import get_unhidden, hidden_datasets
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.engine import task as engine
from benchmarks.engine.division import TRAIN
from benchmarks.engine.registry import tasks
from benchmarks.models import Assessment, Item, ItemSet, ItemSetSource, ParticipantKind
from generation.models import TextEndpoint

# The source of tasks whose truth is in a data set (`Task.source`).
DATASET = "dataset"
# In the payload of a job on a set that is made: try what can be guessed, and freeze nothing.
ONLY_AUDIT = "only_audit"
# There too: leave out what at least so many guessers guess (None: what balances answers).
LEAVE_OUT, AT_LEAST = "leave_out", "at_least"
WRITE = "write"
# And there once that is decided: the row ids of items that are yet to be deleted.
DOOMED = "doomed"
# In the payload of a job that deletes its set.
DELETE = "delete"


def openable_item_sets(user: User) -> QuerySet[ItemSet]:
    """The item sets that the user may see whenever no campaign hides them."""
    if user.is_administrator:
        return ItemSet.objects.all()
    if user.is_researcher:
        shared = Q(is_shared=True, frozen_at__isnull=False)
        return ItemSet.objects.filter(Q(owner=user) | shared)
    return ItemSet.objects.none()


def visible_item_sets(user: User) -> QuerySet[ItemSet]:
    """The user's own and shared sets, without those of data that they rate in an open campaign."""
    return openable_item_sets(user).exclude(pk__in=item_sets_hidden_from(user).values("pk"))


def item_sets_hidden_from(user: User) -> QuerySet[ItemSet]:
    """The sets of data that the user rates in an open campaign, of one data set or of several."""
    rated = hidden_datasets(user).values("pk")
    # Two subqueries: joined to its sources a set would be there once for each of them.
    of_several = ItemSetSource.objects.filter(dataset__in=rated).values("item_set")
    return ItemSet.objects.filter(Q(dataset__in=rated) | Q(pk__in=of_several))


def get_item_set_for_user(user: User, public_id: str) -> ItemSet:
    """A visible item set whose items are made; raises Http404, or that it is hidden."""
    item_set = get_unfinished_item_set_for_user(user, public_id)
    if not item_set.is_made:
        raise Http404(f"the items of {item_set} are not made yet")
    return item_set


def get_unfinished_item_set_for_user(user: User, public_id: str) -> ItemSet:
    """A visible item set, also one without items yet; raises Http404, or that it is hidden."""
    sets = visible_item_sets(user).select_related("dataset", "owner", "job", "review__campaign")
    return get_unhidden(user, sets, openable_item_sets(user), public_id)


def may_change_item_set(user: User, item_set: ItemSet) -> bool:
    return user.is_administrator or (user.is_researcher and item_set.owner_id == user.pk)


def get_changeable_item_set(user: User, public_id: str) -> ItemSet:
    """An item set that the user may change, also one without items yet; raises Http404."""
    item_set = get_unfinished_item_set_for_user(user, public_id)
    if not may_change_item_set(user, item_set):
        raise Http404
    return item_set


def is_answering(user: User, item_set: ItemSet) -> bool:
    """Whether the user answers the set as a person and has not finished."""
    own = Assessment.objects.filter(item_set=item_set, person=user, frozen_at__isnull=True)
    return own.exists()


def participants_of_others(user: User) -> QuerySet[Any, Any]:
    """People who answer item sets of other owners; this user may not set their passwords."""
    people = Assessment.objects.filter(person__isnull=False).exclude(item_set__owner=user)
    return people.values("person")


def refuse_while_answering(user: User | None, item_set: ItemSet) -> None:
    """Raise ValidationError for a user who is answering now and could not look up the truth.

    Otherwise they could upload files that differ in one answer and read the truth from the figures.
    """
    own = Assessment.objects.filter(item_set=item_set, person=user, frozen_at__isnull=True)
    if user is not None and own.filter(settings__could_see_truth=False).exists():
        raise ValidationError("You are answering these items yourself; finish your answers first.")


def may_see_truth(user: User, item_set: ItemSet) -> bool:
    """Whether the user may see the truth: whoever can look it up and is not answering now.

    These are the owner, administrators, and users who may read all of its data sets. The truth of a
    set made from a round is people's answers, which only its owner and administrators may see.
    """
    return not is_answering(user, item_set) and can_look_up_truth(user, item_set)


def can_look_up_truth(user: User, item_set: ItemSet) -> bool:
    """Whether the user may see the truth whenever they are not answering."""
    if may_change_item_set(user, item_set):
        return True
    if task_of(item_set).source != DATASET:
        return False
    # A deleted data set was somebody's: nobody else can look up what was true there.
    several = item_set.sources.values_list("dataset", flat=True)
    ids: set[int | None] = set(several) or {item_set.dataset_id}
    readable = visible_datasets(user).filter(pk__in=filter(None, ids))
    return ids == set(readable.values_list("pk", flat=True))


def named_judges(item_set: ItemSet) -> list[TextEndpoint]:
    """The text models that also those may let grade who may not see the truth.

    One that got another server since its naming is none: its owner would be sent the truth there.
    """
    servers = item_set.judge_servers
    judges = item_set.judges.all() if servers else ()
    return [judge for judge in judges if servers.get(judge.public_id) == judge.base_url]


def shown_judgements(judged: Mapping[str, Any], *, sees_truth: bool) -> dict[str, Any]:
    """What a user may read of an answer's judgements by judge.

    A judge has read the truth and its words may quote it: who may not see it gets only numbers.
    """
    if sees_truth:
        return dict(judged)
    return {
        name: {
            "status": judgement["status"],
            "value": {
                key: entry
                for key, entry in (judgement.get("value") or {}).items()
                if isinstance(entry, int | float)
            },
        }
        for name, judgement in judged.items()
    }


def example_items(item_set: ItemSet) -> QuerySet[Item]:
    """The items that models may be shown with their truth: to train on, of no recording asked of.

    A set may divide recordings themselves; those are never examples.
    """
    asked = item_set.test_items.values("recording")
    return item_set.items.filter(part=TRAIN).exclude(recording__in=asked)


def refuse_later_items(user: User, item_set: ItemSet) -> None:
    """Raise PermissionDenied where a file of all items would show the user later items."""
    if is_answering(user, item_set) and item_set.items.exclude(sequence="").exists():
        raise PermissionDenied("You are answering these items; they open one after another.")


def engine_item(row: Item, *, with_truth: bool = True) -> engine.Item:
    """A stored item as an engine item; without truth it has nothing that would reveal it."""
    return engine.Item(
        key=row.source_key if with_truth else row.key,
        recording=row.source_recording if with_truth else row.recording,
        payload=row.payload,
        truth=row.truth if with_truth else {},
        question=row.question,
        choices=tuple(row.choices),
        start_s=row.start_s,
        moment_s=row.moment_s,
        sequence=row.sequence,
        position=row.sequence_position,
        groups=row.groups if with_truth else {},
        part=row.part,
        take=row.take if with_truth else "",
        procedure=row.procedure if with_truth else "",
        person=row.person if with_truth else "",
        stretches=tuple(engine.Stretch(*one) for one in row.stretches),
        told=row.told,
    )


def tells_when_asked(item_set: ItemSet) -> bool:
    """Whether something is said only when an item is asked, such as what was right before."""
    return item_set.items.exclude(told={}).exists()


def task_of(item_set: ItemSet) -> engine.Task:
    """The task of a set; raises Http404 where the installation no longer has it."""
    try:
        return tasks()[item_set.task]
    except KeyError as error:
        raise Http404(f"the task {item_set.task!r} is not on this site") from error


def has_references(task: engine.Task) -> bool:
    """Whether the items of a task hold texts that people may review."""
    return type(task).reference_texts is not engine.Task.reference_texts


def has_written_references(task: engine.Task) -> bool:
    """Whether a text model may be asked to write them."""
    return type(task).reference_requests is not engine.Task.reference_requests


def cautions_of(item_set: ItemSet) -> list[str]:
    """What to know about a set before comparing figures, a sentence each."""
    task, version = task_of(item_set), item_set.task_version
    since = [words for number, words in sorted(task.changes.items()) if number > version]
    kept = f"This set keeps version {version} of its task, which is now version {task.version}."
    asked = [f"Not asked about: {count} {reason}." for reason, count in item_set.left_out.items()]
    older = [" ".join([kept, "Since then:", *since])] if since else []
    return [*older, *task.warnings(item_set.settings), *task.to_know, *asked]


def shown_payload(row: Item, *, sees_truth: bool) -> dict[str, Any]:
    """What a user may read of an item's payload.

    Data sets name their recordings, and names may tell: of CaptainCook4D the number says which were
    planned without errors. Who could look the truth up may know them; all others get the opaque
    name, as of every other field.
    """
    payload: dict[str, Any] = row.payload
    if sees_truth or "recording_id" not in payload:
        return payload
    return {**payload, "recording_id": row.recording}


def shown_item(row: Item, *, sees_truth: bool) -> dict[str, object]:
    """An item as it is downloaded, without truth or anything that would reveal it."""
    return {
        "key": row.key,
        "recording": row.recording,
        "question": row.question,
        "payload": shown_payload(row, sees_truth=sees_truth),
        "choices": row.choices,
        "start_s": row.start_s,
        "moment_s": row.moment_s,
        "sequence": row.sequence,
        "position": row.sequence_position,
        "part": row.part,
    }


def state_of_set(item_set: ItemSet) -> str:
    """What has become of a set, in a word or two: its job's state unless that is done."""
    job = item_set.job
    if item_set.is_frozen:
        return "frozen"
    if job is not None and job.status in AT_WORK:
        if job.payload.get(DELETE):
            return "being deleted"
        if job.payload.get(LEAVE_OUT):
            return "leaving out"
        if job.payload.get(WRITE):
            return "being written"
        if job.payload.get(ONLY_AUDIT):
            return "being audited"
        return "being frozen" if item_set.is_made else "being made"
    if job is not None and job.status in {JobStatus.FAILED, JobStatus.CANCELLED}:
        return "deleted in part" if job.payload.get(DELETE) else str(job.status)
    # Its job has made the items, and they are gone: a deletion that was interrupted.
    return "not frozen" if item_set.is_made else "deleted in part"


@dataclass(frozen=True, slots=True)
class SetProgress:
    """How far the job of a set is: `done_count` of `total_count` of what `work` names.

    The works of a job each take an equal share of its count. `left_s` is estimated from its speed
    so far, None where that is unknown. `goes_on` is what going on with a stopped job would do.
    """

    work: str
    is_at_work: bool
    done_count: int
    total_count: int
    left_s: float | None
    goes_on: str


def progress_of_set(item_set: ItemSet) -> SetProgress | None:
    """The progress of a set's job; None where there is nothing to say of it."""
    job = item_set.job
    if job is None or job.status == JobStatus.DONE:
        return None
    is_optional = _is_optional(job.payload)
    if item_set.is_made and is_optional and job.status == JobStatus.CANCELLED:
        return None
    works = _works(item_set, job.payload)
    total_count = job.total_count // len(works)
    place = min(job.done_count // total_count, len(works) - 1) if total_count else 0
    is_at_work = job.status in AT_WORK
    return SetProgress(
        work=works[place],
        is_at_work=is_at_work,
        done_count=job.done_count - place * total_count,
        total_count=total_count,
        left_s=seconds_left(job),
        goes_on=_goes_on(item_set, job.payload),
    )


def seconds_left(job: Job) -> float | None:
    """How long a job will still take at its speed so far, None where that is unknown."""
    if job.status not in AT_WORK or not job.done_count or job.started_at is None:
        return None
    seconds = (timezone.now() - job.started_at).total_seconds()
    return seconds / job.done_count * (job.total_count - job.done_count)


def _goes_on(item_set: ItemSet, payload: Mapping[str, object]) -> str:
    if payload.get(DELETE):
        return "Go on deleting it"
    is_freeze = item_set.is_made and not _is_optional(payload)
    return "Freeze it after all" if is_freeze else "Go on"


def _is_optional(payload: Mapping[str, object]) -> bool:
    """Whether a job does what a set can do without once it is made."""
    return any(payload.get(name) for name in (ONLY_AUDIT, LEAVE_OUT, WRITE))


def _works(item_set: ItemSet, payload: Mapping[str, object]) -> tuple[str, ...]:
    """What the job of a set does, in turn."""
    if payload.get(DELETE):
        return ("Items and answers deleted",)
    if not item_set.is_made:
        return "Items made", "Items stored"
    if payload.get(LEAVE_OUT):
        return "Guesses without pictures", "Guesses of what stays"
    if payload.get(WRITE):
        return ("Texts written",)
    if payload.get(ONLY_AUDIT):
        return ("Guesses without pictures",)
    return (
        "Guesses without pictures", "Answers of baselines scored", "Answers of baselines stored",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SetSummary:
    """The number of participants of a set, without the trivial baselines."""

    finished: int = 0
    unfinished: int = 0


def summaries(sets: Iterable[ItemSet]) -> dict[int, SetSummary]:
    """The summary of each set by its row id (one query)."""
    ids = [item_set.pk for item_set in sets]
    takers = Assessment.objects.filter(item_set__in=ids).exclude(kind=ParticipantKind.BASELINE)
    counts = takers.order_by().values_list("item_set").annotate(Count("frozen_at"), Count("pk"))
    summaries_of = {pk: SetSummary(done, everybody - done) for pk, done, everybody in counts}
    return {pk: summaries_of.get(pk, SetSummary()) for pk in ids}
