"""The lemmatiser `lemminflect`, with its tables kept as the lines of text that they come in.

It makes dictionaries of them, which are 54 MB in every process that looks up one word. The lines
take 10 MB, and one that is found by bisection is read only then, by the library's own code.
"""

import gzip
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import lemminflect
from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec
from lemminflect.core.LexicalUtils import categoryToUPos

# What a table says of a word: lemmas by part of speech, or forms by Penn tag.
Forms = dict[str, tuple[str, ...]]


class LineTable:
    """What a sorted table of lines `word,category,...` says of a word; looks like a dictionary.

    `read` returns what one line says; `known` are words that the library knows without the table.
    """

    def __init__(
        self, path: Path, read: Callable[[str], Forms], known: Mapping[str, Forms]
    ) -> None:
        self._lines = sorted(gzip.decompress(path.read_bytes()).splitlines())
        self._read = read
        self._known = known

    def get(self, word: str, default: Forms) -> Forms:
        """What the lines of the word say together, `default` where it has none."""
        if word in self._known:
            return self._known[word]
        opening = f"{word},".encode()
        place = bisect_left(self._lines, opening)
        found: Forms = {}
        while place < len(self._lines) and self._lines[place].startswith(opening):
            found |= self._read(self._lines[place].decode())
            place += 1
        return found or default


@cache
def _lemmatizer() -> Any:
    lemmatizer = lemminflect.Lemmatizer()
    lemmatizer.lemma_dict = LineTable(Path(lemmatizer.lemma_lu_fn), _lemmas_of, {})
    return lemmatizer


@cache
def _inflections() -> Any:
    inflections = lemminflect.Inflections()
    known = InflectionLUCodec.updateForAuxMod({})
    inflections.infl_dict = LineTable(
        Path(inflections.infl_lu_fn),
        lambda line: dict(InflectionLUCodec.fromString(line)[2]),
        known,
    )
    return inflections


def _lemmas_of(line: str) -> Forms:
    _, category, lemmas = LemmaLUCodec.fromString(line)
    return {categoryToUPos(category): lemmas}


def lemmas(word: str) -> Forms:
    """The base forms of a word by part of speech, empty for an unknown one."""
    return dict(_lemmatizer().getAllLemmas(word))


def guessed_lemmas(word: str, part_of_speech: str) -> Forms:
    """The base form that an unknown word probably has."""
    return dict(_lemmatizer().getAllLemmasOOV(word, part_of_speech))


def inflected(lemma: str, tag: str) -> tuple[str, ...]:
    """The spellings of a word's form by its Penn tag, guessed for an unknown word."""
    return tuple(_inflections().getInflection(lemma, tag))
