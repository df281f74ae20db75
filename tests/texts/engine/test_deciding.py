"""What verdicts come to."""

import pytest

from texts.engine.deciding import GivenVerdict, decided, differ


def given(*verdicts):
    return {place: item for place, item in enumerate(verdicts, start=1) if item is not None}


ACCEPT, REJECT = GivenVerdict("accept"), GivenVerdict("reject", ("wrong",))
SALT, SALTED = (GivenVerdict("edit", text=text) for text in ("Did I add salt?", "Did I salt it?"))


@pytest.mark.parametrize(
    ("verdicts", "outcome", "is_disputed"),
    [
        ((ACCEPT, ACCEPT), "accept", False),
        ((ACCEPT, REJECT), None, True),
        ((SALT, SALT), "edit", False),
        # Both would edit, but not to the same words.
        ((SALT, SALTED), None, True),
        ((REJECT, REJECT), "reject", False),
        ((ACCEPT, SALT, SALTED), "edit", True),
        ((ACCEPT,), None, False),
        ((), None, False),
    ],
)
def test_two_agree_or_a_third_decides(verdicts, outcome, is_disputed):
    found = decided(given(*verdicts), 2)

    assert (found.verdict if found else None) == outcome
    assert differ(given(*verdicts)) is is_disputed


def test_people_may_reject_for_different_reasons():
    assert not differ(given(REJECT, GivenVerdict("reject", ("unclear",))))


def test_the_third_has_the_last_word_on_the_words():
    assert decided(given(ACCEPT, SALT, SALTED), 2) == SALTED


def test_where_one_reads_each_text_one_verdict_counts():
    assert decided(given(REJECT), 1) == REJECT
