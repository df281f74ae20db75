"""Forms of words by the lemmatiser `lemminflect`: base forms, number of nouns, forms of verbs.

The lemmatiser knows every reading of a word and takes none: `water` is a noun and a verb. What a
word is in its place, the reader decides from its neighbours. A phrase is inflected at its end.
"""

from functools import lru_cache

from generation.engine.english import lemmatiser
from generation.engine.english.grammar import GRAMMAR

MIN_GERUND_CHARACTERS = 5
# Words with these endings that the lemmatiser does not know are no plurals.
_NO_PLURAL_ENDINGS = ("ss", "us", "is")


@lru_cache(maxsize=20_000)
def _readings(word: str) -> lemmatiser.Forms:
    """What a word can be; an unknown one what it is without "re-" or "un-", as a verb."""
    first, _, verb = word.partition("-")
    if first in GRAMMAR.compound_verbs.get(verb, ()):
        return {"VERB": (word,)}
    if known := lemmatiser.lemmas(word):
        return known
    prefix, stem = word[:2], word[2:]
    verbs = lemmatiser.lemmas(stem).get("VERB", ()) if prefix in {"re", "un"} and stem else ()
    return {"VERB": tuple(prefix + verb for verb in verbs)} if verbs else {}


def can_be_verb(word: str) -> bool:
    return "VERB" in _readings(word)


def can_be_noun(word: str) -> bool:
    """Whether the word is a noun, or none that the lemmatiser knows: a name, a trade's word."""
    known = _readings(word)
    return not known or "NOUN" in known


def can_only_be_verb(word: str) -> bool:
    """Whether every reading of the word is a verb form: `inflate`, never `water`."""
    return set(_readings(word)) == {"VERB"}


def is_base_verb(word: str) -> bool:
    """Whether the word is a verb as the imperative has it: `stir`, not `stirs`."""
    return word in _readings(word).get("VERB", ())


def is_gerund(word: str) -> bool:
    """Whether the word is a verb form in -ing: `applying`, not `ring`."""
    is_long = word.endswith("ing") and len(word) >= MIN_GERUND_CHARACTERS
    return is_long and can_be_verb(word) and not is_base_verb(word)


def is_participle(word: str) -> bool:
    """Whether the word is a past form and no base form: `charred`, `beaten`, not `cut`."""
    return word.endswith(("ed", "en", "wn")) and can_be_verb(word) and not is_base_verb(word)


def is_adverb_of_manner(word: str) -> bool:
    return word.endswith("ly") and not {"VERB", "NOUN"} & set(_readings(word))


@lru_cache(maxsize=20_000)
def verb_base(word: str) -> str:
    """The base form of a verb form; a word unknown to the lemmatiser by its endings.

    >>> verb_base("returns"), verb_base("backpedaling"), verb_base("unbox")
    ('return', 'backpedal', 'unbox')
    """
    if is_base_verb(word):
        return word
    known = _readings(word).get("VERB") or lemmatiser.guessed_lemmas(word, "VERB").get("VERB")
    return known[0] if known else word


@lru_cache(maxsize=4_000)
def gerund(verb: str) -> str:
    """The -ing form of a verb, a particle after it kept.

    >>> gerund("stir"), gerund("turn off"), gerund("wipe"), gerund("unwrap")
    ('stirring', 'turning off', 'wiping', 'unwrapping')
    """
    base, space, particle = verb.partition(" ")
    return next(iter(lemmatiser.inflected(base, "VBG")), base + "ing") + space + particle


@lru_cache(maxsize=4_000)
def past_participle(verb: str) -> str:
    """The past participle of a verb.

    >>> past_participle("cut"), past_participle("grate"), past_participle("shake")
    ('cut', 'grated', 'shaken')
    """
    return next(iter(lemmatiser.inflected(verb, "VBN")), verb + "ed")


@lru_cache(maxsize=20_000)
def is_plural(phrase: str) -> bool:
    word = _last_word(phrase)[1].lower()
    return word in GRAMMAR.plural_only or _singular_word(word) != word


@lru_cache(maxsize=20_000)
def singular(phrase: str) -> str:
    """The phrase with its last word in the singular.

    >>> singular("axle nuts"), singular("knives"), singular("glass"), singular("dishes")
    ('axle nut', 'knife', 'glass', 'dish')
    """
    before, word = _last_word(phrase)
    return before + _in_case_of(word, _singular_word(word.lower()))


@lru_cache(maxsize=20_000)
def plural(phrase: str) -> str:
    """The phrase with its last word, or what counts it, in the plural.

    >>> plural("kitchen knife"), plural("tomato"), plural("cup of tea"), plural("dish")
    ('kitchen knives', 'tomatoes', 'cups of tea', 'dishes')
    """
    counted, of, thing = phrase.partition(" of ")
    before, word = _last_word(counted)
    if not word or is_plural(word):
        return phrase
    known = GRAMMAR.plurals.get(word.lower())
    form = known or next(iter(lemmatiser.inflected(word.lower(), "NNS")), word + "s")
    return before + _in_case_of(word, form) + of + thing


@lru_cache(maxsize=20_000)
def _singular_word(word: str) -> str:
    if word in GRAMMAR.plural_only:
        return word
    if word in GRAMMAR.singulars:
        return GRAMMAR.singulars[word]
    known = _readings(word)
    nouns = known.get("NOUN", ())
    if not word.endswith("s"):
        # "Teeth" is a plural; "feet" is one too, and no reading of "dice" is missed by it.
        return word if not nouns or word in nouns else nouns[0]
    if not known and not word.endswith(_NO_PLURAL_ENDINGS):
        nouns = lemmatiser.guessed_lemmas(word, "NOUN").get("NOUN", ())
    return next((base for base in (*nouns, *known.get("VERB", ())) if base != word), word)


def _last_word(phrase: str) -> tuple[str, str]:
    """(What stands before it, the last word), cut at a blank or a hyphen."""
    start = max(phrase.rfind(" "), phrase.rfind("-")) + 1
    return phrase[:start], phrase[start:]


def _in_case_of(word: str, form: str) -> str:
    return form[:1].upper() + form[1:] if word[:1].isupper() else form
