"""The lemmatiser `lemminflect`, with its tables kept as lines of text.

The library itself makes dictionaries of them, which take 54 MB in every process that looks up one
word. The lines take 10 MB; a line is found by bisection and then read by the library's own code.
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

# The entry of a word: lemmas by part of speech, or forms by Penn tag.
Forms = dict[str, tuple[str, ...]]


class LineTable:
    """A sorted table of lines `word,category,...` that can be used like a dictionary.

    `parse` reads one line; `extra` are entries that the library adds to those of the table.
    """

    def __init__(
        self, path: Path, parse: Callable[[str], Forms], extra: Mapping[str, Forms]
    ) -> None:
        self._lines = sorted(gzip.decompress(path.read_bytes()).splitlines())
        self._parse = parse
        self._extra = extra

    def get(self, word: str, default: Forms) -> Forms:
        """The entries in all lines of the word, `default` if there is none."""
        if word in self._extra:
            return self._extra[word]
        opening = f"{word},".encode()
        place = bisect_left(self._lines, opening)
        forms: Forms = {}
        while place < len(self._lines) and self._lines[place].startswith(opening):
            forms |= self._parse(self._lines[place].decode())
            place += 1
        return forms or default


@cache
def _lemmatizer() -> Any:
    lemmatizer = lemminflect.Lemmatizer()
    lemmatizer.lemma_dict = LineTable(Path(lemmatizer.lemma_lu_fn), _lemmas_of, {})
    return lemmatizer


@cache
def _inflections() -> Any:
    inflections = lemminflect.Inflections()
    auxiliaries = InflectionLUCodec.updateForAuxMod({})
    inflections.infl_dict = LineTable(
        Path(inflections.infl_lu_fn),
        lambda line: dict(InflectionLUCodec.fromString(line)[2]),
        auxiliaries,
    )
    return inflections


def _lemmas_of(line: str) -> Forms:
    _, category, lemmas = LemmaLUCodec.fromString(line)
    return {categoryToUPos(category): lemmas}


def lemmas(word: str) -> Forms:
    """The base forms of a word by part of speech, empty for an unknown one."""
    return dict(_lemmatizer().getAllLemmas(word))


def guessed_lemmas(word: str, part_of_speech: str) -> Forms:
    """The probable base form of an unknown word."""
    return dict(_lemmatizer().getAllLemmasOOV(word, part_of_speech))


def inflected(lemma: str, tag: str) -> tuple[str, ...]:
    """The spellings of a word's form by its Penn tag, guessed for an unknown word."""
    return tuple(_inflections().getInflection(lemma, tag))
