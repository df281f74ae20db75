"""What names the content of an item set, and the names by which participants know its items."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from benchmarks.engine.task import Item, Task

KEY_CHARACTERS = 16


def opaque(*parts: object) -> str:
    """A name that tells nothing of what it stands for: the same parts give the same name."""
    return hashlib.sha256(_written(list(map(str, parts)))).hexdigest()[:KEY_CHARACTERS]


def content_hash(task: Task, settings: Mapping[str, Any], items: Mapping[str, Item]) -> str:
    """The SHA-256 over a task, its settings and every item with its truth, by their keys."""
    whole = hashlib.sha256(_written([task.name, task.version, dict(settings)]))
    for key in sorted(items):
        whole.update(_written([key, asdict(items[key])]))
    return whole.hexdigest()


def _written(content: object) -> bytes:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"
