"""Forms of words by the lemmatiser `lemminflect`: base forms, number of nouns, forms of verbs.

The lemmatiser gives every reading of a word, without choosing: `water` is a noun and a verb. The
reader of clauses decides from the neighbouring words. A phrase is inflected at its end.
"""

from functools import lru_cache

from generation.engine.english import lemmatiser
from generation.engine.english.grammar import GRAMMAR

MIN_GERUND_CHARACTERS = 5
# Unknown words with these endings are not plurals.
_NO_PLURAL_ENDINGS = ("ss", "us", "is")


@lru_cache(maxsize=20_000)
def _readings(word: str) -> lemmatiser.Forms:
    """The readings of a word; for an unknown one, its verb readings without "re-" or "un-"."""
    first, _, verb = word.partition("-")
    if first in GRAMMAR.compound_verbs.get(verb, ()):
        return {"VERB": (word,)}
    if readings := lemmatiser.lemmas(word):
        return readings
    prefix, stem = word[:2], word[2:]
    verbs = lemmatiser.lemmas(stem).get("VERB", ()) if prefix in {"re", "un"} and stem else ()
    return {"VERB": tuple(prefix + verb for verb in verbs)} if verbs else {}


def can_be_verb(word: str) -> bool:
    return "VERB" in _readings(word)


def can_be_noun(word: str) -> bool:
    """Whether the word is a noun or unknown to the lemmatiser: a name, a technical term."""
    readings = _readings(word)
    return not readings or "NOUN" in readings


def can_only_be_verb(word: str) -> bool:
    """Whether every reading of the word is a verb form: `inflate`, never `water`."""
    return set(_readings(word)) == {"VERB"}


def is_base_verb(word: str) -> bool:
    """Whether the word is a verb in the form of the imperative: `stir`, not `stirs`."""
    return word in _readings(word).get("VERB", ())


def is_gerund(word: str) -> bool:
    """Whether the word is a verb form in -ing: `applying`, not `ring`."""
    is_long = word.endswith("ing") and len(word) >= MIN_GERUND_CHARACTERS
    return is_long and can_be_verb(word) and not is_base_verb(word)


def is_participle(word: str) -> bool:
    """Whether the word is a past form but not a base form: `charred`, `beaten`, not `cut`."""
    return word.endswith(("ed", "en", "wn")) and can_be_verb(word) and not is_base_verb(word)


def is_adverb_of_manner(word: str) -> bool:
    return word.endswith("ly") and not {"VERB", "NOUN"} & set(_readings(word))


@lru_cache(maxsize=20_000)
def verb_base(word: str) -> str:
    """The base form of a verb form, guessed from its ending if the word is unknown.

    >>> verb_base("returns"), verb_base("backpedaling"), verb_base("unbox")
    ('return', 'backpedal', 'unbox')
    """
    if is_base_verb(word):
        return word
    lemmas = _readings(word).get("VERB") or lemmatiser.guessed_lemmas(word, "VERB").get("VERB")
    return lemmas[0] if lemmas else word


@lru_cache(maxsize=4_000)
def gerund(verb: str) -> str:
    """The -ing form of a verb; a particle after it stays.

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
    """The phrase with its last word in the plural, or the one before "of".

    >>> plural("kitchen knife"), plural("tomato"), plural("cup of tea"), plural("dish")
    ('kitchen knives', 'tomatoes', 'cups of tea', 'dishes')
    """
    counted, of, thing = phrase.partition(" of ")
    before, word = _last_word(counted)
    if not word or is_plural(word):
        return phrase
    irregular = GRAMMAR.plurals.get(word.lower())
    form = irregular or next(iter(lemmatiser.inflected(word.lower(), "NNS")), word + "s")
    return before + _in_case_of(word, form) + of + thing


@lru_cache(maxsize=20_000)
def _singular_word(word: str) -> str:
    if word in GRAMMAR.plural_only:
        return word
    if word in GRAMMAR.singulars:
        return GRAMMAR.singulars[word]
    readings = _readings(word)
    nouns = readings.get("NOUN", ())
    if not word.endswith("s"):
        # Irregular plurals such as "teeth" are not among their own base forms.
        return word if not nouns or word in nouns else nouns[0]
    if not readings and not word.endswith(_NO_PLURAL_ENDINGS):
        nouns = lemmatiser.guessed_lemmas(word, "NOUN").get("NOUN", ())
    return next((base for base in (*nouns, *readings.get("VERB", ())) if base != word), word)


def _last_word(phrase: str) -> tuple[str, str]:
    """(The part before it, the last word), split at a space or a hyphen."""
    start = max(phrase.rfind(" "), phrase.rfind("-")) + 1
    return phrase[:start], phrase[start:]


def _in_case_of(word: str, form: str) -> str:
    return form[:1].upper() + form[1:] if word[:1].isupper() else form
