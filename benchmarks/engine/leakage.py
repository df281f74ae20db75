"""Leakage: what the parts of an item set share though one is to train on and another to test."""

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
# What items may have in common, in the singular and the plural.
KINDS = {
    "recording": ("recording", "recordings"),
    "take": ("take", "takes"),
    "procedure": ("procedure", "procedures"),
    "person": ("person", "people"),
    "text": ("repeated question", "repeated questions"),
}


@dataclass(frozen=True, slots=True)
class Leak:
    """How many recordings, takes, procedures, people or texts two parts share, with examples."""

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


def find_leaks(items: Iterable[Item], generated_from: Mapping[str, str]) -> list[Leak]:
    """What each pair of parts shares; empty where there is one part or nothing is shared.

    `generated_from` is the take of each generated recording: recordings generated from one take
    share more than the procedure.
    """
    values_of: dict[str, dict[str, dict[str, str]]] = {kind: defaultdict(dict) for kind in KINDS}
    for item in items:
        shown = {kind: getattr(item, kind) for kind in KINDS if kind != "text"}
        shown["take"] = generated_from.get(item.recording, item.take)
        shown["text"] = item.question or json.dumps(item.payload, sort_keys=True)
        for kind, value in shown.items():
            # Case and spacing do not make two questions different.
            key = " ".join(value.casefold().split()) if kind == "text" else value
            if key:
                values_of[kind][item.part].setdefault(key, value)
    leaks = []
    for kind, by_part in values_of.items():
        for first, second in combinations(sorted(by_part), 2):
            shared = sorted(by_part[first].keys() & by_part[second].keys())
            if shared:
                examples = tuple(
                    shorten(by_part[first][key], SHOWN_CHARACTERS, placeholder="…")
                    for key in shared[:SHOWN]
                )
                pair = first or "no part", second or "no part"
                leaks.append(Leak(kind, *pair, len(shared), examples))
    return leaks
