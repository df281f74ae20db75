"""The content hash of an item set, and the opaque names that participants see."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from benchmarks.engine.task import Item, Task

KEY_CHARACTERS = 16
FIELDS = tuple(field.name for field in fields(Item))


class OpaqueNames:
    """Names of items, recordings and sequences for participants; the same items get the same names.

    The truth of every item goes into the names, by the `content` hash under the items' own keys:
    hashes of the corpus's own names alone could be recomputed by anybody, which would reveal which
    recordings are traces with mistakes.
    """

    def __init__(self, content: str, seed: int) -> None:
        self._secret = f"{content} {seed}"

    def of(self, kind: str, own_name: str) -> str:
        written = _canonical([self._secret, kind, own_name]) + b"\n"
        return hashlib.sha256(written).hexdigest()[:KEY_CHARACTERS]


def written_item(item: Item) -> bytes:
    """An item with its truth as the one JSON text that is hashed."""
    # Not `asdict`, which copies every list of a payload.
    return _canonical({name: getattr(item, name) for name in FIELDS})


def content_hash(
    task: Task, settings: Mapping[str, Any], items: Iterable[tuple[str, bytes]]
) -> str:
    """The SHA-256 over a task, its settings and the key and text of every item.

    `items` come in the order of their keys, each with its `written_item`.
    """
    digest = hashlib.sha256(_canonical([task.name, task.version, dict(settings)]) + b"\n")
    for key, written in items:
        digest.update(b"[%b,%b]\n" % (_canonical(key), written))
    return digest.hexdigest()


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _canonical(content: object) -> bytes:
    return _ENCODER.encode(content).encode()
