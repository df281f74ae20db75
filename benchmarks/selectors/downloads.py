"""Files to download: items without truth, examples, templates to fill in, the shortcut audit."""

import json
from collections.abc import Collection, Iterator
from enum import StrEnum

from benchmarks.engine.answers.files import template_csv, template_lines
from benchmarks.engine.division import TRAINING
from benchmarks.models import ItemSet
from benchmarks.selectors.item_sets import shown_item, task_of


class Download(StrEnum):
    """What can be downloaded of a set."""

    ITEMS = "items"
    # The items to learn from, with their truth.
    EXAMPLES = "examples"
    TEMPLATE_CSV = "template-csv"
    TEMPLATE_LINES = "template-jsonl"
    # What can be guessed without pictures.
    SHORTCUTS = "shortcuts"
    # An archive of files to train models of other makers on.
    TRAINING = "training"

    @property
    def suffix(self) -> str:
        suffixes = {
            Download.TEMPLATE_CSV: "csv", Download.SHORTCUTS: "json", Download.TRAINING: "zip",
        }  # fmt: skip
        return suffixes.get(self, "jsonl")

    @property
    def media_type(self) -> str:
        types = {
            "csv": "text/csv", "json": "application/json", "jsonl": "application/x-ndjson",
            "zip": "application/zip",
        }  # fmt: skip
        return types[self.suffix]


def downloads_of(item_set: ItemSet, *, parts: Collection[str] | None = None) -> list[Download]:
    """The downloads of a set; only sets with parts to train on have examples.

    A page that knows the `parts` that there are items of says so (else one query).
    """
    has_examples = (
        item_set.examples.exists() if parts is None else any(part in TRAINING for part in parts)
    )
    is_there = {
        Download.EXAMPLES: has_examples,
        Download.SHORTCUTS: bool(item_set.shortcuts),
        Download.TRAINING: has_examples and bool(task_of(item_set).training_files),
    }
    return [which for which in Download if is_there.get(which, True)]


def download_name(item_set: ItemSet, which: Download) -> str:
    """A file name with the task and the content hash."""
    return f"{item_set.task}-{item_set.content_hash[:12]}-{which.split('-')[0]}.{which.suffix}"


def download_of(item_set: ItemSet, which: Download, *, sees_truth: bool = False) -> Iterator[str]:
    """The text of a file, in pieces; the archive of training files is `training_archive`.

    How many guessers guess an item tells its truth to whoever trains the same guessers on the
    examples, so only who `sees_truth` gets that.
    """
    if which is Download.SHORTCUTS:
        yield json.dumps(_shortcuts(item_set, sees_truth=sees_truth), ensure_ascii=False, indent=1)
        return
    if which in {Download.ITEMS, Download.EXAMPLES}:
        has_truth = which is Download.EXAMPLES
        rows = item_set.examples if has_truth else item_set.test_items.defer("truth", "groups")
        rows = rows.order_by("position").prefetch_related("shared")
        for row in rows.iterator(chunk_size=2000):
            truth = {"truth": row.truth, "groups": row.groups} if has_truth else {}
            yield (
                json.dumps({**shown_item(row, sees_truth=sees_truth), **truth}, ensure_ascii=False)
                + "\n"
            )
        return
    keys = list(item_set.test_items.order_by("position").values_list("key", flat=True))
    write = template_csv if which is Download.TEMPLATE_CSV else template_lines
    yield write(task_of(item_set).shape, keys)


def _shortcuts(item_set: ItemSet, *, sees_truth: bool) -> dict[str, object]:
    """The shortcut audit of a set; `guessed` is the number of right guessers by item."""
    summary = {
        "content_hash": item_set.content_hash,
        "shortcuts_hash": item_set.shortcuts_hash,
        "shortcuts": item_set.shortcuts,
        "left_out": item_set.left_out,
    }
    if not sees_truth:
        return summary
    rows = item_set.items.filter(guessed__isnull=False).order_by("position")
    return {**summary, "guessed": dict(rows.values_list("key", "guessed"))}
