import pytest

from generation.engine.prompting.visible_action import VisibleAction, visible_action
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.undoing import undo_of
from tests.engine.prompting.published import published_texts


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Stir the tea.", ("stir the tea",)),
        ("Oops, accidentally drop the wrench", ("drop the wrench",)),
        ("Inflate the tube a lot by mistake", ("inflate the tube a lot",)),
        ("Stir slowly, but you accidentally spill some", ("stir slowly, but spill some",)),
        ("Press with your hand", ("press with the hand",)),
        (
            "Pour it out; then dry the cup. Put it back",
            ("pour it out", "dry the cup", "put it back"),
        ),
        (
            "Undo the extra step of getting a plate from the shelf",
            (undo_of("Get a plate from the shelf", Domain.GENERAL),),
        ),
        ("Fix the tire to the wheel", ("fix the tire to the wheel",)),
        ("CPR mask is put on", ("CPR mask is put on",)),
    ],
)
def test_clauses_describe_visible_actions(text, clauses):
    assert visible_action(text) == VisibleAction(clauses)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("Grab a colander instead of the bowl from the shelf", "grab a colander from the shelf"),
        ("Add chili powder to the bowl instead of to the egg", "add chili powder to the bowl"),
        ("Cut the butter instead of gently adding it to the pan", "cut the butter"),
        ("Stir with the napkin rather than the spoon", "stir with the napkin"),
        ("Dice it on the board instead", "dice it on the board"),
        ("Tap the arm instead of the shoulder to check", "tap the arm to check"),
    ],
)
def test_intentions_are_left_out(text, clause):
    assert visible_action(text).clauses == (clause,)


@pytest.mark.parametrize(
    "lead",
    [
        "Stop and fix it: ",
        "Stop, fix the wrong execution, and ",
        "Stop and fix the wrong execution, and ",
        "Stop, realize the mistake, and ",
        "Stop and ",
    ],
)
def test_correction_keeps_its_action_and_counts_as_interrupted(lead):
    assert visible_action(f"{lead}wipe the table") == VisibleAction(
        ("wipe the table",), is_interrupted=True
    )


@pytest.mark.parametrize(
    "lead",
    [
        "Realize the mistake and ",
        "realise mistake, then ",
        "Notice you cut the carrot too early; ",
        "Realize the chain is damaged and ",
        "Realize you cut onion and salad, ",
        "Go back and ",
        "To make up for it, ",
        "Oops, I forgot to do it earlier. ",
        "Perform the missed step now: ",
    ],
)
def test_thoughts_before_an_action_are_left_out(lead):
    assert visible_action(f"{lead}wipe the table") == VisibleAction(("wipe the table",))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Forget the salt", "nothing can be seen of “forget the salt”; say what the hands do"),
        ("Fix it", "nothing can be seen of “fix it”; say what the hands do"),
        (
            "Undo the extra inserted step so the procedure can continue.",
            "nothing can be seen of “undo the extra inserted step”; say what the hands do",
        ),
        (
            "Get the bowl, but not quite correctly",
            "“not quite correctly” does not say what is seen; say what happens",
        ),
        (
            "Redo the intended action",
            "“the intended action” does not say what is seen; say what happens",
        ),
        ("", "nothing is left that could be seen"),
    ],
)
def test_invisible_action_is_reported(text, problem):
    assert visible_action(text).problems == (problem,)


@pytest.mark.parametrize("text", ["Stop", "Stop and then stop", "Oops!", "Realize it", "; ; ."])
def test_text_without_an_action_is_named(text):
    assert len(visible_action(text).problems) == 1


@pytest.mark.shared_data
def test_published_steps_keep_no_word_of_intention(shared_data):
    texts = published_texts(shared_data)
    clauses = [" ".join(visible_action(text).clauses).lower() for text in texts]

    words = ("accident", "mistake", "instead", "oops", "realize", "notice you")
    assert len(texts) > 1000
    assert [found for found in clauses if any(word in found for word in words)] == []
    assert sum(not found for found in clauses) == 0


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Stop and stir the tea, this time the right way", ("stir the tea",)),
        (
            "Go back, put the cup back and start over: get the mug, then fill the mug",
            ("put the cup back", "get the mug", "fill the mug"),
        ),
    ],
)
def test_words_about_the_last_try_are_not_seen(text, clauses):
    assert visible_action(text).clauses == clauses
