"""What names the content of an item set, and the names by which participants know its items."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from benchmarks.engine.task import Item, Task

KEY_CHARACTERS = 16


class Names:
    """What participants call items, recordings and sequences: the same of the same items.

    Names hang on the truth of every item. From the corpus's own names alone anybody could work them
    out, and so tell which recordings of a set are traces with mistakes.
    """

    def __init__(
        self, task: Task, settings: Mapping[str, Any], seed: int, items: Iterable[Item]
    ) -> None:
        content = content_hash(task, settings, {item.key: item for item in items})
        self._secret = f"{content} {seed}"

    def of(self, kind: str, own_name: str) -> str:
        written = _written([self._secret, kind, own_name])
        return hashlib.sha256(written).hexdigest()[:KEY_CHARACTERS]


def content_hash(task: Task, settings: Mapping[str, Any], items: Mapping[str, Item]) -> str:
    """The SHA-256 over a task, its settings and every item with its truth, by their keys."""
    whole = hashlib.sha256(_written([task.name, task.version, dict(settings)]))
    for key in sorted(items):
        whole.update(_written([key, asdict(items[key])]))
    return whole.hexdigest()


def _written(content: object) -> bytes:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"
