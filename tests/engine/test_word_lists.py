"""Word lists are checked when they are loaded; an error names file, key, value and expectation."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest

import generation.engine
from generation.engine.word_lists import WordListError, load_words


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Shape:
    """A shape with one field of each sort."""

    articles: frozenset[str]
    by_colour: dict[Colour, tuple[str, ...]]
    surface: str


GOOD = 'articles = "a an the"\nsurface = "table"\n[by_colour]\nred = ["two words", "blood"]\n'


def load(tmp_path, text):
    path = tmp_path / "list.toml"
    path.write_text(text)
    return load_words(path, Shape)


def test_words_come_in_their_shape(tmp_path):
    loaded = load(tmp_path, GOOD)

    assert loaded.articles == {"a", "an", "the"}
    assert loaded.by_colour == {Colour.RED: ("two words", "blood")}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"table"', "5", "list.toml, surface is 5; expected a text"),
        ('"table"', '" "', "list.toml, surface is ' '; expected a text"),
        ('"a an the"', '"a an a"', "list.toml, articles is 'a'; expected each entry once"),
        ('"a an the"', "[1]", "list.toml, articles, 1 is 1; expected a text"),
        ('["two words", "blood"]', '"blood"', "by_colour, red is 'blood'; expected a list"),
        ("red =", "green =", "by_colour, a key is 'green'; expected one of red, blue"),
        ("surface =", "surfaces =", "is 'surface, surfaces'; expected the keys articles, by_col"),
        ("[by_colour]", "by_colour = 1\n[rest]", "expected the keys"),
        ("[by_colour]", "[by_colour", "expected TOML"),
    ],
)
def test_wrong_list_is_refused(tmp_path, old, new, message):
    with pytest.raises(WordListError) as error:
        load(tmp_path, GOOD.replace(old, new))

    assert message in str(error.value)


def test_every_list_of_the_engine_is_read_by_some_module():
    folder = Path(generation.engine.__file__).parent
    lists = {path for path in folder.rglob("*.toml") if "profiles" not in path.parts}
    sources = "\n".join(path.read_text() for path in folder.rglob("*.py"))

    unread = {p.name for p in lists if p.name not in sources and p.parent.name != "domains"}

    assert lists
    assert not unread
