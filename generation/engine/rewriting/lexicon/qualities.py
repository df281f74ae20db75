"""Wrong qualities, manners, amounts and positions, by word, by kind and by preposition."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from generation.engine.english.families import Family
from generation.engine.word_lists import load_words

_Choices = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Qualities:
    """What `qualities.toml` holds; its keys `dish/tray` and `on dish/vessel` stand for several.

    `swaps` has wrong words for a word (after `three+` the next word becomes a plural); `added` has
    qualities that a thing of a kind should not have, or words for only a part of it ("only half of
    the"); `relations` has wrong positions, by the right preposition with or without the place or
    its kind. Relations that begin with words `for_placing` say how a thing is put down; these and
    `for_solids` make no sense for what is poured or strewn.

    A thing of unlisted kind has `unspecific` qualities, a tool or a place also `ends`. `parts` has
    the parts of its object that an action of a family may be limited to, "other" for things with
    two sides; `parts_of_several` the same for several objects. `times` has replacements for a word
    that begins a time; people write on what is `flat`, and in other things. `gross` words make a
    mistake severe, `slight` words hardly show.
    """

    swaps: _Choices
    added: _Choices
    relations: _Choices
    unspecific: tuple[str, ...]
    parts: dict[Family, tuple[str, ...]]
    parts_of_several: tuple[str, ...]
    ends: tuple[str, ...]
    flat: frozenset[str]
    for_placing: tuple[str, ...]
    for_solids: tuple[str, ...]
    times: _Choices
    gross: frozenset[str]
    slight: frozenset[str]


OF_THE = " of the"
# How much the severity of a mistake shifts the choice between them.
SEVERITY_SHIFT = 2.5


@cache
def qualities() -> Qualities:
    """Raises `WordListError` if the file is wrong."""
    read = load_words(Path(__file__).with_name("qualities.toml"), Qualities)
    return replace(read, added=_for_each(read.added), relations=_for_each(read.relations))


def _for_each(table: _Choices) -> _Choices:
    """A table in which each key for several kinds becomes a key per kind."""
    split = {}
    for key, choices in table.items():
        before, space, kinds = key.rpartition(" ") if "/" in key else ("", "", key)
        split.update({before + space + kind: choices for kind in kinds.split("/")})
    return split


@cache
def severity_weight(wrong: str, severity: str) -> float:
    """How well a wrong wording fits a severity (`low`, `medium`, `high`).

    >>> severity_weight("damp", "low") > severity_weight("damp", "high")
    True
    """
    words = set(wrong.lower().split())
    lean = bool(words & qualities().gross) - bool(words & qualities().slight)
    direction = {"low": -1, "high": 1}.get(severity, 0)
    return float(SEVERITY_SHIFT ** (lean * direction))


def is_for_placing(relation: str) -> bool:
    """Whether a relation says how a thing is put down, which makes sense for placing only."""
    return relation.startswith(qualities().for_placing)


def is_for_solids(relation: str) -> bool:
    """Whether a relation makes no sense for what is poured or strewn."""
    return is_for_placing(relation) or relation.startswith(qualities().for_solids)
