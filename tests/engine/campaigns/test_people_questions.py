"""What people say of themselves: how it is asked, checked, counted."""

import pytest

from annotation.engine.campaigns.people_questions import (
    STANDARD,
    AnswerTally,
    PeopleQuestion,
    checked_answers,
    question_of,
    tallies,
)

COOKS = PeopleQuestion("Do you cook?", ("Never", "Often"))
YEARS = PeopleQuestion("For how many years?")


def test_a_question_comes_back_from_what_is_stored():
    for question in (*STANDARD.values(), COOKS, YEARS):
        assert PeopleQuestion.from_dict(question.to_dict()) == question


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("| a | b", "question is '| a | b'; expected words before the first |"),
        ("Cook? | Often", "choices of “Cook?” are Often; expected none, or several that differ"),
        ("Cook? | Often | Often", "choices of “Cook?” are Often, Often; expected none"),
        ("Cook? |", "choices of “Cook?” are empty; expected none"),
    ],
)
def test_lines_that_are_no_questions_are_named(line, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are what matters
        question_of(line)

    assert message in str(caught.value)


def test_answers_may_be_left_open_and_are_choices_otherwise():
    assert checked_answers((COOKS, YEARS), ["", "  about   ten "]) == ["", "about ten"]
    with pytest.raises(ValueError, match=r"“Do you cook.” is 'Daily'; expected Never, Often"):
        checked_answers((COOKS, YEARS), ["Daily", ""])
    with pytest.raises(ValueError, match="answers are 1; expected 2"):
        checked_answers((COOKS, YEARS), ["Often"])
    with pytest.raises(ValueError, match="has 201 characters; expected 200"):
        checked_answers((COOKS, YEARS), ["", "x" * 201])


def test_answers_are_counts_and_ranges_from_three_people_on():
    age, gender = STANDARD["age"], STANDARD["gender"]
    answers = [
        ["25–34", "Female", "20"], ["18–24", "Male", "47"], ["25–34", "", "3"], ["", "Female", ""],
    ]  # fmt: skip

    assert tallies((age, gender, YEARS), answers) == (
        AnswerTally(age.text, 3, "1 18–24, 2 25–34", "18–24 to 25–34"),
        AnswerTally(gender.text, 3, "2 Female, 1 Male"),
        AnswerTally(YEARS.text, 3, "1 20, 1 3, 1 47", "3 to 47"),
    )
    assert tallies((age,), answers[:2]) == (AnswerTally(age.text, 2, "counted from 3 answers on"),)


def test_what_was_answered_does_not_tell_in_which_order():
    ages = [["25–34"], ["18–24"], ["35–44"]]

    assert tallies((STANDARD["age"],), ages) == tallies((STANDARD["age"],), ages[::-1])
