"""What parts of an item set share that should not be shared: who trains on one knows the other."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from textwrap import shorten
from typing import Any

from benchmarks.engine.task import Item

SHOWN = 5
SHOWN_CHARACTERS = 120
# What items have in common, in words for one and for several.
KINDS = {
    "recording": ("recording", "recordings"),
    "take": ("take", "takes"),
    "procedure": ("procedure", "procedures"),
    "person": ("person", "people"),
    "text": ("repeated question", "repeated questions"),
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
        left = self.count - len(self.examples)
        shown = "; ".join([*self.examples, *([f"and {left} more"] if left else [])])
        what = KINDS[self.kind][self.count > 1]
        return f"{self.first} and {self.second} share {self.count} {what}: {shown}"


def leaks(items: Iterable[Item], written_after: Mapping[str, str]) -> list[Leak]:
    """What each pair of parts shares; none where there is one part, or everything is apart.

    `written_after` are the takes of generated recordings, which share more than a procedure.
    """
    held: dict[str, dict[str, dict[str, str]]] = {kind: defaultdict(dict) for kind in KINDS}
    for item in items:
        shown = {kind: getattr(item, kind) for kind in KINDS if kind != "text"}
        shown["take"] = written_after.get(item.recording, item.take)
        shown["text"] = item.question or json.dumps(item.payload, sort_keys=True)
        for kind, value in shown.items():
            # Without regard to case and spacing; times and pictures are not text.
            key = " ".join(value.casefold().split()) if kind == "text" else value
            if key:
                held[kind][item.part].setdefault(key, value)
    found = []
    for kind, by_part in held.items():
        for first, second in combinations(sorted(by_part), 2):
            shared = sorted(by_part[first].keys() & by_part[second].keys())
            if shared:
                examples = tuple(
                    shorten(by_part[first][key], SHOWN_CHARACTERS, placeholder="…")
                    for key in shared[:SHOWN]
                )
                pair = first or "no part", second or "no part"
                found.append(Leak(kind, *pair, len(shared), examples))
    return found
