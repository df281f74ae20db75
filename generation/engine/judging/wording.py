"""How alike two texts are, and which words of one the other does not have."""

from functools import lru_cache

from generation.engine.english.forms import singular
from generation.engine.english.words import words_of
from generation.engine.word_lists import word_set

# Words that say nothing about what a step does.
EMPTY_WORDS = word_set(
    "a an the some of to in on at into onto from with and or it its your then again back for by "
    "you that this so is be as up off out not"
)
# At this share of common words two steps say the same (reference, section 3.5).
NEAR_DUPLICATE = 0.85


@lru_cache(maxsize=65_536)
def word_set_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case and in the singular."""
    return frozenset(singular(word.text) for word in words_of(text))


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning."""
    return word_set_of(text) - EMPTY_WORDS


def jaccard(one: str, other: str) -> float:
    """Return the share of words that two texts have in common.

    >>> jaccard("Get a cup", "Get the cup")
    0.5
    """
    first, second = word_set_of(one), word_set_of(other)
    union = first | second
    return len(first & second) / len(union) if union else 1.0


def is_near_duplicate(one: str, other: str) -> bool:
    """Return whether two steps say the same in nearly the same words."""
    return jaccard(one, other) >= NEAR_DUPLICATE
