"""Leaving items out of a set that is not frozen, in a job: what goes is computed, then deleted."""

from django.db import transaction

from annotation.models import Job, User
from annotation.services.records.jobs import Claim, Progress, finish_job
from benchmarks.engine.content import content_hash, written_item
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import AT_LEAST, LEAVE_OUT, ONLY_AUDIT, engine_item, task_of
from benchmarks.services.batches import in_batches, short_transaction
from benchmarks.services.item_sets import ItemSetInUseError, queue_work, record_set
from benchmarks.services.making import UnmakeableError
from benchmarks.services.shortcut_audits import AuditedItems, audit_items, store_audit

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
        why_not = now.shortcuts.get("why_no_choices") or "nothing would go, or nothing would stay"
    if why_not:
        raise ItemSetInUseError(f"No items can be left out of {now}: {why_not}.")
    return queue_work(now, "start_leaving_out", {LEAVE_OUT: True, AT_LEAST: at_least}, actor)


def leave_out(claim: Claim, item_set: ItemSet, report: Progress) -> None:
    """Leave out what the payload says, audit what stays, and close the job."""

    def first_half(done_count: int, total_count: int) -> None:
        report(done_count, 2 * total_count)

    def second_half(done_count: int, total_count: int) -> None:
        report(total_count + done_count, 2 * total_count)

    at_least = claim.payload.get(AT_LEAST)
    choice = at_least if isinstance(at_least, int) else None
    _delete(claim, item_set, audit_items(item_set, first_half), choice)
    audited = audit_items(item_set, second_half)
    store_audit(claim, item_set, audited)
    finish_job(claim=claim, result={"guessers": audited.audit.guesser_count})


def _delete(claim: Claim, item_set: ItemSet, audited: AuditedItems, at_least: int | None) -> None:
    """Delete what the choice takes, and say so in the set, in one transaction of at most a second.

    From then on the job only audits: a worker that goes on with it leaves out nothing twice.
    """
    # scikit-learn takes a second to load, and most workers never need it.
    from benchmarks.engine.shortcuts.leaving_out import Choice, places_to_leave_out  # noqa: PLC0415

    places = places_to_leave_out(audited.audit, Choice(at_least), item_set.seed)
    doomed = [audited.row_ids[place] for place in places]
    gone, items = set(doomed), item_set.items.order_by("key").prefetch_related("shared")
    stored = items.iterator(chunk_size=READ_AT_ONCE)
    kept = ((row.key, written_item(engine_item(row))) for row in stored if row.pk not in gone)
    content = content_hash(task_of(item_set), item_set.settings, kept)
    reason = _reason(audited, at_least)
    with short_transaction(claim):
        for batch in in_batches(doomed):
            # Nobody has answered items of a set that is not frozen, so nothing depends on them.
            rows = Item.objects.filter(pk__in=batch)
            rows._raw_delete(rows.db)
        item_set.items.update(guessed=None)
        item_set.item_count = item_set.test_items.count()
        if not item_set.item_count:
            raise UnmakeableError(f"No items would stay to be answered in {item_set}.")
        item_set.left_out[reason] = item_set.left_out.get(reason, 0) + len(doomed)
        item_set.content_hash = content
        item_set.shortcuts, item_set.shortcuts_hash = {}, ""
        item_set.save(update_fields=CHANGED)
        payload = {name: value for name, value in claim.payload.items() if name != LEAVE_OUT}
        Job.objects.filter(pk=claim.job_id).update(payload={**payload, ONLY_AUDIT: True})
        actor_id = claim.payload.get("actor")
        actor = User.objects.filter(pk=actor_id).first() if isinstance(actor_id, int) else None
        detail = {"items": len(doomed), "reason": reason, "hash": content}
        record_set(item_set, actor, "leave_out", detail)


def _reason(audited: AuditedItems, at_least: int | None) -> str:
    """What was left out, as it follows a number in `ItemSet.left_out`."""
    leaks = [guesser.title for guesser in audited.audit.guessers if guesser.beats_chance]
    titles = "; ".join(title[0].lower() + title[1:] for title in leaks)
    guessers = f"{len(leaks)} guesser{'s' * (len(leaks) != 1)} without pictures ({titles})"
    if at_least is None:
        return f"items that {guessers} guessed, so that answers are as frequent there as elsewhere"
    return (
        f"items that at least {at_least} of {guessers} guessed, as many as it took for these to be"
        " right no oftener than by chance"
    )
