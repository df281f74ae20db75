"""The judge's word lists, from `words.toml`, which explains them."""

from dataclasses import dataclass
from pathlib import Path

from generation.engine.english.families import Family
from generation.engine.word_lists import load_words

_Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class JudgeWords:
    """The words of `words.toml`."""

    heat_sources: _Words
    supplies: _Words
    fetching: _Words
    bins: _Words
    storing: _Words
    throwing: _Words
    from_afar: tuple[str, ...]
    washing: _Words
    dissolving: _Words
    preparing: _Words
    bare_participles: _Words
    before_verbs: _Words
    cutting: _Words
    in_full: _Words
    in_part: _Words
    going_on: tuple[str, ...]
    pronouns: _Words
    no_things: _Words
    placing: _Words
    touching: _Words
    leaning: _Words
    body: _Words
    beside: _Words
    done_to_wholes: _Words
    all_there: _Words
    numbers: tuple[str, ...]
    everywhere: _Words
    bare_measures: _Words
    impossible_kinds: dict[Family, _Words]


WORDS = load_words(Path(__file__).with_name("words.toml"), JudgeWords)
