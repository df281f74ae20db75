"""Qualities, manners, amounts and positions that go wrong, by word, by kind and by preposition."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from generation.engine.english.families import Family
from generation.engine.word_lists import load_words

_Choices = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Qualities:
    """What `qualities.toml` holds; its keys `dish/tray` and `on dish/vessel` stand for several.

    `swaps` turns a word into one that makes the action wrong (`three+` wants the next word in the
    plural); `added` gives a thing of a kind a quality that it should not have, or names only a part
    of it ("only half of the"); `relations` moves an action from where it belongs, said by the
    preposition and the place or its kind, to beside it. Those that open with words `for_placing`
    say how a thing is put down; these and `for_solids` make no sense for what is poured or strewn.

    A thing of unknown kind has `unspecific` qualities, a tool or a place also `ends`. `parts` is
    what an action of a family may leave out of its object, "other" for things with two sides;
    `parts_of_several` the same where there are several. `times` are what stands in place of a word
    that opens a time; one writes on what is `flat`. Words of `gross` mistakes spoil more than
    others of their sort; `slight` ones hardly show.
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
    """Raises `WordListError` where the file is wrong."""
    read = load_words(Path(__file__).with_name("qualities.toml"), Qualities)
    return replace(read, added=_for_each(read.added), relations=_for_each(read.relations))


def _for_each(table: _Choices) -> _Choices:
    """A table whose keys for several kinds are one key per kind."""
    found = {}
    for key, choices in table.items():
        before, space, kinds = key.rpartition(" ") if "/" in key else ("", "", key)
        found.update({before + space + kind: choices for kind in kinds.split("/")})
    return found


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
    """Whether a relation says how a thing is put down, which no other action can miss."""
    return relation.startswith(qualities().for_placing)


def is_for_solids(relation: str) -> bool:
    """Whether a relation makes no sense for what is poured or strewn."""
    return is_for_placing(relation) or relation.startswith(qualities().for_solids)
