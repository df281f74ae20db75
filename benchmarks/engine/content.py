"""The content hash of an item set, and the opaque names that participants see."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

from benchmarks.engine.task import Item, Task

KEY_CHARACTERS = 16
FIELDS = tuple(field.name for field in fields(Item))
# Items without these are hashed as those were that could not have them.
OPTIONAL = {"stretches", "told"}


class OpaqueNames:
    """Names of items, recordings and sequences for participants; the same items get the same names.

    The truth of every item goes into the names, by the `content` hash under the items' own keys:
    hashes of the corpus's own names alone could be recomputed by anybody, which would reveal which
    recordings are traces with mistakes.
    """

    def __init__(self, content: str, seed: int) -> None:
        self._secret = f"{content} {seed}"

    def of(self, kind: str, own_name: str) -> str:
        written = canonical([self._secret, kind, own_name]) + "\n"
        return hashlib.sha256(written.encode()).hexdigest()[:KEY_CHARACTERS]


def written_item(item: Item) -> bytes:
    """An item with its truth as the one JSON text that is hashed."""
    # Not `asdict`, which copies every list of a payload.
    return canonical({name: plain(item, name) for name in FIELDS if is_hashed(item, name)}).encode()


def is_hashed(item: Item, name: str) -> bool:
    return name not in OPTIONAL or bool(getattr(item, name))


def plain(item: Item, name: str) -> Any:
    """A field of an item as JSON can hold it."""
    if name == "stretches":
        return [[one.start_s, one.end_s, one.pictures] for one in item.stretches]
    return getattr(item, name)


def content_hash(
    task: Task, settings: Mapping[str, Any], items: Iterable[tuple[str, bytes]]
) -> str:
    """The SHA-256 over a task, its settings and the key and text of every item.

    `items` come in the order of their keys, each with its `written_item`.
    """
    head = canonical([task.name, task.version, dict(settings)]) + "\n"
    digest = hashlib.sha256(head.encode())
    for key, written in items:
        digest.update(b"[%b,%b]\n" % (canonical(key).encode(), written))
    return digest.hexdigest()


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical(content: object) -> str:
    """The one JSON text of a value."""
    # Most of an item are texts and numbers, for which the encoder does more than it has to.
    if type(content) is str:
        return encode_basestring(content)
    if content is None:
        return "null"
    if type(content) is int or (type(content) is float and isfinite(content)):
        return repr(content)
    return _ENCODER.encode(content)
