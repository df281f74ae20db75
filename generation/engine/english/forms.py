"""Which words can be verbs, and their base forms, by the lemmatiser `lemminflect`.

The lemmatiser knows every reading of a word and takes none: `water` is a noun and a verb. What a
word is in its place, the analyser decides from its neighbours.
"""

from functools import lru_cache

from generation.engine.english import lemmatiser

IRREGULAR_BASES = {"taken": "take", "made": "make", "cut": "cut", "put": "put", "set": "set"}
GERUND_ENDING = "ing"
MIN_GERUND_CHARACTERS = 5


@lru_cache(maxsize=20_000)
def _readings(word: str) -> dict[str, tuple[str, ...]]:
    return lemmatiser.lemmas(word)


def can_be_verb(word: str) -> bool:
    """Return whether some reading of the word is a verb form."""
    return "VERB" in _readings(word)


def can_only_be_verb(word: str) -> bool:
    """Return whether every reading of the word is a verb form: `inflate`, never `water`."""
    return set(_readings(word)) == {"VERB"}


def is_base_verb(word: str) -> bool:
    """Return whether the word is a verb as the imperative has it: `stir`, not `stirs`."""
    return word in _readings(word).get("VERB", ())


def is_gerund(word: str) -> bool:
    """Return whether the word is a verb form in -ing: `applying`, not `ring`."""
    if not word.endswith(GERUND_ENDING) or len(word) < MIN_GERUND_CHARACTERS:
        return False
    return can_be_verb(word) and word not in _readings(word)["VERB"]


def is_participle(word: str) -> bool:
    """Return whether the word is a past form and no base form: `charred`, `beaten`, not `cut`."""
    is_past = word.endswith(("ed", "en", "wn")) and can_be_verb(word)
    return is_past and not is_base_verb(word)


def is_adverb_of_manner(word: str) -> bool:
    """Return whether the word is an adverb in -ly."""
    return word.endswith("ly") and not {"VERB", "NOUN"} & set(_readings(word))


@lru_cache(maxsize=20_000)
def verb_base(word: str) -> str:
    """Return the base form of a verb form; a word unknown to the lemmatiser by its endings.

    >>> verb_base("returns"), verb_base("backpedaling"), verb_base("unbox")
    ('return', 'backpedal', 'unbox')
    """
    if word in IRREGULAR_BASES:
        return IRREGULAR_BASES[word]
    if is_base_verb(word):
        return word
    known = _readings(word).get("VERB") or lemmatiser.guessed_lemmas(word, "VERB").get("VERB")
    return known[0] if known else word
