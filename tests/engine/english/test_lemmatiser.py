import lemminflect
import pytest
from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec

from generation.engine.english import lemmatiser


@pytest.mark.parametrize(
    ("makes", "codec", "table_of"),
    [
        (lemmatiser._lemmatizer, LemmaLUCodec, ("lemma_lu_fn", "lemma_dict")),
        (lemmatiser._inflections, InflectionLUCodec, ("infl_lu_fn", "infl_dict")),
    ],
)
def test_line_tables_equal_the_dictionaries_of_the_library(makes, codec, table_of) -> None:
    path, name = table_of
    library = makes()
    table, theirs = getattr(library, name), codec.load(getattr(library, path))

    assert {word: table.get(word, {}) for word in theirs} == theirs
    assert len(theirs) > 30_000


def test_line_tables_have_no_entry_for_a_part_of_a_word() -> None:
    table = lemmatiser._lemmatizer().lemma_dict

    assert table.get("stirr", {}) == {}
    assert table.get("zzz", {"VERB": ("z",)}) == {"VERB": ("z",)}
    assert table.get("", {}) == {}


def test_library_builds_no_dictionaries() -> None:
    lemmatiser.lemmas("cuts")
    lemmatiser.inflected("cut", "VBG")

    assert isinstance(lemminflect.Lemmatizer()._getLemmaDict(), lemmatiser.LineTable)
    assert isinstance(lemminflect.Inflections()._getInflDict(), lemmatiser.LineTable)


def test_lemmatiser_answers_for_words_that_are_in_no_table() -> None:
    assert lemmatiser.lemmas("zorbing") == {}
    assert lemmatiser.guessed_lemmas("zorbing", "VERB") == {"VERB": ("zorb",)}
    assert lemmatiser.inflected("cut", "VBG") == ("cutting",)
    assert lemmatiser.inflected("unbox", "VBN") == ("unboxed",)
