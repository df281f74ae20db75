"""The published divisions of CaptainCook4D, recognised by the recordings of their test part.

There are two families with the same names, and they hardly overlap: the one behind Tables 2, 10
and 11 of the paper, which is not among the published data splits, and the data splits, which are
those of Tables 4, 5 and 12 to 14. `published_splits.toml` holds what was found out about each.
"""

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ERROR_RECOGNITION, DATA_SPLITS = "error recognition", "data splits"
NEVER_MIXED = (
    "The other family has a division of the same name with other recordings. Training on one and"
    " testing on the other leaks."
)


@dataclass(frozen=True, slots=True)
class PublishedSplit:
    """One division of a family."""

    family: str
    name: str
    warnings: tuple[str, ...]


def _splits() -> dict[str, PublishedSplit]:
    content = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    splits = {}
    for split in content["splits"]:
        family, name = split["family"], split["name"]
        head = f"These test recordings are those of the division by {name} of"
        notes = (f"{head} {content['families'][family]}.", NEVER_MIXED, split.get("note", ""))
        splits[split["test"]] = PublishedSplit(family, name, tuple(filter(None, notes)))
    return splits


# By the start of the SHA-256 over the sorted ids of the test recordings, a line each.
SPLITS = _splits()


def published_split(test_uids: Iterable[str]) -> PublishedSplit | None:
    """The division whose test part has exactly these recordings, None for no published one."""
    listed = "\n".join(sorted(test_uids))
    return SPLITS.get(hashlib.sha256(listed.encode()).hexdigest()[:16])
