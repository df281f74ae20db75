import numpy as np
import pytest

from benchmarks.engine.happenings import OWN_WORDS
from benchmarks.engine.tasks.step_mistakes import TASK
from tests.benchmarks.tasks.material import TEA, defaults, figures, read


def items(**settings):
    return list(TASK.items(TEA, {**defaults(TASK), **settings}, 0))


def answer_of(answer, score=None):
    return {"answer": answer, "score": score}


def test_steps_are_asked_about_in_the_words_of_the_procedure_each_with_what_came_before():
    found = [
        (item.payload["step"], item.truth["answer"], item.start_s, item.moment_s)
        for item in items()
    ]

    assert found == [("Boil water", "no", 0.0, 4.0), ("Add tea", "yes", 4.0, 6.0)]
    assert items()[1].payload["before"] == ["Boil water"]
    assert [item.groups.get("mistake type") for item in items()] == [None, "substitution"]


def test_step_that_the_procedure_does_not_have_is_asked_about_in_pictures_alone_and_counted():
    last = items(follow_ups="mistakes")[-1]

    assert last.payload["before"] == ["Boil water", "Add tea"]
    assert TASK.left_out(TEA, defaults(TASK)) == {
        "steps that the procedure does not have: sets of pictures alone ask about them": 1,
        "steps that merely follow from a mistake": 1,
    }
    of_pictures = {**defaults(TASK), "shown": "pictures alone"}
    assert len(items(**of_pictures)) == 3
    assert TASK.left_out(TEA, of_pictures) == {"steps that merely follow from a mistake": 1}


def test_own_words_are_a_setting_with_a_warning():
    found = [item.payload["step"] for item in items(shown=OWN_WORDS)]

    assert found == ["Boil water", "Add coffee", "Tip out the coffee and add tea"]
    (warning,) = TASK.warnings({**defaults(TASK), "shown": OWN_WORDS})
    assert "often describe it" in warning
    assert TASK.warnings(defaults(TASK)) == ()


@pytest.mark.parametrize(
    ("setting", "truth"), [("mistakes", "yes"), ("no mistakes", "no"), ("left out", None)]
)
def test_what_follows_from_a_mistake_counts_as_was_set(setting, truth):
    found = {item.payload["step"]: item.truth["answer"] for item in items(follow_ups=setting)}

    assert found.get("Pour water") == truth


def test_pictures_alone_do_not_tell_what_was_done():
    for item in items(shown="pictures alone"):
        assert set(item.payload) == {"goal", "procedure", "shown"}
        assert "coffee" not in TASK.prompt(item, ()).text


def test_figures_by_hand():
    asked = items(follow_ups="mistakes", shown=OWN_WORDS)
    answers = read(answer_of("yes", 0.6), answer_of("yes", 0.9), None, answer_of("no", 0.2))

    assert figures(TASK, asked, answers) == {
        "f1": 0.5,
        "precision": 0.5,
        "recall": 0.5,
        "specificity": 0.0,
        "accuracy": 0.333333,
        "accuracy_of_all": 0.25,
        "f1_of_all": 0.4,
        "precision_of_all": 0.333333,
        "recall_of_all": 0.5,
        "auc": 0.5,
        "auc_of_all": 0.25,
        "average_precision": 0.833333,
        # The no without an answer is ranked first: (1 / 2 + 2 / 4) / 2.
        "average_precision_of_all": 0.5,
        "specificity_of_all": 0.0,
    }


def test_scores_outside_0_to_1_are_refused():
    expected = "score is 1.5; expected 0 (surely no mistake) to 1 (surely a mistake)"

    assert TASK.check(items()[0], answer_of("yes", 1.5)) == expected


def test_curve_goes_over_the_scores_that_were_given():
    asked = items(shown=OWN_WORDS)

    curve = TASK.curve(
        asked, read(answer_of("no", 0.1), answer_of("yes", 0.9), answer_of("no", 0.5))
    )

    assert curve.thresholds == (0.9, 0.5, 0.1)
    assert curve.lines["precision"] == pytest.approx((1, 1 / 2, 1 / 3))
    assert curve.lines["recall"] == (1.0, 1.0, 1.0)
    assert TASK.curve(asked, read(answer_of("no"), answer_of("yes"), answer_of("no"))) is None


def test_among_mistakes_alone_only_recall_says_something():
    mistakes = [item for item in items() if item.truth["answer"] == "yes"]

    found = figures(TASK, mistakes, read(answer_of("yes")))

    assert found["recall"] == found["accuracy"] == 1.0
    assert np.isnan([found["precision"], found["f1"], found["specificity"]]).all()
