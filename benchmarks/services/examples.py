"""Which items a model is shown, with their truth, before it is asked about another.

They are of the part train, and none of a recording that is asked about. For each item they are of
the same data set, if that has any, and never of the item's own take.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.engine import task as engine
from benchmarks.engine.material import source_in
from benchmarks.engine.task import Task, Variant
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import engine_item, example_items, task_of

# Items are in the order of their keys, which are hashes: the first are as good as drawn.
MOST_LOOKED_AT = 20_000
MOST_OF_A_SOURCE = 500


@dataclass(frozen=True, slots=True)
class Shown:
    """An item to show: its row, which has its pictures, and what a task reads of it."""

    row: Item
    item: engine.Item


@dataclass(frozen=True, slots=True)
class ExamplePool:
    """The items to draw from, by their data set; the same for everybody who is asked."""

    task: Task
    variant: Variant
    seed: int
    by_source: dict[str, list[Shown]] = field(default_factory=dict)

    def drawn_for(self, row: Item, repeat: int) -> list[Shown]:
        """The examples for an item, drawn anew for each repeat; raises ValueError for none."""
        if not self.variant.has_examples:
            return []
        shown = [
            one for one in self._of_its_source(row) if not row.take or one.row.take != row.take
        ]
        rng = np.random.default_rng([self.seed, repeat, *row.key.encode()])
        drawn = self.task.examples([one.item for one in shown], self.variant.name, rng)
        by_key = {one.item.key: one for one in shown}
        return [by_key[item.key] for item in drawn]

    def _of_its_source(self, row: Item) -> list[Shown]:
        everything = [one for of_source in self.by_source.values() for one in of_source]
        if len(self.by_source) < 2:
            return everything
        # Rows of items that are asked about come without their groups, which tell the truth.
        [groups] = Item.objects.filter(pk=row.pk).values_list("groups", flat=True)
        return self.by_source.get(source_in(groups), everything)


def example_pool(item_set: ItemSet, variant: Variant) -> ExamplePool:
    """The items of a set that may be shown as examples, none for a variant without any."""
    pool = ExamplePool(task_of(item_set), variant, item_set.seed)
    if not variant.has_examples:
        return pool
    chosen: dict[str, list[int]] = defaultdict(list)
    found = example_items(item_set).order_by("position").values_list("pk", "groups")
    for pk, groups in found[:MOST_LOOKED_AT].iterator(chunk_size=2000):
        of_source = chosen[source_in(groups)]
        if len(of_source) < MOST_OF_A_SOURCE:
            of_source.append(pk)
    for source, row_ids in sorted(chosen.items()):
        rows = Item.objects.filter(pk__in=row_ids).select_related("video__dataset")
        pool.by_source[source] = [
            # With its truth, and with no other name than participants know.
            Shown(row, replace(engine_item(row, with_truth=False), truth=row.truth))
            for row in rows.prefetch_related("shared").order_by("position")
        ]
    return pool
