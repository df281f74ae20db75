"""What differs between two texts of the guideline, entry by entry and word by word."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rapidfuzz.distance import Indel

from annotation.engine.corpus.alignment import WordKind, Words

# A word with the blank behind it, so that blanks alone are no likeness.
WORD = re.compile(r"\S+\s*|\s+")
LIKE = 0.5
# A bit of memory for each pair of words.
MOST_PAIRS = 400_000_000


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry that differs, such as `how_to_judge` of confusability for mistakes."""

    metric: str
    subject: str
    field: str
    parts: tuple[Words, ...]


def changed_entries(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[EntryChange]:
    """The entries of two texts (see `GuidelineText.to_dict`) that differ, in the order of `after`.

    >>> old = {"confusability": {"mistake": {"question": "How easily is it missed?"}}}
    >>> new = {"confusability": {"mistake": {"question": "How easily would it be missed?"}}}
    >>> [(part.kind.value, part.text) for part in changed_entries(old, new)[0].parts][:4]
    [('same', 'How easily '), ('removed', 'is '), ('added', 'would '), ('same', 'it ')]
    """
    held, wanted = dict(_entries(before)), dict(_entries(after))
    changed = []
    for key in wanted | held:
        old, new = held.get(key, ""), wanted.get(key, "")
        if old != new:
            changed.append(EntryChange(*key, parts=word_parts(old, new)))
    return changed


def word_parts(before: str, after: str) -> tuple[Words, ...]:
    """`after` with the words that came in, and those of `before` that went, in their places.

    Texts that share less than half of their words, and such as are too long to compare, are shown
    one after the other.
    """
    # The last word has a blank behind it as all others do, or it would differ where one follows.
    old, new = (WORD.findall(f"{text} ") if text else [] for text in (before, after))
    codes = list(Indel.opcodes(old, new)) if len(old) * len(new) <= MOST_PAIRS else []
    same_count = sum(code.src_end - code.src_start for code in codes if code.tag == "equal")
    if before and after and 2 * same_count < LIKE * (len(old) + len(new)):
        return Words(before + " ", WordKind.REMOVED), Words(after, WordKind.ADDED)
    parts = []
    for is_same, run in groupby(codes, key=lambda code: code.tag == "equal"):
        changes = list(run)
        went = "".join(old[changes[0].src_start : changes[-1].src_end])
        came = "".join(new[changes[0].dest_start : changes[-1].dest_end])
        went_last, came_last = changes[-1].src_end == len(old), changes[-1].dest_end == len(new)
        if went_last and (came_last or not is_same):
            went = went[:-1]
        if came_last and (went_last or not is_same):
            came = came[:-1]
        if is_same:
            parts.append(Words(came, WordKind.SAME))
            continue
        if went:
            parts.append(Words(went, WordKind.REMOVED))
        if came:
            parts.append(Words(came, WordKind.ADDED))
    return tuple(parts)


def _entries(text: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, str], str]]:
    for metric, subjects in text.items():
        if isinstance(subjects, Mapping):
            for subject, fields in subjects.items():
                for field, value in fields.items():
                    yield (metric, subject, field), value
