"""The content hash of an item set, and the opaque names that participants see."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from benchmarks.engine.task import Item, Task

KEY_CHARACTERS = 16


class OpaqueNames:
    """Names of items, recordings and sequences for participants; the same items get the same names.

    The truth of every item goes into the names: hashes of the corpus's own names alone could be
    recomputed by anybody, which would reveal which recordings are traces with mistakes.
    """

    def __init__(
        self, task: Task, settings: Mapping[str, Any], seed: int, items: Iterable[Item]
    ) -> None:
        content = content_hash(task, settings, {item.key: item for item in items})
        self._secret = f"{content} {seed}"

    def of(self, kind: str, own_name: str) -> str:
        written = _canonical([self._secret, kind, own_name])
        return hashlib.sha256(written).hexdigest()[:KEY_CHARACTERS]


def content_hash(task: Task, settings: Mapping[str, Any], items: Mapping[str, Item]) -> str:
    """The SHA-256 over a task, its settings and every item with its truth, in order of the keys."""
    digest = hashlib.sha256(_canonical([task.name, task.version, dict(settings)]))
    for key in sorted(items):
        digest.update(_canonical([key, asdict(items[key])]))
    return digest.hexdigest()


def _canonical(content: object) -> bytes:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"
