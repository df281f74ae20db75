"""The published divisions of CaptainCook4D, recognised by the recordings of their test part.

There are two families with the same names, and they hardly overlap: the one behind Tables 2, 10
and 11 of the paper, which is not among the published data splits, and the data splits, which are
those of Tables 4, 5 and 12 to 14. `splits.toml` holds the parts of each, and what was found out.
"""

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engine.division import PARTS

ERROR_RECOGNITION, DATA_SPLITS = "error recognition", "data splits"
NEVER_MIXED = (
    "The other family has a division of the same name with other recordings. Training on one and"
    " testing on the other leaks."
)


@dataclass(frozen=True, slots=True)
class PublishedSplit:
    """One division of a family; `places` has the place of each recording in `PARTS`, from 1 on.

    Recordings are in the order of their sorted ids; 0 stands for none.
    """

    family: str
    name: str
    warnings: tuple[str, ...]
    places: str

    @property
    def title(self) -> str:
        return f"published: {self.family}, by {self.name}"

    def recordings(self, dataset: str, uids: Iterable[str]) -> dict[str, list[str]]:
        """The ids of each part; raises ValueError for other recordings than CaptainCook4D's."""
        ordered = sorted(set(uids))
        if _hash_of(ordered) != CONTENT["recordings"]["sha256"]:
            count = CONTENT["recordings"]["count"]
            raise ValueError(
                f"{dataset} has {len(ordered)} recordings; the published divisions are of the"
                f" {count} of CaptainCook4D, under their own ids"
            )
        parts: dict[str, list[str]] = {part: [] for part in PARTS}
        for uid, place in zip(ordered, map(int, self.places), strict=True):
            if place:
                parts[PARTS[place - 1]].append(uid)
        return parts


def _hash_of(uids: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(uids).encode()).hexdigest()[:16]


CONTENT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _splits() -> dict[str, PublishedSplit]:
    splits = {}
    for split in CONTENT["splits"]:
        family, name = split["family"], split["name"]
        head = f"These test recordings are those of the division by {name} of"
        notes = (f"{head} {CONTENT['families'][family]}.", NEVER_MIXED, split.get("note", ""))
        places = "".join(split["parts"].split())
        splits[split["test"]] = PublishedSplit(family, name, tuple(filter(None, notes)), places)
    return splits


# By the start of the SHA-256 over the sorted ids of the test recordings, a line each.
SPLITS = _splits()
# By what it is called where it is chosen.
SPLIT_BY_TITLE = {split.title: split for split in SPLITS.values()}


def published_split(test_uids: Iterable[str]) -> PublishedSplit | None:
    """The division whose test part has exactly these recordings, None for no published one."""
    return SPLITS.get(_hash_of(sorted(test_uids)))
