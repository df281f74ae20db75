"""Files to download: items without truth, examples, and templates to fill in."""

import json
from collections.abc import Iterator
from enum import StrEnum

from benchmarks.engine.answers.files import template_csv, template_lines
from benchmarks.models import ItemSet
from benchmarks.selectors.item_sets import shown_item, task_of


class Download(StrEnum):
    """What can be downloaded of a set."""

    ITEMS = "items"
    # The items to learn from, with their truth.
    EXAMPLES = "examples"
    TEMPLATE_CSV = "template-csv"
    TEMPLATE_LINES = "template-jsonl"

    @property
    def suffix(self) -> str:
        return "csv" if self is Download.TEMPLATE_CSV else "jsonl"

    @property
    def media_type(self) -> str:
        return "text/csv" if self is Download.TEMPLATE_CSV else "application/x-ndjson"


def downloads_of(item_set: ItemSet) -> list[Download]:
    """The downloads of a set; only sets with parts to train on have examples."""
    has_examples = item_set.examples.exists()
    return [which for which in Download if which is not Download.EXAMPLES or has_examples]


def download_name(item_set: ItemSet, which: Download) -> str:
    """A file name with the task and the content hash."""
    return f"{item_set.task}-{item_set.content_hash[:12]}-{which.split('-')[0]}.{which.suffix}"


def download_of(item_set: ItemSet, which: Download) -> Iterator[str]:
    """The text of a file, in pieces."""
    if which in {Download.ITEMS, Download.EXAMPLES}:
        has_truth = which is Download.EXAMPLES
        rows = item_set.examples if has_truth else item_set.test_items.defer("truth", "groups")
        for row in rows.order_by("position").iterator(chunk_size=2000):
            truth = {"truth": row.truth, "groups": row.groups} if has_truth else {}
            yield json.dumps({**shown_item(row), **truth}, ensure_ascii=False) + "\n"
        return
    keys = list(item_set.test_items.order_by("position").values_list("key", flat=True))
    write = template_csv if which is Download.TEMPLATE_CSV else template_lines
    yield write(task_of(item_set).shape, keys)
