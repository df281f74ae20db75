"""The words of a step, with their positions in its text."""

import re
from collections.abc import Sequence
from functools import lru_cache

from generation.engine.english.grammar import GRAMMAR

# More than the steps of a long take before and after rewriting: code that goes over all of them
# again and again would find nothing in a smaller cache, since each pass would evict the next texts.
# In a larger one the garbage collector has to go over texts that are no longer needed.
CACHED_TEXTS = 4_096
_RANGE = r"\s*(?:to|-|–)\s*"
_WORD = re.compile(
    rf"(?P<short>{'|'.join(map(re.escape, GRAMMAR.contractions))})"
    rf"|(?P<fraction>\d+(?:[./]\d+)+)(?:{_RANGE}(?=\d))?"
    rf"|(?P<range>\d+{_RANGE}\d+[a-z0-9]*(?:-[a-z0-9]+)*)"
    r"|[a-z0-9]+(?:-[a-z0-9]+)*|'s\b|n't\b|[,;&]|:(?=\s)"
)
_SPELLED_OUT = {";": ",", ":": ",", "&": "and"}
# Parts of a text that are not the instruction. CaptainCook4D writes the verb before the step,
# `Add-Add 1 egg` or `Add-1 egg`; remarks are in parentheses.
_NOT_INSTRUCTION = (
    re.compile(r"^\s*([A-Za-z]+)\s*-\s*(?=\1\b)", re.IGNORECASE),
    re.compile(r"^\s*[A-Za-z]{2}[A-Za-z ]*-\s*(?=[A-Z][a-z])"),
    re.compile(r"\([^()]*\)"),
    re.compile(r"(?<=[A-Za-z])-(?=\d)"),
)
_SENTENCE_END = re.compile(r"[.!?]\s+|$")


class Token(str):
    """A word in lower case, or a comma; `start` and `end` are character positions in the text."""

    # Caches keep tens of thousands of tokens; a dictionary in each would double them.
    __slots__ = ("end", "start")

    start: int
    end: int

    @classmethod
    def at(cls, word: str, start: int, end: int) -> "Token":
        token = str.__new__(cls, word)
        token.start, token.end = start, end
        return token


Words = tuple[Token, ...]


@lru_cache(maxsize=CACHED_TEXTS)
def sentences_of(text: str) -> tuple[Words, ...]:
    """The words of each sentence; remarks in parentheses and repeated verbs are left out.

    >>> sentences_of("Add-Add 1 egg. (It may be cold.) Wait 2 to 3 minutes")
    (('add', '1', 'egg'), ('wait', '2-3', 'minutes'))
    """
    plain = instruction_of(text).lower().replace("’", "'")
    sentences, start = [], 0
    for match in _SENTENCE_END.finditer(plain):
        if words := _words(plain, start, match.start()):
            sentences.append(words)
        start = match.end()
    # `3. Open the box` is a list number and a sentence.
    verbal = [words for words in sentences if not all(word.isdigit() for word in words)]
    return tuple(verbal or sentences)


@lru_cache(maxsize=CACHED_TEXTS)
def instruction_of(text: str) -> str:
    """The text with spaces in place of parts that are not the instruction."""
    for pattern in _NOT_INSTRUCTION if "-" in text or "(" in text else ():
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return text


def _words(plain: str, start: int, end: int) -> Words:
    """The words between two positions, without fillers, repetitions and final connectives.

    >>> _words("press the patient's chest", 0, 99), _words("deep fry it", 0, 99)
    (('press', 'the', 'patient', "'s", 'chest'), ('deep-fry', 'it'))
    """
    tokens: list[Token] = []
    for match in _WORD.finditer(plain, start, end):
        written, kind = match.group(), match.lastgroup
        if kind == "range":
            written = re.sub(_RANGE, "-", written)
        elif kind == "fraction":
            written = match["fraction"]
        for word in GRAMMAR.contractions[written].split() if kind == "short" else (written,):
            word = _SPELLED_OUT.get(word, word)
            if word in {"least", "most"} and tokens and tokens[-1] == "at":
                tokens.pop()  # "At least ten drops."
                continue
            if _is_compound_verb(tokens, word):
                first = tokens.pop()
                tokens.append(Token.at(f"{first}-{word}", first.start, match.end()))
                continue
            if word not in GRAMMAR.fillers and not (tokens and tokens[-1] == word):
                tokens.append(Token.at(word, *match.span()))
    return tuple(tokens[: end_without(tokens, GRAMMAR.connectives)])


def _is_compound_verb(before: Sequence[str], word: str) -> bool:
    """Whether the word forms one verb with the word before it: "deep fry", not "a deep fry"."""
    is_listed = bool(before) and before[-1] in GRAMMAR.compound_verbs.get(word, ())
    return is_listed and (len(before) == 1 or before[-2] in GRAMMAR.connectives | {"or", "to"})


def end_without(words: Sequence[str], ends: frozenset[str]) -> int:
    """How many words remain without meaningless ones at the end; "the first" stays.

    >>> end_without(("catch", "the", "first"), frozenset({"first"}))
    3
    """
    end = len(words)
    while end and words[end - 1] in ends and words[max(0, end - 2)] not in GRAMMAR.determiners:
        end -= 1
    return end
