"""What the items of one recording have in common, written once instead of with each of them.

Most of a payload is the procedure and the list of what was done so far, which are the same, or a
longer beginning of the same list, for every item of a recording. So a recording has a document of
them, and an item has a reference in place of each: the number of entries from the beginning of a
list of texts, None for anything else, which is the same as a whole. Which entries these are says
the document, whose keys they are.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeGuard

from benchmarks.engine.content import FIELDS, canonical, is_hashed, plain
from benchmarks.engine.task import Item

# A shorter text takes no more room than the reference to it.
LEAST_CHARACTERS = 40
# Around what is filled into the text of an item, and between its name and how much of it: JSON
# escapes both in texts.
MARK, OF = "\0", "\1"
MARK_BYTES, OF_BYTES = MARK.encode(), OF.encode()
# The fields that stand before and after the payload in the text that is hashed.
BEFORE = tuple(name for name in sorted(FIELDS) if name < "payload")
AFTER = tuple(name for name in sorted(FIELDS) if name > "payload")

References = Mapping[str, int | None]


def put_together(own: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """A whole payload, in its order, from what an item has itself and its document."""
    return {
        name: value if name not in shared else _beginning(shared[name], value)
        for name, value in own.items()
    }


def _beginning(whole: Any, count: int | None) -> Any:
    return whole if count is None else whole[:count]


class Sharing:
    """Finds what payloads have in common, as items come recording by recording.

    `number` and `content` are those of the document of the last item: a new one for each recording,
    and where something differs within a recording, which then stays with the items.
    """

    def __init__(self) -> None:
        self.number = -1
        self.content: dict[str, Any] = {}
        self._lists: set[str] = set()
        self._recording: str | None = None
        self._apart: set[str] = set()

    def references(self, item: Item) -> References:
        """What stands in the payload of the next item in place of each entry that is shared."""
        is_next = item.recording != self._recording
        differing = () if is_next else [n for n in self.content if not self._has(n, item.payload)]
        self._apart.update(differing)
        if is_next or differing:
            self._recording = item.recording
            self.number += 1
            payload = {name: own for name, own in item.payload.items() if name not in self._apart}
            self._lists = {name for name, value in payload.items() if _are_texts(value)}
            self.content = {
                name: value
                for name, value in payload.items()
                if name in self._lists or _is_worth_sharing(value)
            }
        return {
            name: len(item.payload[name]) if name in self._lists else None for name in self.content
        }

    def _has(self, name: str, payload: Mapping[str, Any]) -> bool:
        """Whether an entry is shared; a list that goes on after the shared one takes its place."""
        if name not in payload:
            return False
        value, whole = payload[name], self.content[name]
        if value is whole:
            return True
        if name not in self._lists:
            return canonical(value) == canonical(whole)
        if not isinstance(value, list):
            return False
        common = min(len(value), len(whole))
        if value[:common] != whole[:common] or not _are_texts(value[common:]):
            return False
        if len(value) > common:
            self.content[name] = value
        return True


def _are_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(type(entry) is str for entry in value)


def _is_worth_sharing(value: object) -> bool:
    if isinstance(value, str):
        return len(value) >= LEAST_CHARACTERS
    return isinstance(value, list | tuple | dict) and bool(value)


@dataclass(frozen=True, slots=True)
class WrittenItem:
    """An item as texts of JSON: the columns of its row, and `hashed`, which is what is hashed.

    In `hashed` what is shared is not filled in (`SharedTexts.filled`).
    """

    payload: str
    choices: str
    truth: str
    groups: str
    stretches: str
    told: str
    hashed: bytes


def write_item(item: Item, references: References) -> WrittenItem:
    """Encode an item, each of its parts once."""
    stored, hashed = [], {}
    for name, value in item.payload.items():
        key = canonical(name)
        if name in references:
            count = canonical(references[name])
            stored.append(f"{key}:{count}")
            hashed[name] = f"{key}:{MARK}{key}{OF}{count}{MARK}"
        else:
            hashed[name] = f"{key}:{canonical(value)}"
            stored.append(hashed[name])
    fields = {
        "choices": _choices(item.choices),
        "groups": canonical(item.groups),
        "stretches": canonical(plain(item, "stretches")),
        "told": canonical(item.told),
        "truth": canonical(item.truth),
    }
    parts = [
        *(f'"{name}":{fields.get(name) or canonical(getattr(item, name))}' for name in BEFORE),
        f'"payload":{{{",".join(hashed[name] for name in sorted(hashed))}}}',
        *(
            f'"{name}":{fields.get(name) or canonical(getattr(item, name))}'
            for name in AFTER
            if is_hashed(item, name)
        ),
    ]
    text = f"{{{','.join(parts)}}}".encode()
    return WrittenItem(payload=f"{{{','.join(stored)}}}", **fields, hashed=text)


@lru_cache(1000)
def _choices(choices: tuple[str, ...]) -> str:
    return canonical(choices)


class SharedTexts:
    """A document as the texts that are filled into those of its items."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._whole: dict[bytes, bytes] = {}
        self._ends: dict[bytes, array[int]] = {}
        for name, value in content.items():
            key = canonical(name).encode()
            if _are_texts(value):
                entries = [canonical(entry).encode() for entry in value]
                # Behind each entry stands a comma, or the bracket.
                self._ends[key] = array("q", accumulate(len(entry) + 1 for entry in entries))
                self._whole[key] = b"[" + b",".join(entries)
            else:
                self._whole[key] = canonical(value).encode()
        self.byte_count = sum(map(len, self._whole.values()))

    def filled(self, hashed: bytes) -> bytes:
        """The text of an item, as `content.written_item` gives it."""
        parts = hashed.split(MARK_BYTES)
        parts[1::2] = [self._text(*part.split(OF_BYTES)) for part in parts[1::2]]
        return b"".join(parts)

    def _text(self, key: bytes, count: bytes) -> bytes:
        if count == b"null":
            return self._whole[key]
        end = self._ends[key][int(count) - 1] if int(count) else 1
        return self._whole[key][:end] + b"]"
