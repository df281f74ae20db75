"""The closed word lists of the package, from `lexicon.toml`, which explains them."""

from dataclasses import dataclass
from pathlib import Path

from generation.engine.word_lists import load_words


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of `lexicon.toml`."""

    prepositions: frozenset[str]
    pronouns: frozenset[str]
    quantity_words: frozenset[str]


LEXICON = load_words(Path(__file__).with_name("lexicon.toml"), Lexicon)
PREPOSITIONS, QUANTITY_WORDS = LEXICON.prepositions, LEXICON.quantity_words
