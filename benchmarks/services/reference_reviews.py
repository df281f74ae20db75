"""The review of what a set holds as right words: handed to a round of texts, and taken back.

People accept, edit or reject each text while the set is not frozen. The freeze takes their verdicts
over before it does anything else, so that what is reviewed is frozen with the items.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db import transaction

from annotation.models import Round, User
from annotation.services.records.jobs import Claim
from benchmarks.engine.content import content_hash, written_item
from benchmarks.engine.task import ReferenceText, Task
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import (
    engine_item,
    has_references,
    task_of,
    tells_when_asked,
)
from benchmarks.services.batches import in_batches, short_transaction
from benchmarks.services.item_sets import ItemSetInUseError, lock_item_set, record_set
from texts.selectors.rounds import decided_texts
from texts.services.rounds import NewTextRound, TextDraft, begin_reading

READ_AT_ONCE = 1000
OVERLAP = 2


def start_reference_review(*, item_set: ItemSet, name: str, actor: User) -> Round:
    """Plan a round with the right words of a set; people are added there.

    Raises ItemSetInUseError for a set that is frozen, not made, at work, reviewed already or of a
    task without such texts, and ValidationError as the round does.
    """
    try:
        drafts = list(_drafts(item_set)) if has_references(task_of(item_set)) else []
    except KeyError as error:
        words = f"{item_set} asks about {error}, which its data set has no longer: make it again."
        raise ItemSetInUseError(words) from error
    with transaction.atomic():
        lock_item_set(item_set)
        now = ItemSet.objects.select_related("dataset", "review__campaign").get(pk=item_set.pk)
        if now.is_frozen or not now.is_made:
            raise ItemSetInUseError(f"{now} is frozen or not made; its words cannot be reviewed.")
        if now.review is not None:
            raise ItemSetInUseError(f"{now} has a review already, {now.review.campaign.name}.")
        if not drafts or now.dataset is None:
            raise ItemSetInUseError(f"{now} has no right words of one data set to review.")
        now.review = begin_reading(
            name=name,
            datasets=[now.dataset],
            new=NewTextRound(
                origin=f"item_set:{now.public_id}", overlap=OVERLAP, seed=now.seed % 2**31
            ),
            drafts=drafts,
            actor=actor,
        )
        now.save(update_fields=["review"])
        record_set(now, actor, "start_review", {"campaign": now.review.campaign.public_id})
    return now.review


def _drafts(item_set: ItemSet) -> Iterator[TextDraft]:
    dataset = item_set.dataset
    if dataset is None:
        return
    takes = dict(dataset.takes.values_list("uid", "pk"))
    traces = {uid: (pk, take) for uid, pk, take in dataset.traces.values_list("uid", "pk", "take")}
    seen: set[str] = set()
    for row in rows_in_order(item_set):
        kind, _, uid = row.source_recording.partition(":")
        trace, take = traces[uid] if kind == "trace" else (None, takes[uid])
        for reference in _texts(item_set, row):
            if reference.key not in seen:
                seen.add(reference.key)
                yield TextDraft(
                    source_key=reference.key,
                    take=take,
                    trace=trace,
                    start_s=row.start_s,
                    end_s=row.moment_s,
                    text=reference.text,
                    label=reference.label,
                    group=reference.group,
                )


def rows_in_order(item_set: ItemSet) -> Iterator[Item]:
    rows = item_set.items.order_by("position").prefetch_related("shared")
    return rows.iterator(chunk_size=READ_AT_ONCE)


def _texts(item_set: ItemSet, row: Item) -> list[ReferenceText]:
    item = engine_item(row)
    return list(task_of(item_set).reference_texts(item, row.key))


def take_references(claim: Claim, item_set: ItemSet) -> None:
    """Give items the words that a closed review left; doing it twice gives the same.

    What nobody decided about is rejected. The content hash is then that of the new items.
    """
    if item_set.review is None:
        return
    decided = decided_texts(item_set.review)
    words = {one.source_key: one.text if one.is_kept else "" for one in decided}
    give_references(claim, item_set, words, "take_review")


def _told_otherwise(item_set: ItemSet, task: Task) -> Iterator[Item]:
    """The items that are told something else now that earlier ones have other words."""
    if not tells_when_asked(item_set):
        return
    rows = item_set.items.order_by("sequence", "moment_s").prefetch_related("shared")
    in_time = rows.iterator(chunk_size=READ_AT_ONCE)
    for _, own in groupby(in_time, key=attrgetter("sequence")):
        right: dict[float, Mapping[str, Any]] = {}
        for row in own:
            told = dict(task.told_with(engine_item(row), right))
            right[row.moment_s or 0.0] = row.truth
            if told != row.told:
                row.told = told
                yield row


def give_references(claim: Claim, item_set: ItemSet, words: Mapping[str, str], action: str) -> None:
    """Put words in their places by the keys of texts, and renew the content hash."""
    task = task_of(item_set)
    changed: list[Item] = []
    for row in rows_in_order(item_set):
        truth = dict(task.with_references(engine_item(row), row.key, words))
        if truth != row.truth:
            row.truth = truth
            changed.append(row)
    for batch in in_batches(changed):
        with short_transaction(claim):
            Item.objects.bulk_update(batch, ["truth"])
    for batch in in_batches(list(_told_otherwise(item_set, task))):
        with short_transaction(claim):
            Item.objects.bulk_update(batch, ["told"])
    stored = item_set.items.order_by("key").prefetch_related("shared")
    written = (
        (row.key, written_item(engine_item(row)))
        for row in stored.iterator(chunk_size=READ_AT_ONCE)
    )
    content = content_hash(task, item_set.settings, written)
    if content != item_set.content_hash:
        with short_transaction(claim):
            item_set.content_hash = content
            item_set.save(update_fields=["content_hash"])
            detail = {"changed": len(changed), "hash": content}
            record_set(item_set, None, action, detail)
