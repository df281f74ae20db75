"""Changes that a tab numbers: what is new, what came before, and what is refused."""

from dataclasses import dataclass

import pytest

from annotation.engine.ratings.numbered_changes import NO_SEQUENCE, Arrived, sort_arrived

LOG = {1: "a", 2: "b"}


@dataclass(frozen=True)
class Change:
    sequence: int
    text: str


def arrived(*changes, last_sequence=None, log=LOG):
    return sort_arrived(
        changes,
        logged_under=lambda numbers: {number: log[number] for number in numbers if number in log},
        is_logged=lambda change, logged: change.text == logged,
        refusal=lambda change: ValueError(f"{change.sequence} was used"),
        last_sequence=last_sequence,
    )


@pytest.mark.parametrize("last_sequence", [None, 2])
def test_what_came_before_is_told_from_what_is_new(last_sequence):
    changes = Change(2, "b"), Change(4, "d"), Change(3, "c")

    found = arrived(*changes, last_sequence=last_sequence)

    assert found == Arrived(fresh=changes[1:], saved=(2,), logged={2: "b"})


def test_same_change_twice_in_one_request_counts_once():
    assert arrived(Change(3, "c"), Change(3, "c")) == Arrived((Change(3, "c"),), (), {})


@pytest.mark.parametrize("changes", [[Change(1, "z")], [Change(3, "c"), Change(3, "z")]])
def test_another_change_under_a_used_number_is_refused(changes):
    with pytest.raises(ValueError, match=f"{changes[-1].sequence} was used"):
        arrived(*changes)


@pytest.mark.parametrize(("number", "last_sequence"), [(3, 2), (0, NO_SEQUENCE)])
def test_log_is_not_read_for_numbers_above_the_last(number, last_sequence):
    found = arrived(Change(number, "c"), last_sequence=last_sequence, log=None)

    assert found == Arrived((Change(number, "c"),), (), {})
