"""Add words to a step: a quality, a part, or a place or tool that the step leaves out."""

import re

from generation.engine.english.instructions import clause_of
from generation.engine.english.surface import DETERMINERS, article_for, without_final_stop
from generation.engine.english.words import (
    INDEFINITE,
    MANY,
    Span,
    with_determiner,
    words_of,
)
from generation.engine.rewriting.lexicon.qualities import OF_THE, qualities
from generation.engine.semrep.lexicon import PREPOSITIONS

# What stands after a place in English: the tool, the purpose, the time, what is done besides.
_LATER = re.compile(r"(?:,| (?:with|using|by|to|until|while|for|and|so|before|after|when)\b)")
# "The burned arm": the wrong one is not burned.
_PREPARED = re.compile(r"^[a-z]+ed (?=[a-z])")
_ADJECTIVES = 3
_ARTICLES = frozenset({"the", "a", "an", "some"})


def with_phrase(text: str, phrase: str) -> str:
    """The text with an added place or tool; a place stands before the tool.

    >>> with_phrase("Wipe the oil off with the cloth", "off the chain")
    'Wipe the oil off the chain with the cloth'
    """
    bare = without_final_stop(text)
    particle = clause_of(bare).verb.partition(" ")[2]
    if particle and phrase.startswith(particle + " "):
        bare = bare.replace(" " + particle, "", 1)
    is_thrown = bare.endswith(" away") and phrase.startswith("in")
    is_last = is_thrown or phrase.startswith(("with ", "using "))
    later = None if is_last else _LATER.search(bare)
    at = len(bare) if later is None else later.start()
    return f"{bare[:at]} {phrase}{bare[at:]}"


def with_quality(text: str, span: Span, quality: str) -> str | None:
    """The text with a quality or a part of a thing; None if it fits nowhere in the sentence.

    >>> from generation.engine.english.words import spans_of
    >>> text = "Print a test page"
    >>> span = spans_of(text, "test page")[0]
    >>> with_quality(text, span, "only half of the"), with_quality(text, span, "wrong")
    ('Print only half of the test page', 'Print the wrong test page')
    """
    if quality.endswith(OF_THE):
        return _with_part(text, span, quality)
    is_wrong = quality in qualities().unspecific
    thing = _PREPARED.sub("", text[span.start : span.end]) if is_wrong else ""
    new = f"{quality} {thing or text[span.start : span.end]}"
    whole = with_determiner(text, span)
    determiner = text[whole.start : span.start].strip().lower()
    before = words_of(text)[: span.first][-1:]
    is_bare = span.first <= 1 or (before and before[0] in PREPOSITIONS)
    if determiner in INDEFINITE or (is_wrong and is_bare and not determiner):
        new = f"{'the' if is_wrong else article_for(new)} {new}"
        return f"{text[: whole.start]}{new}{text[span.end :]}"
    return text[: span.start] + new + text[span.end :]


def _with_part(text: str, span: Span, part: str) -> str | None:
    """The text with a part of the thing: "only half of the", before the whole phrase."""
    words, first = words_of(text), span.first
    for position in range(span.first - 1, max(span.first - 1 - _ADJECTIVES, 0), -1):
        word = words[position]
        if word.isdigit() or word == "one":
            return None
        if word in DETERMINERS or word in MANY:
            first = position
        if word in DETERMINERS or word in PREPOSITIONS or word in {"and", "or"}:
            break
    determiner = words[first]
    if first == 0 or words[first - 1] == "of" or determiner in MANY or determiner == "every":
        return None
    is_article = determiner in _ARTICLES
    if not is_article and first != span.first:
        part = part.removesuffix(" the")  # "Only half of" before "your hands".
    start = words[first + 1].start if is_article else words[first].start
    lead = "the " if part.startswith(("wrong", "largest")) else ""
    return f"{text[: words[first].start]}{lead}{part} {text[start:]}"
