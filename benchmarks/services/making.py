"""The making of an item set, in a job: items to a draft, names and hash from it, then rows."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

from django.http import Http404
from django.utils import timezone

from annotation.selectors.corpus.blinding import HiddenWhileRatingError
from annotation.selectors.records.status import installed_version
from annotation.services.records.jobs import Claim, Progress, finish_job
from benchmarks.engine import task as engine
from benchmarks.engine.content import OpaqueNames, content_hash
from benchmarks.engine.division import ExampleRecordings, divider, division_from, keeper
from benchmarks.engine.folds import FOLD
from benchmarks.engine.leakage import find_leaks
from benchmarks.engine.mixing import DIVIDED, Materials, MixedMaterial, names_apart
from benchmarks.models import ItemSet
from benchmarks.selectors.item_sets import task_of
from benchmarks.selectors.material import Source
from benchmarks.selectors.sources import SOURCES
from benchmarks.services.batches import delete_rows, in_batches, insert_rows, short_transaction
from benchmarks.services.item_draft import ROW_COLUMNS, ItemDraft
from benchmarks.services.item_sets import names_in_words, record_set

MOST_ITEMS = 1_000_000
MADE_COLUMNS = (
    "task_version", "code_version", "source", "leaks", "left_out", "item_count", "made_at",
)  # fmt: skip
COLUMNS = ", ".join(f'"{name}"' for name in ROW_COLUMNS)
INSERT_SQL = (
    f"INSERT INTO benchmarks_item ({COLUMNS}) VALUES ({', '.join(['%s'] * len(ROW_COLUMNS))})"  # noqa: S608
)
DOCUMENT_SQL = (
    "INSERT INTO benchmarks_sharedpayload (item_set_id, number, content) VALUES (%s, %s, %s)"
)


class UnmakeableError(Exception):
    """No items can be made; the message says why."""


def make_items(claim: Claim, item_set: ItemSet, report: Progress) -> None:
    """Make the items of a set, store them and close the job; raises UnmakeableError.

    Nobody sees an item before all are stored. A worker that goes on after another leaves the rows
    that are there, if they are of the same items, and adds those that are missing.
    """
    task = task_of(item_set)
    sources = _sources(claim, item_set, task)
    # The installation may be newer than when the set was asked for.
    item_set.task_version, item_set.code_version = task.version, installed_version()
    item_set.source = names_in_words([one.name for one in sources.mixed])
    with ItemDraft() as draft:
        _fill(draft, item_set, task, sources, report)
        own = content_hash(task, item_set.settings, draft.by_own_key())
        names = OpaqueNames(own, item_set.seed)
        draft.give_names(names)
        made = content_hash(task, item_set.settings, draft.by_opaque_key())
        if len(draft.parts) > 1:
            leaks = find_leaks(_items(item_set, task, sources), sources.generated_from)
            item_set.leaks = [leak.to_dict() | {"words": str(leak)} for leak in leaks]
        item_set.left_out = sources.left_out(task, item_set.settings)
        count = _stored_count(claim, item_set, made, draft)
        shared_ids = _store_documents(claim, item_set, draft)
        rows = draft.rows(item_set.pk, names, sources.video_ids, shared_ids, count)
        for batch in in_batches(rows):
            insert_rows(claim, INSERT_SQL, batch)
            count += len(batch)
            report(draft.item_count + count, 2 * draft.item_count)
        with short_transaction(claim):
            finish_job(claim=claim, result={"items": draft.item_count})
            item_set.item_count, item_set.made_at = draft.test_count, timezone.now()
            item_set.save(update_fields=MADE_COLUMNS)
            detail = {"items": draft.item_count, "hash": made, "attempt": claim.attempt}
            record_set(item_set, None, "make", detail)


def _sources(claim: Claim, item_set: ItemSet, task: engine.Task) -> Materials:
    """What the set is made of, if its owner still may read it."""
    payload: Mapping[str, Any] = claim.payload
    # Sets that were asked for before there were several have one source in their job.
    chosen = payload["sources"] if "sources" in payload else [[payload["source"], ""]]
    read = [(_source(item_set, task, str(public_id)), str(part)) for public_id, part in chosen]
    names = names_apart([source.material.name for source, _ in read])
    mixed = tuple(
        MixedMaterial(source.material, name, position, part)
        for position, ((source, part), name) in enumerate(zip(read, names, strict=True), start=1)
    )
    if len(read) == 1:
        return Materials(mixed, read[0][0].video_ids)
    video_ids = {
        one.own(key): video_id
        for one, (source, _) in zip(mixed, read, strict=True)
        for key, video_id in source.video_ids.items()
    }
    return Materials(mixed, video_ids)


def _source(item_set: ItemSet, task: engine.Task, public_id: str) -> Source:
    try:
        return SOURCES[task.source].read(item_set.owner, public_id)
    except Http404 as error:
        raise UnmakeableError(f"You have no {task.source} {public_id!r} any more.") from error
    except HiddenWhileRatingError as error:
        raise UnmakeableError(str(error)) from error


def _fill(
    draft: ItemDraft, item_set: ItemSet, task: engine.Task, sources: Materials, report: Progress
) -> None:
    """Put all items into the draft; raises UnmakeableError.

    The work told of is twice the number of items, which are made and then stored. How many there
    will be is estimated from the share of the recordings that is done.
    """
    recording_count, done_count, last = sources.recording_count, 0, ""
    try:
        for item in _items(item_set, task, sources):
            draft.add(item)
            done_count += item.recording != last
            last = item.recording
            if draft.item_count > MOST_ITEMS:
                raise ValueError(f"it makes more than {MOST_ITEMS} items; expected at most so many")
            share = min(done_count / recording_count, 1)
            report(draft.item_count, 2 * round(draft.item_count / share))
        if not draft.test_count:
            raise ValueError("the task finds nothing to ask in it")
        draft.complete()
    except ValueError as error:
        raise UnmakeableError(f"No items can be made of {item_set.source}: {error}.") from error


def _items(item_set: ItemSet, task: engine.Task, sources: Materials) -> Iterator[engine.Item]:
    """The items with their parts, made anew at every call; raises ValueError."""
    made = partial(sources.items, task, item_set.settings, item_set.seed)
    if not item_set.division:
        yield from made()
        return
    division, items = division_from(item_set.division), _undivided(made())
    if isinstance(division, ExampleRecordings):
        to_part = keeper(items, division, item_set.seed)
    else:
        to_part = divider(items, division, item_set.seed, sources.generated_from)
    yield from map(to_part, made())


def _undivided(items: Iterable[engine.Item]) -> Iterator[engine.Item]:
    for item in items:
        if item.part or FOLD in item.groups:
            raise ValueError(DIVIDED)
        yield item


def _stored_count(claim: Claim, item_set: ItemSet, made: str, draft: ItemDraft) -> int:
    """How many rows an earlier worker stored of the same items; those of others are deleted."""
    if item_set.content_hash == made and _has_same_documents(item_set, draft):
        return item_set.items.count()
    delete_rows(claim, item_set.items.all())
    delete_rows(claim, item_set.shared_payloads.all())
    with short_transaction(claim):
        item_set.content_hash = made
        item_set.save(update_fields=["content_hash"])
    return 0


def _has_same_documents(item_set: ItemSet, draft: ItemDraft) -> bool:
    """Whether what is stored of the documents is as it would be stored now.

    The earlier worker may have been of another version, that divided payloads otherwise.
    """
    stored = item_set.shared_payloads.order_by("number").values_list("number", "content")
    return all(
        number == own_number and content == json.loads(text)
        for (number, content), (own_number, text) in zip(
            stored.iterator(), draft.documents(), strict=False
        )
    )


def _store_documents(claim: Claim, item_set: ItemSet, draft: ItemDraft) -> dict[int, int]:
    """Store the documents that are not there yet; returns the row ids by the numbers."""
    rows = ((item_set.pk, *document) for document in draft.documents())
    for batch in in_batches(islice(rows, item_set.shared_payloads.count(), None)):
        insert_rows(claim, DOCUMENT_SQL, batch)
    return dict(item_set.shared_payloads.values_list("number", "pk"))
