"""The words of a step as they follow "Did I": first person, one sentence, no remarks."""

import re
from functools import lru_cache

from generation.engine.english.forms import is_adverb_of_manner, is_base_verb

_REMARK = re.compile(r"\s*\([^()]*\)")
_SENTENCE_END = re.compile(r"(?<=[\w%)])[.;]\s+(?=[A-Z])")
_OPENERS = "In|On|With|Using|From|For|Once|When|While|After|Before|Until"
_BEFORE_VERB = re.compile(rf"((?:{_OPENERS}) [^,]+), (?:then )?(\w+ .+)", re.IGNORECASE)
# Assembly101 writes no articles.
_BARE = re.compile(r"(attach|detach) ([a-z -]+) (to|from) ([a-z -]+)")
_PERSONS = {"your": "my", "yourself": "myself", "yours": "mine", "you": "I"}
_PERSON = re.compile(rf"\b({'|'.join(_PERSONS)})\b", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def plain_step(words: str) -> str:
    """The first sentence of a step, without remarks in brackets and the full stop.

    >>> plain_step("Mix the contents of the mug. (There might be some lumps.)")
    'Mix the contents of the mug'
    """
    plain = _REMARK.sub("", words)
    return _SENTENCE_END.split(plain)[0].strip().rstrip(".,;: ") or words.strip()


@lru_cache(maxsize=20_000)
def phrase_of(words: str) -> str:
    """A step as it follows "Did I", "" where it does not begin with a verb.

    >>> phrase_of("In a large mug, melt the butter."), phrase_of("attach arm to body")
    ('melt the butter in a large mug', 'attach the arm to the body')
    >>> phrase_of("Dry your hands"), phrase_of("30 seconds in the microwave")
    ('dry my hands', '')
    """
    plain = plain_step(words)
    if bare := _BARE.fullmatch(plain):
        verb, first, between, second = bare.groups()
        return f"{verb} the {first} {between} the {second}"
    plain = re.sub(r"^(?:and |then |next,? |now,? )+", "", plain, flags=re.IGNORECASE)
    if turned := _BEFORE_VERB.fullmatch(plain):
        before, rest = turned.groups()
        if _begins_with_verb(rest):
            plain = f"{rest} {_small(before)}"
    if not _begins_with_verb(plain):
        return ""
    return _PERSON.sub(lambda found: _PERSONS[found[0].casefold()], _small(plain))


def _begins_with_verb(text: str) -> bool:
    first, *rest = re.findall(r"[A-Za-z-]+", text.casefold()) or [""]
    if is_adverb_of_manner(first) and rest:
        first = rest[0]
    return is_base_verb(first) and first not in _OPENERS.casefold().split("|")


def _small(text: str) -> str:
    """A text with a small first letter, unless its first word is a name or all capitals."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() else f"{text[:1].lower()}{text[1:]}"
