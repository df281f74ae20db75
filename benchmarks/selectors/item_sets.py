"""Read item sets: who may see which, and who may see their truth."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import Http404

from annotation.models import User
from annotation.selectors.blinding import get_unhidden, hidden_datasets
from annotation.selectors.corpus import visible_datasets
from benchmarks.engine import task as engine
from benchmarks.engine.registry import tasks
from benchmarks.models import Assessment, Item, ItemSet, ParticipantKind

# The source of tasks whose truth is in a data set (`Task.source`).
DATASET = "dataset"


def openable_item_sets(user: User) -> QuerySet[ItemSet]:
    """The item sets that the user may look into whenever no campaign hides them."""
    if user.is_administrator:
        return ItemSet.objects.all()
    if user.is_researcher:
        shared = Q(is_shared=True, frozen_at__isnull=False)
        return ItemSet.objects.filter(Q(owner=user) | shared)
    return ItemSet.objects.none()


def visible_item_sets(user: User) -> QuerySet[ItemSet]:
    """Own and shared ones, but not those of data that the user rates in an open campaign."""
    hidden = Q(dataset__in=hidden_datasets(user).values("pk"))
    return openable_item_sets(user).exclude(hidden)


def get_item_set_for_user(user: User, public_id: str) -> ItemSet:
    """A visible item set; raises Http404, or that it is hidden."""
    sets = visible_item_sets(user).select_related("dataset", "owner")
    return get_unhidden(user, sets, openable_item_sets(user), public_id)


def may_change_item_set(user: User, item_set: ItemSet) -> bool:
    return user.is_administrator or (user.is_researcher and item_set.owner_id == user.pk)


def get_changeable_item_set(user: User, public_id: str) -> ItemSet:
    item_set = get_item_set_for_user(user, public_id)
    if not may_change_item_set(user, item_set):
        raise Http404
    return item_set


def is_answering(user: User, item_set: ItemSet) -> bool:
    """Whether the user takes part as a person and has not finished."""
    own = Assessment.objects.filter(item_set=item_set, person=user, frozen_at__isnull=True)
    return own.exists()


def participants_of_others(user: User) -> QuerySet[Any, Any]:
    """People who answer item sets of others, whose passwords are no business of the user's."""
    people = Assessment.objects.filter(person__isnull=False).exclude(item_set__owner=user)
    return people.values("person")


def refuse_while_answering(user: User | None, item_set: ItemSet) -> None:
    """Raise ValidationError for who answers now and could not look up what is right.

    Figures of a file with one answer changed would tell it, item by item.
    """
    own = Assessment.objects.filter(item_set=item_set, person=user, frozen_at__isnull=True)
    if user is not None and own.filter(settings__could_see_truth=False).exists():
        raise ValidationError("You are answering these items yourself; finish your answers first.")


def may_see_truth(user: User, item_set: ItemSet) -> bool:
    """Whether the user may see what is right: who could look it up, and is not answering now.

    That is who owns the set or may read its data set, and administrators. What is made of a round
    has people's answers as its truth: it is its owner's alone.
    """
    if is_answering(user, item_set):
        return False
    if may_change_item_set(user, item_set):
        return True
    if item_set.dataset_id is None or task_of(item_set).source != DATASET:
        return False
    return visible_datasets(user).filter(pk=item_set.dataset_id).exists()


def readable_items(user: User, item_set: ItemSet) -> QuerySet[Item]:
    """The items that the user may read: who answers them now meets sequences on their own page.

    There the next item opens once the one before it is answered.
    """
    items = item_set.items.all()
    return items.filter(sequence="") if is_answering(user, item_set) else items


def refuse_later_items(user: User, item_set: ItemSet) -> None:
    """Raise PermissionDenied where a file of all items would show what is to be answered later."""
    if is_answering(user, item_set) and item_set.items.exclude(sequence="").exists():
        raise PermissionDenied("You are answering these items; they open one after another.")


def readable_assessments(user: User, item_set: ItemSet) -> list[Assessment]:
    """The assessments of a set whose answers the user may read (a few queries for all of them).

    Others' answers tell what is right as well as the truth does: who may not see it sees them once
    answers of their own to this set are final, and nobody while they answer.
    """
    rows = list(item_set.assessments.order_by("pk"))
    if is_answering(user, item_set):
        return [row for row in rows if row.person_id == user.pk]
    own = [row for row in rows if user.pk in {row.person_id, row.owner_id}]
    if may_see_truth(user, item_set) or any(row.frozen_at for row in own):
        return rows
    return own


def may_see_answers(user: User, assessment: Assessment) -> bool:
    """Whether the answers of an assessment are among those that the user may read."""
    return assessment in readable_assessments(user, assessment.item_set)


def engine_item(row: Item, *, with_truth: bool = True) -> engine.Item:
    """A stored item as its task knows it; without truth, nothing tells of it."""
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
    )


def task_of(item_set: ItemSet) -> engine.Task:
    """The task of a set; raises Http404 where its folder is gone."""
    try:
        return tasks()[item_set.task]
    except KeyError as error:
        raise Http404(f"the task {item_set.task!r} is not on this site") from error


def shown_item(row: Item) -> dict[str, object]:
    """An item as it is downloaded: what is asked, and nothing that tells what is right."""
    return {
        "key": row.key,
        "recording": row.recording,
        "question": row.question,
        "payload": row.payload,
        "choices": row.choices,
        "start_s": row.start_s,
        "moment_s": row.moment_s,
        "sequence": row.sequence,
        "position": row.sequence_position,
        "part": row.part,
    }


@dataclass(frozen=True, slots=True)
class SetSummary:
    """How many have taken part in a set, without the trivial baselines, and are not done yet."""

    finished: int = 0
    unfinished: int = 0


def summaries(sets: Iterable[ItemSet]) -> dict[int, SetSummary]:
    """Who took part in each of the sets, by their row ids (one query)."""
    ids = [item_set.pk for item_set in sets]
    takers = Assessment.objects.filter(item_set__in=ids).exclude(kind=ParticipantKind.BASELINE)
    counts = takers.order_by().values_list("item_set").annotate(Count("frozen_at"), Count("pk"))
    found = {pk: SetSummary(done, everybody - done) for pk, done, everybody in counts}
    return {pk: found.get(pk, SetSummary()) for pk in ids}
