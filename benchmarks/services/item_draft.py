"""Items on their way from a task into the tables, in a private file that goes with the process.

Names and order of the rows depend on all items, of which there may be a million: the file, not
memory, holds them meanwhile.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Self

from benchmarks.engine import task as engine
from benchmarks.engine.content import OpaqueNames
from benchmarks.engine.division import TRAINING
from benchmarks.engine.shared_payloads import References, SharedTexts, Sharing, write_item

CACHE_KIB = 8192
ROWS_AT_ONCE = 500
SHARED_TEXTS_BYTES = 64 << 20
# `key` is the item's own, `name` the opaque one, by whose order the rows are stored.
TABLES = """
CREATE TABLE item (
  place INTEGER PRIMARY KEY, key TEXT, shared INTEGER, recording TEXT, sequence TEXT,
  position INTEGER, question TEXT, payload TEXT, choices TEXT, truth TEXT, item_groups TEXT,
  start_s REAL, moment_s REAL, part TEXT, take TEXT, procedure TEXT, person TEXT, stretches TEXT,
  told TEXT, hashed BLOB
);
CREATE TABLE shared (number INTEGER PRIMARY KEY, content TEXT);
CREATE TABLE named (name TEXT PRIMARY KEY, place INTEGER) WITHOUT ROWID;
"""
# Made when all items are there, which is faster than to keep them up.
INDEXES = """
CREATE INDEX item_key ON item (key);
CREATE INDEX item_place ON item (sequence, position) WHERE sequence <> '';
"""
COLUMNS = (
    "key, recording, sequence, position, question, payload, choices, truth, item_groups, start_s,"
    " moment_s, part, take, procedure, person, stretches, told"
)
ADD_SQL = f"INSERT INTO item ({COLUMNS}, shared, hashed) VALUES ({', '.join('?' * 19)})"  # noqa: S608
Row = tuple[Any, ...]


class ItemDraft:
    """The items of one set; use it as a context, and from one thread."""

    def __init__(self) -> None:
        # The empty name: SQLite's own temporary file, which nobody else can open.
        self._file = sqlite3.connect("", isolation_level=None)
        self._file.execute("PRAGMA journal_mode = OFF")
        self._file.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._file.executescript(TABLES)
        self.item_count = self.test_count = 0
        self.parts: set[str] = set()
        self._added: list[Row] = []
        self._last: engine.Item | None = None
        self._last_recording = ""
        self._sharing = Sharing()
        self._document: tuple[int, dict[str, Any]] = (-1, {})
        self._shared_texts: dict[int, SharedTexts] = {}
        self._shared_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, item: engine.Item) -> None:
        """Take an item in; raises ValueError for one that cannot be stored or asked."""
        if (item.start_s is None) != (item.moment_s is None):
            raise ValueError(f"the item {item.key!r} has one of two times")
        if any(one.end_s > (item.moment_s or 0.0) for one in item.stretches):
            raise ValueError(f"the item {item.key!r} has a stretch that ends after its moment")
        self.item_count += 1
        self.test_count += item.part not in TRAINING
        self.parts.add(item.part)
        self._write_last(item)
        self._last = item

    def _write_last(self, following: engine.Item | None) -> None:
        """Write the item before the one that follows: one alone of its recording shares nothing."""
        item = self._last
        if item is None:
            return
        beside = (self._last_recording, "" if following is None else following.recording)
        references: References = {}
        if item.recording in beside:
            references = self._sharing.references(item)
            self._write_document(self._sharing.number, self._sharing.content)
        written = write_item(item, references)
        columns = (
            item.key, item.recording, item.sequence, item.position, item.question, written.payload,
            written.choices, written.truth, written.groups, item.start_s, item.moment_s, item.part,
            item.take, item.procedure, item.person, written.stretches, written.told,
            self._sharing.number if references else None, written.hashed,
        )  # fmt: skip
        self._last_recording = item.recording
        self._added.append(columns)
        if len(self._added) == ROWS_AT_ONCE:
            self._store_added()

    def _store_added(self) -> None:
        self._file.executemany(ADD_SQL, self._added)
        self._added.clear()

    def _write_document(self, number: int, content: dict[str, Any]) -> None:
        """Write the document before this one, which may still grow."""
        last, written = self._document
        if written and last != number:
            text = json.dumps(written, ensure_ascii=False, separators=(",", ":"))
            self._file.execute("INSERT INTO shared VALUES (?, ?)", (last, text))
        self._document = number, content

    def complete(self) -> None:
        """Say that all items are there; raises ValueError where two exclude each other."""
        self._write_last(None)
        self._write_document(-1, {})
        self._last = None
        self._store_added()
        self._file.executescript(INDEXES)
        twice = "SELECT key FROM item GROUP BY key HAVING COUNT(*) > 1 LIMIT 1"
        for (key,) in self._file.execute(twice):
            raise ValueError(f"the item {key!r} is there twice")
        together = (
            "SELECT sequence, position FROM item WHERE sequence <> ''"
            " GROUP BY sequence, position HAVING COUNT(*) > 1 LIMIT 1"
        )
        for sequence, position in self._file.execute(together):
            raise ValueError(f"two items have place {position} of {sequence!r}")

    def by_own_key(self) -> Iterator[tuple[str, bytes]]:
        """The key and the `written_item` of each item, in order of the keys."""
        return self._filled("SELECT key, shared, hashed FROM item ORDER BY key")

    def _filled(self, asked: str) -> Iterator[tuple[str, bytes]]:
        for key, number, hashed in self._file.execute(asked):
            yield key, hashed if number is None else self._shared(number).filled(hashed)

    def _shared(self, number: int) -> SharedTexts:
        """A document; those that were read before are held up to a limit."""
        texts = self._shared_texts.get(number)
        if texts is None:
            asked = "SELECT content FROM shared WHERE number = ?"
            [(content,)] = self._file.execute(asked, (number,))
            texts = SharedTexts(json.loads(content))
            self._shared_bytes += texts.byte_count
            if self._shared_bytes > SHARED_TEXTS_BYTES:
                self._shared_texts.clear()
                self._shared_bytes = texts.byte_count
            self._shared_texts[number] = texts
        return texts

    def give_names(self, names: OpaqueNames) -> None:
        """Give every item its opaque key."""
        keys = self._file.execute("SELECT place, key FROM item")
        while rows := keys.fetchmany(ROWS_AT_ONCE):
            named = [(names.of("item", key), place) for place, key in rows]
            self._file.executemany("INSERT INTO named VALUES (?, ?)", named)

    def by_opaque_key(self) -> Iterator[tuple[str, bytes]]:
        """The opaque key and the `written_item` of each item, in order of these keys."""
        return self._filled(
            "SELECT name, shared, hashed FROM named JOIN item USING (place) ORDER BY name"
        )

    def documents(self) -> Iterator[tuple[int, str]]:
        """The number and JSON of each document that items share, in order of the numbers."""
        self._shared_texts.clear()
        yield from self._file.execute("SELECT number, content FROM shared ORDER BY number")

    def rows(
        self,
        item_set_id: int,
        names: OpaqueNames,
        video_ids: Mapping[str, int],
        shared_ids: Mapping[int, int],
        first: int,
    ) -> Iterator[Row]:
        """The rows of the table from position `first` on, in the order of `ROW_COLUMNS`.

        `video_ids` are by the recordings' keys, `shared_ids` by the documents' numbers.
        """
        opaque = _Remembered(names)
        asked = (
            f"SELECT shared, name, {COLUMNS} FROM named JOIN item USING (place) ORDER BY name"  # noqa: S608
            f" LIMIT -1 OFFSET {first}"
        )
        for position, row in enumerate(self._file.execute(asked), start=first):
            number, name, key, recording, sequence, *rest = row
            shared_id = None if number is None else shared_ids[number]
            names_of = (opaque["recording", recording], opaque["sequence", sequence])
            video_id = video_ids.get(recording)
            ids = (video_id, shared_id)
            yield (item_set_id, position, name, key, recording, *ids, *names_of, *rest)


# The columns of `ItemDraft.rows`.
ROW_COLUMNS = (
    "item_set_id", "position", "key", "source_key", "source_recording", "video_id", "shared_id",
    "recording", "sequence", "sequence_position", "question", "payload", "choices", "truth",
    "groups", "start_s", "moment_s", "part", "take", "procedure", "person", "stretches", "told",
)  # fmt: skip


class _Remembered(dict[tuple[str, str], str]):
    """Opaque names by kind and own name, each worked out once; nothing stays nothing."""

    def __init__(self, names: OpaqueNames) -> None:
        super().__init__({("sequence", ""): ""})
        self._names = names

    def __missing__(self, key: tuple[str, str]) -> str:
        name = self[key] = self._names.of(*key)
        return name
