"""English as steps are written: articles, number, verb forms, case and the joining of clauses.

Everything here is about words and knows no procedure. Steps are imperatives; a phrase is what
stands in one ("the lid", "two eggs"), a word is one token of it.
"""

import re
from functools import lru_cache

from generation.engine.english import lemmatiser
from generation.engine.word_lists import word_set

VOWELS = "aeiou"
# Words whose first sound is not what their first letter says.
_CONSONANT_SOUND = re.compile(r"(?:eu|u(?:ni(?!n|m)|s[eu]|t[ei])|one\b|once\b|ewe)", re.IGNORECASE)
_VOWEL_SOUND = re.compile(r"(?:hour|honest|heir|honou?r)", re.IGNORECASE)
_IRREGULAR_PLURALS = {
    "knife": "knives",
    "leaf": "leaves",
    "loaf": "loaves",
    "half": "halves",
    "shelf": "shelves",
    "tooth": "teeth",
    "foot": "feet",
    "child": "children",
    "person": "people",
    "man": "men",
    "woman": "women",
    "scissors": "scissors",
    "pliers": "pliers",
    "tongs": "tongs",
    "chopsticks": "chopsticks",
    "pasta": "pasta",
}
_IRREGULAR_SINGULARS = {
    "celeries": "celery",
    "chilies": "chili",
    "chillies": "chilli",
    **{plural: singular for singular, plural in _IRREGULAR_PLURALS.items() if plural != singular},
}
# Words that end in s and are no plural.
_SINGULAR_S = word_set("glass press gas bus lens canvas cross asparagus hummus mess class")
_O_TAKES_ES = frozenset({"tomato", "potato", "hero", "echo"})
ARTICLES = frozenset({"a", "an", "the"})
DETERMINERS = ARTICLES | word_set(
    "some any this that these those your her his their its my both each every another more"
)
_FINAL_STOP = re.compile(r"\s*[.!,;]+\s*$")
_SPACES = re.compile(r"\s+")


def article_for(phrase: str) -> str:
    """Return "a" or "an", whichever goes before the phrase.

    >>> [article_for(word) for word in ("egg", "unused swab", "used cup", "hour")]
    ['an', 'an', 'a', 'an']
    """
    if _VOWEL_SOUND.match(phrase):
        return "an"
    if _CONSONANT_SOUND.match(phrase):
        return "a"
    return "an" if phrase[:1].lower() in VOWELS else "a"


@lru_cache(maxsize=20_000)
def is_plural(phrase: str) -> bool:
    """Return whether the last word of the phrase is a plural noun."""
    word = phrase.rpartition(" ")[2].rpartition("-")[2].lower()
    if word in _IRREGULAR_SINGULARS:
        return True
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word] == word and word.endswith("s")
    return word.endswith("s") and not word.endswith(("ss", "us", "is")) and word not in _SINGULAR_S


@lru_cache(maxsize=20_000)
def plural(phrase: str) -> str:
    """Return the phrase with its last word in the plural.

    >>> plural("kitchen knife"), plural("tomato"), plural("tray"), plural("dish")
    ('kitchen knives', 'tomatoes', 'trays', 'dishes')
    """
    counted, of, thing = phrase.partition(" of ")
    if of:
        return plural(counted) + of + thing
    if is_plural(phrase):
        return phrase
    before, space, word = phrase.rpartition(" ")
    return before + space + _plural_word(word)


def _plural_word(word: str) -> str:
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if word.endswith(("s", "x", "ch", "sh", "z")) or word in _O_TAKES_ES:
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


@lru_cache(maxsize=20_000)
def singular(phrase: str) -> str:
    """Return the phrase with its last word in the singular.

    >>> singular("axle nuts"), singular("celeries"), singular("glass"), singular("dishes")
    ('axle nut', 'celery', 'glass', 'dish')
    """
    if not is_plural(phrase):
        return phrase
    before, space, word = phrase.rpartition(" ")
    return before + space + _singular_word(word)


def _singular_word(word: str) -> str:
    if word in _IRREGULAR_SINGULARS:
        return _IRREGULAR_SINGULARS[word]
    if _IRREGULAR_PLURALS.get(word) == word:
        return word
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "oes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=4_000)
def gerund(verb: str) -> str:
    """Return the -ing form of a verb, a particle after it kept.

    >>> gerund("stir"), gerund("turn off"), gerund("wipe"), gerund("unwrap")
    ('stirring', 'turning off', 'wiping', 'unwrapping')
    """
    base, space, particle = verb.partition(" ")
    return _inflected(base, "VBG", base + "ing") + space + particle


@lru_cache(maxsize=4_000)
def past_participle(verb: str) -> str:
    """Return the past participle of a verb.

    >>> past_participle("cut"), past_participle("grate"), past_participle("shake")
    ('cut', 'grated', 'shaken')
    """
    return _inflected(verb, "VBN", verb + ("d" if verb.endswith("e") else "ed"))


def _inflected(verb: str, tag: str, otherwise: str) -> str:
    forms = lemmatiser.inflected(verb, tag)
    return str(forms[0]) if forms else otherwise


def without_final_stop(text: str) -> str:
    """Return the text without the punctuation that ends it, blanks made single."""
    return _SPACES.sub(" ", _FINAL_STOP.sub("", text)).strip()


def lower_first(text: str) -> str:
    """Return the text as it stands inside a sentence: "Get a cup" is "get a cup"."""
    word = text.partition(" ")[0]
    if len(word) > 1 and word.isupper():
        return text
    return text[:1].lower() + text[1:]


def upper_first(text: str) -> str:
    """Return the text with a capital at its start."""
    return text[:1].upper() + text[1:]


def in_style_of(text: str, model: str) -> str:
    """Return the text with the initial case and the final full stop of `model`.

    >>> in_style_of("Wipe the chain.", "get a cloth"), in_style_of("get a cup", "Wash it.")
    ('wipe the chain', 'Get a cup.')
    """
    bare = without_final_stop(text)
    bare = lower_first(bare) if model[:1].islower() else upper_first(bare)
    return bare + "." if model.rstrip().endswith(".") else bare


def joined(phrases: list[str]) -> str:
    """Return the phrases as an enumeration.

    >>> joined(["salt"]), joined(["salt", "oil"]), joined(["salt", "oil", "water"])
    ('salt', 'salt and oil', 'salt, oil and water')
    """
    if len(phrases) < 2:
        return "".join(phrases)
    return ", ".join(phrases[:-1]) + " and " + phrases[-1]


def as_words(head: str) -> str:
    """Return a head as it is written in a text: `red_bell_pepper` is "red bell pepper"."""
    return head.replace("_", " ")


def as_head(phrase: str) -> str:
    """Return a phrase as a head of a representation: "red bell pepper" is `red_bell_pepper`."""
    return phrase.lower().replace("-", "_").replace(" ", "_")


def definite(phrase: str) -> str:
    """Return the phrase with "the", unless it already has a determiner."""
    first = phrase.partition(" ")[0].lower()
    return phrase if first in DETERMINERS else f"the {phrase}"


def clause_list(clauses: list[str]) -> str:
    """Return clauses as one sentence: the last joined with "and", the others with commas."""
    return joined([lower_first(without_final_stop(clause)) for clause in clauses])
