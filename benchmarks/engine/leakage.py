"""What parts of an item set share that should not be shared: who trains on one knows the other."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from benchmarks.engine.task import Item

SHOWN = 5
KINDS = {
    "recording": "recordings",
    "take": "takes",
    "procedure": "procedures",
    "person": "people",
    "text": "repeated questions",
}


@dataclass(frozen=True, slots=True)
class Leak:
    """How many recordings, takes, procedures, people or texts two parts share, and some of them."""

    kind: str
    first: str
    second: str
    count: int
    examples: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "examples": list(self.examples)}

    def __str__(self) -> str:
        shown = ", ".join(self.examples)
        return f"{self.first} and {self.second} share {self.count} {KINDS[self.kind]}: {shown}"


def leaks(items: Iterable[Item]) -> list[Leak]:
    """What each pair of parts shares; none where there is one part, or everything is apart."""
    held: dict[str, dict[str, set[str]]] = {kind: defaultdict(set) for kind in KINDS}
    for item in items:
        for kind in KINDS:
            value = _text(item) if kind == "text" else getattr(item, kind)
            if value:
                held[kind][item.part].add(value)
    found = []
    for kind, by_part in held.items():
        for first, second in combinations(sorted(by_part), 2):
            shared = sorted(by_part[first] & by_part[second])
            if shared:
                examples = tuple(text[:80] for text in shared[:SHOWN])
                pair = first or "no part", second or "no part"
                found.append(Leak(kind, *pair, len(shared), examples))
    return found


def _text(item: Item) -> str:
    """What is read, without regard to case and spacing; times and pictures are not text."""
    shown = item.question or json.dumps(item.payload, sort_keys=True)
    return " ".join(shown.casefold().split())
