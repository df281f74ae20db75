"""Leaving items out of a set that is not frozen, in a job: what goes is computed, then deleted."""

import time

from django.db import transaction

from annotation.models import Job, User
from annotation.services.records.jobs import Claim, Progress, finish_job
from benchmarks.engine.content import content_hash, written_item
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import (
    AT_LEAST,
    DOOMED,
    LEAVE_OUT,
    ONLY_AUDIT,
    engine_item,
    task_of,
)
from benchmarks.services.batches import PAUSE_S, in_batches, short_transaction
from benchmarks.services.item_sets import ItemSetInUseError, queue_work, record_set
from benchmarks.services.making import UnmakeableError
from benchmarks.services.shortcut_audits import (
    audit_items,
    parts_of,
    recording_counts,
    store_audit,
)

READ_AT_ONCE = 1000
CHANGED = ("item_count", "left_out", "content_hash", "shortcuts", "shortcuts_hash")
FROZEN = "its items are final"
NOT_AUDITED = "audit it for shortcuts first"


@transaction.atomic
def start_leaving_out(*, item_set: ItemSet, at_least: int | None, actor: User | None) -> list[int]:
    """Queue that items go which at least so many guessers that beat chance guess.

    None for those whose absence balances the answers in what is guessed alike. The audit says how
    many items each choice takes; it is done again afterwards. Raises ItemSetInUseError where there
    is no such choice.
    """
    now = ItemSet.objects.select_for_update().filter(pk=item_set.pk).first()
    if now is None:
        raise ItemSetInUseError(f"{item_set} has been deleted.")
    choices = now.shortcuts.get("choices", [])
    counts = {choice[AT_LEAST]: choice["count"] for choice in choices if choice["left"]}
    why_not = FROZEN if now.is_frozen else "" if now.shortcuts_hash else NOT_AUDITED
    if not why_not and not counts.get(at_least):
        why_not = "nothing would go, or nothing would stay"
    if why_not:
        raise ItemSetInUseError(f"No items can be left out of {now}: {why_not}.")
    return queue_work(now, "start_leaving_out", {LEAVE_OUT: True, AT_LEAST: at_least}, actor)


def leave_out(claim: Claim, item_set: ItemSet, report: Progress) -> None:
    """Leave out what the payload says, audit what stays, and close the job.

    A large set is guessed part by part here, of as many items as a sample has, so that what goes is
    chosen among all of them. The guessers are those that beat chance in its stored audit.
    """
    # scikit-learn takes a second to load, and most workers never need it.
    from benchmarks.engine.shortcuts.leaving_out import Choice, places_to_leave_out  # noqa: PLC0415

    at_least = claim.payload.get(AT_LEAST)
    choice = Choice(at_least if isinstance(at_least, int) else None)
    leaks = {
        guesser["name"]: guesser["title"]
        for guesser in item_set.shortcuts["guessers"] if guesser["beats_chance"]
    }  # fmt: skip
    parts = parts_of(recording_counts(item_set), item_set.seed)
    doomed: list[int] = []
    for number, part in enumerate(parts):
        audited = audit_items(item_set, _within(report, number, len(parts)), part)
        places = places_to_leave_out(
            audited.audit, choice, item_set.seed, leaks=leaks, recordings=audited.recordings
        )
        doomed += [audited.row_ids[place] for place in places]
    are_recordings = bool(item_set.shortcuts.get("are_recordings_left_out"))
    reason = _reason([*leaks.values()], choice.at_least, are_recordings=are_recordings)
    _decide(claim, item_set, doomed, reason)
    delete_doomed(claim, doomed)
    audited = audit_items(item_set, _within(report, 1, 1))
    store_audit(claim, item_set, audited)
    finish_job(claim=claim, result={"guessers": audited.audit.guesser_count})


def _within(report: Progress, place: int, count: int) -> Progress:
    """Report one of so many audits before the deletion as a share of the whole work.

    The one after it, which is the other half, comes at the place 1 of 1.
    """
    return lambda done_count, total_count: report(
        place * total_count + done_count, 2 * count * total_count
    )


def _decide(claim: Claim, item_set: ItemSet, doomed: list[int], reason: str) -> None:
    """Say in the set, and in its job, what goes.

    From then on the job only deletes that and audits: a worker that goes on with it leaves out
    nothing twice.
    """
    gone, items = set(doomed), item_set.items.order_by("key").prefetch_related("shared")
    stored = items.iterator(chunk_size=READ_AT_ONCE)
    kept = ((row.key, written_item(engine_item(row))) for row in stored if row.pk not in gone)
    content = content_hash(task_of(item_set), item_set.settings, kept)
    asked = item_set.test_items
    left = asked.count() - sum(asked.filter(pk__in=batch).count() for batch in in_batches(doomed))
    if not left:
        raise UnmakeableError(f"No items would stay to be answered in {item_set}.")
    with short_transaction(claim):
        item_set.items.exclude(guessed=None).update(guessed=None)
        item_set.item_count = left
        item_set.left_out[reason] = item_set.left_out.get(reason, 0) + len(doomed)
        item_set.content_hash = content
        item_set.shortcuts, item_set.shortcuts_hash = {}, ""
        item_set.save(update_fields=CHANGED)
        payload = {name: value for name, value in claim.payload.items() if name != LEAVE_OUT}
        payload |= {ONLY_AUDIT: True, DOOMED: doomed}
        Job.objects.filter(pk=claim.job_id).update(payload=payload)
        actor_id = claim.payload.get("actor")
        actor = User.objects.filter(pk=actor_id).first() if isinstance(actor_id, int) else None
        detail = {"items": len(doomed), "reason": reason, "hash": content}
        record_set(item_set, actor, "leave_out", detail)


def delete_doomed(claim: Claim, doomed: list[int]) -> None:
    """Delete the rows that were decided on, those that are left of them, in batches."""
    for batch in in_batches(doomed):
        with short_transaction(claim):
            # Nobody has answered items of a set that is not frozen, so nothing depends on them.
            rows = Item.objects.filter(pk__in=batch)
            rows._raw_delete(rows.db)
        # A writer that SQLite makes look again every 100 ms would hardly ever find the lock free.
        time.sleep(PAUSE_S)
    with short_transaction(claim):
        job = Job.objects.get(pk=claim.job_id)
        job.payload.pop(DOOMED, None)
        job.save(update_fields=["payload"])


def _reason(titles: list[str], at_least: int | None, *, are_recordings: bool) -> str:
    """What was left out, as it follows a number in `ItemSet.left_out`."""
    names = "; ".join(title[0].lower() + title[1:] for title in titles)
    guessers = f"{len(titles)} guesser{'s' * (len(titles) != 1)} without pictures ({names})"
    if are_recordings:
        return (
            f"items of whole recordings that {guessers} guessed best, as many as it took for these"
            " to be right no oftener than by chance"
        )
    if at_least is None:
        return f"items that {guessers} guessed, so that answers are as frequent there as elsewhere"
    return (
        f"items that at least {at_least} of {guessers} guessed, as many as it took for these to be"
        " right no oftener than by chance"
    )
