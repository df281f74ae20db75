"""Sets of words that can grow: looked up like an enumeration, added to by who has a new one."""

import copy
import json
import pickle

import pytest

from annotation.engine.taxonomy import ErrorType, OpenWord, TaxonomyLabel, event_type, event_types


class Colour(OpenWord):
    """A set for these tests only."""

    MAX_LENGTH = 3


RED = Colour.register("R", "rose_red")


def test_word_is_one_thing_and_its_value_however_it_is_come_by():
    assert Colour("R") is RED
    assert Colour.register("R", "rose_red") is RED
    assert copy.deepcopy(RED) is RED
    assert pickle.loads(pickle.dumps(RED)) is RED  # noqa: S301 - our own bytes
    assert (f"{RED}", json.dumps([RED]), RED.name, RED.words) == (
        "R", '["R"]', "rose_red", "rose red",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "name", "message"),
    [
        ("R", "ruby", r"R \(ruby\) cannot be added: R \(rose_red\) exists"),
        ("RR", "rose_red", r"RR \(rose_red\) cannot be added: R \(rose_red\) exists"),
        ("LONG", "long", "'LONG' has 4 letters; expected 1 to 3"),
        ("", "none", "'' has 0 letters; expected 1 to 3"),
    ],
)
def test_word_that_cannot_be_told_from_another_or_stored_is_refused(value, name, message):
    with pytest.raises(ValueError, match=message):
        Colour.register(value, name)
    assert Colour.registered() == (RED,)


def test_unknown_word_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="'G' is no Colour; expected one of R"):
        Colour("G")


def test_stored_word_that_nothing_knows_any_more_is_still_read():
    gone = Colour.stored("G")

    assert (gone, gone.words, Colour.registered()) == ("G", "G", (RED,))


def test_types_of_events_are_the_six_answers_and_what_was_added():
    added = [word for word in ErrorType.registered() if word not in set(TaxonomyLabel)]
    assert event_types() == [*TaxonomyLabel, *added]
    assert event_type("C") is TaxonomyLabel.CORRECTION
    assert event_type("WE") is TaxonomyLabel.WRONG_EXECUTION
    assert (event_type("ZZ"), event_type("ZZ").words) == ("ZZ", "ZZ")
    assert ErrorType.by_name()["wrong_execution"] is ErrorType.WRONG_EXECUTION
