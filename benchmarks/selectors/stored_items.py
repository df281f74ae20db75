"""The items of a set as engine items, of which memory holds as little as their scoring needs.

A set has up to a million. Equal texts, truths and groups are held once. Payloads, which are nine
tenths of an item, stay in the database until a task looks into one.
"""

import json
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar, overload

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from benchmarks.engine import task as engine
from benchmarks.engine.shared_payloads import put_together
from benchmarks.models import Item, SharedPayload

ROWS_AT_ONCE = 2000
# Up to so many items are held; of larger sets each is put together anew when it is asked for.
MOST_HELD = 50_000
# So many different texts of a column are looked up again; more would hardly be equal.
MOST_SAME = 20_000
PAYLOADS_AT_ONCE, BLOCKS_HELD = 512, 6
# What recordings share is held up to so many characters of JSON, or of one block.
MOST_SHARED_CHARACTERS = 5_000_000
TEXTS = {
    "source_key": "key", "source_recording": "recording", "question": "question",
    "sequence": "sequence", "part": "part", "take": "take", "procedure": "procedure",
    "person": "person",
}  # fmt: skip
DOCUMENTS = ("truth", "groups", "choices")
TIMES = ("start_s", "moment_s")
COLUMNS = ("pk", "sequence_position", *TIMES, *TEXTS)


class StoredItems(Sequence[engine.Item]):
    """The items of a query in the order of their positions, with truth (one query).

    `row_ids` are those of the items.
    """

    def __init__(self, rows: QuerySet[Item]) -> None:
        self.row_ids, self._places = array("q"), array("q")
        names = (*TIMES, *TEXTS.values(), *DOCUMENTS)
        self._shared: dict[str, list[Any]] = {name: [] for name in names}
        same = [_Same(_document if name in DOCUMENTS else _as_stored) for name in names]
        as_text = {f"{name}_text": Cast(name, TextField()) for name in DOCUMENTS}
        stored = rows.order_by("position").annotate(**as_text).values_list(*COLUMNS, *as_text)
        left = stored.iterator(ROWS_AT_ONCE)
        while some := list(islice(left, ROWS_AT_ONCE)):
            row_ids, places, *columns = zip(*some, strict=True)
            self.row_ids.extend(row_ids)
            self._places.extend(places)
            for column, known, values in zip(self._shared.values(), same, columns, strict=True):
                column.extend(map(known.__getitem__, values))
        self._payloads = _Payloads(rows, self.row_ids)
        self._held = (
            [self._item(place) for place in range(len(self))] if len(self) <= MOST_HELD else None
        )

    def __len__(self) -> int:
        return len(self.row_ids)

    @overload
    def __getitem__(self, place: int) -> engine.Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[engine.Item]: ...
    def __getitem__(self, place: int | slice) -> engine.Item | list[engine.Item]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if self._held is not None:
            return self._held[place]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._item(place % len(self))

    def __iter__(self) -> Iterator[engine.Item]:
        return iter(self._held) if self._held is not None else map(self._item, range(len(self)))

    def _item(self, place: int) -> engine.Item:
        shared = self._shared
        return engine.Item(
            shared["key"][place],
            shared["recording"][place],
            _Payload(self._payloads, place),
            shared["truth"][place],
            shared["question"][place],
            shared["choices"][place],
            shared["start_s"][place],
            shared["moment_s"][place],
            shared["sequence"][place],
            self._places[place],
            shared["groups"][place],
            shared["part"][place],
            shared["take"][place],
            shared["procedure"][place],
            shared["person"][place],
        )


Member = TypeVar("Member")


class Chosen(Sequence[Member]):
    """Some members of a sequence, as of items, by their places, held no second time."""

    def __init__(self, items: Sequence[Member], places: Iterable[int]) -> None:
        self._items, self._places = items, array("q", places)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Member: ...
    @overload
    def __getitem__(self, place: slice) -> list[Member]: ...
    def __getitem__(self, place: int | slice) -> Member | list[Member]:
        if isinstance(place, slice):
            return [self._items[one] for one in self._places[place]]
        return self._items[self._places[place]]

    def __iter__(self) -> Iterator[Member]:
        return map(self._items.__getitem__, self._places)


class _Same(dict[Any, Any]):
    """What is read of the values of one column, of which equal ones are one object."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, stored: Any) -> Any:
        value = self._read(stored)
        if len(self) < MOST_SAME:
            self[stored] = value
        return value


def _document(text: str) -> Any:
    value = json.loads(text)
    return tuple(value) if isinstance(value, list) else value


def _as_stored(value: Any) -> Any:
    return value


class _Payloads:
    """The payloads of items by place, read from the database some hundred at a time.

    Each is put together when it is asked for: whole payloads of a long recording are large.
    """

    def __init__(self, rows: QuerySet[Item], row_ids: Sequence[int]) -> None:
        self._rows, self._row_ids = rows.order_by(), row_ids
        self._blocks: OrderedDict[int, list[tuple[Any, int | None]]] = OrderedDict()
        self._shared: dict[int, Any] = {}
        self._shared_characters = 0
        self._last: tuple[int, dict[str, Any]] | None = None

    def __getitem__(self, place: int) -> dict[str, Any]:
        # Who looks into a payload asks for one entry after the other.
        if self._last is None or self._last[0] != place:
            self._last = place, self._whole(place)
        return self._last[1]

    def _whole(self, place: int) -> dict[str, Any]:
        number, within = divmod(place, PAYLOADS_AT_ONCE)
        block = self._blocks.get(number)
        if block is None:
            block = self._blocks[number] = self._read(number * PAYLOADS_AT_ONCE)
            if len(self._blocks) > BLOCKS_HELD:
                self._blocks.popitem(last=False)
        own, shared_id = block[within]
        if shared_id is None:
            return own  # type: ignore[no-any-return]
        if shared_id not in self._shared:
            self._read_shared({pk for _, pk in block if pk is not None})
        return put_together(own, self._shared[shared_id])

    def _read(self, first: int) -> list[tuple[Any, int | None]]:
        row_ids = list(self._row_ids[first : first + PAYLOADS_AT_ONCE])
        rows = self._rows.filter(pk__in=row_ids).values_list("pk", "own_payload", "shared_id")
        payloads = {pk: (own, shared_id) for pk, own, shared_id in rows}
        return [payloads[pk] for pk in row_ids]

    def _read_shared(self, wanted: set[int]) -> None:
        """Read what the items of a block share with others of their recordings."""
        if self._shared_characters > MOST_SHARED_CHARACTERS:
            self._shared.clear()
            self._shared_characters = 0
        stored = SharedPayload.objects.filter(pk__in=wanted - self._shared.keys()).order_by()
        as_text = stored.values_list("pk", Cast("content", TextField()))
        for pk, text in as_text:
            self._shared[pk] = json.loads(text)
            self._shared_characters += len(text)


class _Payload(Mapping[str, Any]):
    """The payload of one item, which is read when somebody looks into it."""

    __slots__ = ("_payloads", "_place")

    def __init__(self, payloads: _Payloads, place: int) -> None:
        self._payloads, self._place = payloads, place

    def __getitem__(self, name: str) -> Any:
        return self._payloads[self._place][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._payloads[self._place])

    def __len__(self) -> int:
        return len(self._payloads[self._place])
