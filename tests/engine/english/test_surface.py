"""Articles, number, verb forms and style, over tables of English words."""

import pytest

from generation.engine.english import forms, surface


@pytest.mark.parametrize(
    ("phrase", "article"),
    [
        ("egg", "an"), ("unused swab", "an"), ("uniform layer", "a"), ("used cup", "a"),
        ("hour", "an"), ("one-handed grip", "a"), ("utensil", "a"), ("umbrella", "an"),
        ("unwashed tomato", "an"), ("hot pan", "a"),
    ],
)  # fmt: skip
def test_article_follows_the_sound(phrase, article):
    assert surface.article_for(phrase) == article


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("knife", "knives"), ("tomato", "tomatoes"), ("tray", "trays"), ("dish", "dishes"),
        ("berry", "berries"), ("chopping board", "chopping boards"), ("scissors", "scissors"),
        ("glass", "glasses"), ("box", "boxes"), ("spice mix", "spice mixes"),
    ],
)  # fmt: skip
def test_plural_and_singular_undo_each_other(one, many):
    assert (forms.plural(one), forms.singular(many)) == (many, one)


@pytest.mark.parametrize("word", ["glass", "asparagus", "press", "lens", "pasta"])
def test_words_in_s_that_are_no_plural_stay(word):
    assert forms.singular(word) == word


@pytest.mark.parametrize(
    ("text", "model", "expected"),
    [
        ("Wipe the chain.", "get a cloth", "wipe the chain"),
        ("get a cup", "Wash it.", "Get a cup."),
        ("CPR starts", "lower", "CPR starts"),
    ],
)
def test_style_of_a_step_is_taken_over(text, model, expected):
    assert surface.in_style_of(text, model) == expected


def test_abbreviation_keeps_its_capitals_inside_a_sentence():
    assert surface.lower_first("CPR starts") == "CPR starts"
