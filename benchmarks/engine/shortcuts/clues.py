"""What each guesser is given of an item: never a picture, and only what participants could see.

The source is an exception: a participant sees who or what made a recording in its pictures alone,
but what can be guessed from that is no skill either. Letters: N items, F features.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.engine.task import Item

Floats = npt.NDArray[np.float64]
# What the features of a place, a time or a shape are where an item has none.
NONE = -1.0
# A quoted text, or a number: what differs between two questions of one form.
_FILLED_IN = re.compile(r"“[^”]*”|\"[^\"]*\"|\d+(?:\.\d+)?")
_WORD = re.compile(r"\w+")


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a payload, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from texts_of(entry)
    elif isinstance(value, Sequence):
        for entry in value:
            yield from texts_of(entry)


def shown_words(item: Item) -> str:
    """The question and the payload as one text, without what is written for the whole procedure."""
    payload = {key: entry for key, entry in item.payload.items() if key != "procedure"}
    return " ".join([item.question, *texts_of(payload), *item.choices])


def unwritten_share(items: Sequence[Item]) -> Floats:
    """The share of each item's words that its procedure does not have, (N, 1)."""
    shares = []
    for item in items:
        written = set(_words(" ".join(texts_of(item.payload.get("procedure", ())))))
        words = _words(" ".join([item.question, *texts_of(item.payload.get("step", ""))]))
        shares.append(sum(word not in written for word in words) / max(len(words), 1))
    return np.array(shares)[:, None]


def lengths(items: Sequence[Item]) -> Floats:
    """Characters and words of the question, the step and all that is shown, (N, 6)."""
    rows = []
    for item in items:
        texts = (item.question, str(item.payload.get("step", "")), shown_words(item))
        rows.append([count for text in texts for count in (len(text), len(_words(text)))])
    return np.array(rows, dtype=np.float64)


def places(items: Sequence[Item]) -> Floats:
    """How far in its recording an item is: by rank, from either end, and by time, (N, 4)."""
    table = np.full((len(items), 4), NONE)
    for own in _by_recording(items).values():
        last_s = max((items[place].moment_s or 0.0 for place in own), default=0.0)
        for rank, place in enumerate(own):
            moment_s = items[place].moment_s
            share = NONE if moment_s is None or not last_s else moment_s / last_s
            table[place] = rank, len(own) - 1 - rank, rank / max(len(own) - 1, 1), share
    return table


def times(items: Sequence[Item]) -> Floats:
    """Length, gaps before and after, overlap, and digits of the times of an item, (N, 6)."""
    table = np.full((len(items), 6), NONE)
    for own in _by_recording(items).values():
        last_s, befores = 0.0, {}
        for place in own:
            befores[place] = last_s
            last_s = max(last_s, items[place].moment_s or 0.0)
        for place, after in zip(own, [*own[1:], None], strict=True):
            start_s, moment_s = items[place].start_s, items[place].moment_s
            if start_s is None or moment_s is None:
                continue
            next_s = items[after].start_s if after is not None else None
            table[place] = (
                moment_s - start_s,
                start_s - befores[place],
                NONE if next_s is None else next_s - moment_s,
                moment_s % 1.0,
                _digits(start_s),
                _digits(moment_s),
            )
    return table


def sources(items: Sequence[Item]) -> list[dict[str, float]]:
    """Who and what an item comes from: procedure and its words, person, generator.

    A procedure that no other recording has tells as well: it may be written from this one.
    """
    written = [
        json.dumps([item.payload.get("procedure"), item.payload.get("steps")]) for item in items
    ]
    owners: dict[str, set[str]] = defaultdict(set)
    for item, text in zip(items, written, strict=True):
        owners[text].add(item.recording)
    return [
        {
            f"{name}={value}": 1.0
            for name, value in {
                "procedure": item.procedure,
                "written": text,
                "is shared": len(owners[text]) > 1,
                "person": item.person,
                "generator": item.groups.get("generator", ""),
                "data set": item.groups.get("data set", ""),
            }.items()
            if value != ""
        }
        for item, text in zip(items, written, strict=True)
    ]


def shapes(items: Sequence[Item]) -> list[dict[str, float]]:
    """The form of a question: its sentence without what is filled in, and what fields it has."""
    return [
        {
            f"form={_FILLED_IN.sub('…', item.question)}": 1.0,
            f"choices={len(item.choices)}": 1.0,
            f"pictures={item.start_s is not None}": 1.0,
            **{f"{key} is {type(entry).__name__}": 1.0 for key, entry in item.payload.items()},
        }
        for item in items
    ]


def options(item: Item) -> Floats:
    """Each choice of an item by itself and beside the others, (choices, 9).

    Place, first, last, length by rank, the longest, the shortest, digits, words shared with the
    question, words that no other choice has.
    """
    asked = set(_words(item.question))
    own = [set(_words(choice)) for choice in item.choices]
    length = [len(choice) for choice in item.choices]
    count = len(item.choices)
    rows = []
    for place, words in enumerate(own):
        others = set().union(*(own[:place] + own[place + 1 :]))
        rows.append([
            place / max(count - 1, 1),
            place == 0,
            place == count - 1,
            sum(one < length[place] for one in length) / max(count - 1, 1),
            length[place] == max(length),
            length[place] == min(length),
            any(letter.isdigit() for letter in item.choices[place]),
            len(words & asked) / max(len(words), 1),
            len(words - others) / max(len(words), 1),
        ])  # fmt: skip
    return np.array(rows, dtype=np.float64)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _digits(moment_s: float) -> float:
    """How many decimals a time is written with."""
    return float(len(f"{moment_s:.6f}".rstrip("0").partition(".")[2]))


def _by_recording(items: Sequence[Item]) -> dict[str, list[int]]:
    """The places of the items of each recording, in the order of their times."""
    own: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        own[item.recording].append(place)
    key: Callable[[int], tuple[float, float, int]] = lambda place: (  # noqa: E731
        items[place].moment_s or 0.0,
        items[place].start_s or 0.0,
        items[place].position,
    )
    for rows in own.values():
        rows.sort(key=key)
    return own
