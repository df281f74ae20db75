"""Verdicts and reasons of a round: what people could not give by name, key and number is named."""

from dataclasses import replace

import pytest

from texts.engine.vocabulary import REVIEW, SENSE, Reason, VerdictChoice, Vocabulary

ACCEPT, EDIT, REJECT = REVIEW.verdicts


def test_the_two_that_there_are_have_no_fault_and_survive_being_stored():
    assert [vocabulary.fault() for vocabulary in (REVIEW, SENSE)] == ["", ""]
    assert Vocabulary.from_dict(REVIEW.to_dict()) == REVIEW
    assert len(REVIEW.reasons) == 8


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"verdicts": (ACCEPT,)}, "verdicts are 1; expected 2 to 8"),
        ({"reasons": ()}, "reasons are none; expected some"),
        ({"reasons": (*REVIEW.reasons, Reason("ninth", "x"))}, "reasons are 9; expected at most 8"),
        ({"reasons": (Reason("unclear", "x"),) * 2}, "is 'unclear'; expected each once"),
        ({"reasons": (Reason("reject", "x"),)}, "is 'reject'; expected each once"),
        ({"reasons": (Reason("", "x"),)}, "is ''; expected each once, of 1 to 32"),
        ({"verdicts": (ACCEPT, replace(EDIT, key="a"))}, "key of a verdict is 'a'"),
        ({"verdicts": (ACCEPT, VerdictChoice("x", "X", "p"))}, "is 'p'; expected a letter"),
        ({"verdicts": (ACCEPT, VerdictChoice("x", "X", "1"))}, "is '1'; expected a letter"),
    ],
)
def test_what_nobody_could_give_is_named(change, fault):
    assert fault in replace(REVIEW, **change).fault()


def test_words_leave_out_reasons_of_a_verdict_that_asks_for_none():
    assert REVIEW.in_words("accept", ["unclear"]) == "Accept"
    assert REVIEW.in_words("reject", ["wrong", "language"]) == (
        "Reject: it is wrong about the recording; its language is not right"
    )
    assert REVIEW.in_words("", []) == ""


def test_other_reasons_have_names_of_their_own_words():
    titles = ["It is unclear", "Слишком длинно", "Too long, " + "really " * 9]

    reasons = REVIEW.with_reasons(titles).reasons

    assert [reason.title for reason in reasons] == titles
    assert [reason.name for reason in reasons] == [
        "unclear", "reason_2", "too_long_really_really_really_re",
    ]  # fmt: skip
