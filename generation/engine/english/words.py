"""Find a head of a representation in the text of its step, and replace it by another.

A head matches words regardless of case, number, hyphens and spaces: `counter_top` finds
"countertop", `egg` finds "eggs". A replacement is adapted to determiner and number.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from generation.engine.english.forms import is_plural, plural, singular
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.surface import DETERMINERS, article_for, upper_first
from generation.engine.english.tokens import Token, Words
from generation.engine.word_lists import word_set

_WORD = re.compile(r"[A-Za-z0-9]+(?:['’][a-z]+)?(?:-[A-Za-z0-9]+)*")
_NOT_LETTERS = re.compile(r"[^a-z0-9]+")
# No published head has more words than this.
MAX_HEAD_WORDS = 6
INDEFINITE = frozenset({"a", "an"})
MANY = word_set("two three four five six several many few these those both")
# Words without meaning for what a step does.
EMPTY_WORDS = word_set(
    "a an the some of to in on at into onto from with and or it its your then again back for by "
    "you that this so is be as up off out not"
)
# With this share of common words two steps say the same.
NEAR_DUPLICATE = 0.85


@dataclass(frozen=True, slots=True)
class Span:
    """Words `first` to `last` (included) of a text, and their character positions."""

    first: int
    last: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun to insert: its words in the singular, and whether it is a mass noun."""

    words: str
    is_mass: bool = False
    is_plural_only: bool = False


@lru_cache(maxsize=50_000)
def words_of(text: str) -> Words:
    """All words of a text as they are written, in lower case."""
    return tuple(Token.at(match.group().lower(), *match.span()) for match in _WORD.finditer(text))


@lru_cache(maxsize=50_000)
def compact(words: str) -> str:
    """The words as one run of letters in the singular, to compare spellings of one thing."""
    *before, last = _NOT_LETTERS.split(words.lower().strip(" _-")) or [""]
    return "".join(before) + singular(last)


@lru_cache(maxsize=100_000)
def spans_of(text: str, head: str) -> tuple[Span, ...]:
    """The places of `head` in `text`, left to right, without overlap.

    >>> [text[span.start : span.end] for text in ("Wash the counter top",)
    ...  for span in spans_of(text, "countertop")]
    ['counter top']
    """
    target = compact(head)
    words = words_of(text)
    spans = []
    first = 0
    while first < len(words) and target:
        before, following = "", first + 1
        for last in range(first, min(first + MAX_HEAD_WORDS, len(words))):
            if before + compact(words[last]) == target:
                spans.append(Span(first, last, words[first].start, words[last].end))
                following = last + 1
                break
            before += _NOT_LETTERS.sub("", words[last])
            if len(before) > len(target) + len("es"):
                break
        first = following
    return tuple(spans)


def mentions(text: str, head: str) -> bool:
    return bool(spans_of(text, head))


def preposition_before(text: str, span: Span, prepositions: frozenset[str]) -> str | None:
    """The preposition before the words of a span, if it is one of `prepositions`.

    Determiners and adjectives may stand between the two.
    """
    words = words_of(text)
    for position in range(span.first - 1, max(span.first - 5, -1), -1):
        if words[position] in prepositions:
            return words[position]
    return None


def with_determiner(text: str, span: Span) -> Span:
    """The span including the determiner right before it, if there is one."""
    words = words_of(text)
    if span.first == 0 or words[span.first - 1] not in DETERMINERS:
        return span
    return Span(span.first - 1, span.last, words[span.first - 1].start, span.end)


def replace_noun(text: str, span: Span, noun: Noun) -> str:
    """The text with the words of the span replaced, and article and number adapted.

    >>> text = "Get a bowl from the shelf"
    >>> replace_noun(text, spans_of(text, "bowl")[0], Noun("egg"))
    'Get an egg from the shelf'
    >>> replace_noun(text, spans_of(text, "bowl")[0], Noun("milk", is_mass=True))
    'Get some milk from the shelf'
    """
    old = text[span.start : span.end]
    before = words_of(text)[span.first - 1] if span.first else None
    determiner = before or ""
    is_countless = noun.is_mass or noun.is_plural_only
    is_pair = old.rpartition(" ")[2].lower() in GRAMMAR.pairs and determiner in DETERMINERS
    is_many = (is_plural(old) and not is_pair) or determiner in MANY
    new = plural(noun.words) if is_many and not is_countless else noun.words
    if before is not None and determiner in INDEFINITE:
        article = "some" if is_countless else article_for(new)
        article = upper_first(article) if text[before.start].isupper() else article
        return f"{text[: before.start]}{article} {new}{text[span.end :]}"
    if span.start == 0 and old[:1].isupper():
        new = upper_first(new)
    return text[: span.start] + new + text[span.end :]


@lru_cache(maxsize=65_536)
def kin(head: str) -> str:
    """The last word of a head, which things of one kind share: `chopped_onion` is an onion."""
    return compact(head.replace("-", "_").rpartition("_")[2])


@lru_cache(maxsize=65_536)
def compact_text(text: str) -> str:
    """The words of a text without case and punctuation, to compare spellings of one step."""
    return " ".join(words_of(text))


@lru_cache(maxsize=65_536)
def word_set_of(text: str) -> frozenset[str]:
    """The words of a text in lower case and in the singular."""
    return frozenset(singular(word) for word in words_of(text))


def content_words(text: str) -> frozenset[str]:
    return word_set_of(text) - EMPTY_WORDS


def jaccard(text: str, other: str) -> float:
    """The share of words that two texts have in common.

    >>> jaccard("Get a cup", "Get the cup")
    0.5
    """
    first, second = word_set_of(text), word_set_of(other)
    union = first | second
    return len(first & second) / len(union) if union else 1.0


def is_near_duplicate(text: str, other: str) -> bool:
    """Whether two steps say the same in nearly the same words."""
    return jaccard(text, other) >= NEAR_DUPLICATE
