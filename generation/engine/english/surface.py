"""The surface of English steps: articles, case, final stops and the joining of phrases.

Everything here is about words and independent of procedures. Steps are imperatives; a phrase is a
part of one ("the lid", "two eggs"), a word is one token of it.
"""

import re

from generation.engine.english.grammar import GRAMMAR

VOWELS = "aeiou"
# Words whose first sound does not match their first letter.
_CONSONANT_SOUND = re.compile(r"(?:eu|u(?:ni(?!n|m)|s[eu]|t[ei])|one\b|once\b|ewe)", re.IGNORECASE)
_VOWEL_SOUND = re.compile(r"(?:hour|honest|heir|honou?r)", re.IGNORECASE)
# Of a pattern: the comma or the blanks before a word. It never begins inside of a run of blanks,
# which would be read again from each of them.
BEFORE_WORD = r"(?:,|(?<!\s))\s*\b"
DETERMINERS = GRAMMAR.determiners | GRAMMAR.possessive_pronouns | GRAMMAR.quantifiers


def article_for(phrase: str) -> str:
    """The indefinite article for a phrase, by its first sound.

    >>> [article_for(word) for word in ("egg", "unused swab", "used cup", "hour")]
    ['an', 'an', 'a', 'an']
    """
    if _VOWEL_SOUND.match(phrase):
        return "an"
    if _CONSONANT_SOUND.match(phrase):
        return "a"
    return "an" if phrase[:1].lower() in VOWELS else "a"


def without_final_stop(text: str) -> str:
    """The text without its final punctuation, with single spaces."""
    return " ".join(text.rstrip().rstrip(".!,;").split())


def lower_first(text: str) -> str:
    """The text for use inside a sentence: "Get a cup" is "get a cup"."""
    word = text.partition(" ")[0]
    if len(word) > 1 and word.isupper():
        return text
    return text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def in_style_of(text: str, model: str) -> str:
    """The text with the initial case and the final full stop of `model`.

    >>> in_style_of("Wipe the chain.", "get a cloth"), in_style_of("get a cup", "Wash it.")
    ('wipe the chain', 'Get a cup.')
    """
    bare = without_final_stop(text)
    bare = lower_first(bare) if model[:1].islower() else upper_first(bare)
    return bare + "." if model.rstrip().endswith(".") else bare


def comma_list(phrases: list[str]) -> str:
    """The phrases as a list in a sentence.

    >>> comma_list(["salt"]), comma_list(["salt", "oil"]), comma_list(["salt", "oil", "water"])
    ('salt', 'salt and oil', 'salt, oil and water')
    """
    if len(phrases) < 2:
        return "".join(phrases)
    return ", ".join(phrases[:-1]) + " and " + phrases[-1]


def as_words(head: str) -> str:
    """A head as written in a text: `red_bell_pepper` is "red bell pepper"."""
    return head.replace("_", " ")


def as_head(phrase: str) -> str:
    """A phrase as a head of a representation: "red bell pepper" is `red_bell_pepper`."""
    return phrase.lower().replace("-", "_").replace(" ", "_")


def definite(phrase: str) -> str:
    """The phrase with "the", unless it already has a determiner."""
    first = phrase.partition(" ")[0].lower()
    return phrase if first in DETERMINERS else f"the {phrase}"
