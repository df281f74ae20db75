"""The shortcut audit of an item set, in its job: first all is guessed, then stored."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db.models import Count

from annotation.services.records.jobs import Claim, Progress
from benchmarks.engine import task as engine
from benchmarks.engine.registry import tasks
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import DATASET, task_of
from benchmarks.selectors.sources import SOURCES
from benchmarks.selectors.stored_items import StoredItems
from benchmarks.services.batches import in_batches, short_transaction

if TYPE_CHECKING:
    from benchmarks.engine.shortcuts.audit import Audit

# Larger sets are judged by a sample of their recordings: the intervals then hardly shrink any more,
# and the words of all items would fill the memory of a worker.
MOST_AUDITED = 10_000


@dataclass(frozen=True, slots=True)
class AuditedItems:
    """An audit that is not stored yet; `row_ids` are those of the items, in their order.

    `whole_count` is the number of items that the sample is of. `recordings` are those of the items
    of a task of which whole recordings are left out, else ().
    """

    audit: "Audit"
    row_ids: Sequence[int]
    recording_count: int
    whole_count: int
    recordings: Sequence[str] = ()

    def to_dict(self, item_set: ItemSet) -> dict[str, Any]:
        """`ItemSet.shortcuts`.

        `choices` are what can be left out, each with the number of items that would go; of a sample
        the number is about what it would be in the whole set.
        """
        # scikit-learn takes a second to load, and most workers never need it.
        from benchmarks.engine.shortcuts.leaving_out import counts_of_choices  # noqa: PLC0415

        counts = counts_of_choices(self.audit, item_set.seed, self.recordings)
        scale = self.whole_count / max(len(self.row_ids), 1)
        return {
            "version": self.audit.to_dict()["version"],
            "guessers": [
                {
                    **asdict(guesser),
                    "above_chance": None
                    if guesser.figure is None or guesser.chance is None
                    else guesser.figure - guesser.chance,
                }
                for guesser in self.audit.guessers
            ],
            "guesser_count": self.audit.guesser_count,
            "leak_count": sum(guesser.beats_chance for guesser in self.audit.guessers),
            "item_count": len(self.row_ids),
            "recording_count": self.recording_count,
            "whole_count": self.whole_count,
            "choices": [
                {
                    **choice.to_dict(),
                    "count": round(count * scale),
                    "left": self.whole_count - round(count * scale),
                }
                for choice, count in counts
            ],
            "are_recordings_left_out": bool(self.recordings),
        }


def audit_items(
    item_set: ItemSet, report: Progress = lambda *_: None, part: Sequence[str] | None = None
) -> AuditedItems:
    """Guess the items, or those of a sample of recordings, or of these; nothing is written."""
    # scikit-learn takes a second to load, and most workers never need it.
    from benchmarks.engine.shortcuts.audit import audit  # noqa: PLC0415

    task, rows = task_of(item_set), item_set.items.order_by()
    counts = recording_counts(item_set)
    recordings = sampled(counts, item_set.seed) if part is None else part
    if len(recordings) < len(counts):
        rows = rows.filter(recording__in=recordings)
    stored = StoredItems(rows)
    audit_of_rows = audit(task, stored, item_set.seed, report)
    are_whole = task.shape is engine.AnswerShape.STREAM
    return AuditedItems(
        audit_of_rows,
        stored.row_ids,
        len(recordings),
        sum(counts.values()),
        [item.recording for item in stored] if are_whole else (),
    )


def recording_counts(item_set: ItemSet) -> dict[str, int]:
    """How many items each recording has (one query)."""
    return dict(item_set.items.order_by().values_list("recording").annotate(Count("pk")))


@dataclass(frozen=True, slots=True)
class TaskAudit:
    """What can be guessed of a task's items; `reason` says why it has none, then no `audit`."""

    task: engine.Task
    item_count: int = 0
    whole_count: int = 0
    audit: "Audit | None" = None
    reason: str = ""


def audits_of_tasks(dataset_id: str, seed: int = 0) -> Iterator[TaskAudit]:
    """Audit each task's items of a data set with its usual settings; nothing is stored."""
    # scikit-learn takes a second to load, and most workers never need it.
    from benchmarks.engine.shortcuts.audit import audit  # noqa: PLC0415

    material = SOURCES[DATASET].read(None, dataset_id).material
    for task in tasks().values():
        if task.source != DATASET:
            continue
        usual = {setting.name: setting.default for setting in task.settings}
        try:
            items = list(task.items(material, usual, seed))
        except ValueError as error:
            yield TaskAudit(task, reason=str(error))
            continue
        chosen = set(sampled(Counter(item.recording for item in items), seed))
        guessed = [item for item in items if item.recording in chosen]
        yield TaskAudit(task, len(guessed), len(items), audit(task, guessed, seed))


def sampled(counts: dict[str, int], seed: int) -> list[str]:
    """Recordings at random with MOST_AUDITED items at most (but one recording at least).

    `counts` is the number of items of each.
    """
    if sum(counts.values()) <= MOST_AUDITED:
        return sorted(counts)
    order = _shuffled(counts, seed)
    fits = int(np.searchsorted(np.cumsum([counts[name] for name in order]), MOST_AUDITED, "right"))
    return order[: max(fits, 1)]


def parts_of(counts: dict[str, int], seed: int) -> list[list[str]]:
    """All recordings at random in parts of about as many items, which can be guessed at once."""
    order = _shuffled(counts, seed)
    sizes = np.array([counts[name] for name in order])
    part_count = -(-int(sizes.sum()) // MOST_AUDITED)
    place = (np.cumsum(sizes) - sizes) * part_count // max(int(sizes.sum()), 1)
    parts = [[name for name, own in zip(order, place, strict=True) if own == number]
             for number in range(part_count)]  # fmt: skip
    return [part for part in parts if part]


def _shuffled(counts: dict[str, int], seed: int) -> list[str]:
    names = sorted(counts)
    return [names[place] for place in np.random.default_rng([seed, 2]).permutation(len(names))]


def store_audit(claim: Claim, item_set: ItemSet, audited: AuditedItems) -> None:
    """Store an audit with the set, and with each item how many guessers were right."""
    shortcuts = audited.to_dict(item_set)
    if audited.audit.guesser_count:
        by_count = defaultdict(list)
        for pk, count in zip(audited.row_ids, audited.audit.guessed, strict=True):
            by_count[count].append(pk)
        for count, row_ids in by_count.items():
            for batch in in_batches(row_ids):
                with short_transaction(claim):
                    Item.objects.filter(pk__in=batch).update(guessed=count)
    with short_transaction(claim):
        item_set.shortcuts = shortcuts
        item_set.shortcuts_hash = audited.audit.content_hash
        item_set.save(update_fields=["shortcuts", "shortcuts_hash"])
