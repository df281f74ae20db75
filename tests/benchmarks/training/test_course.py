"""A model that is stored and restored after every epoch equals an undisturbed one."""

import importlib.util
import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from benchmarks.engine.task import Sample
from benchmarks.engine.training import course as course_module
from benchmarks.engine.training.course import Course, UntrainableError, class_weights, decide
from benchmarks.engine.training.examples import (
    Example,
    as_single_rows,
    gather_examples,
    row_batches,
)
from benchmarks.engine.training.recipes import (
    CODE,
    KINDS,
    MLP,
    MLP_FOCAL,
    PAPER,
    RECIPES,
    V1,
    V2,
    V3,
    recipe_of,
)
from benchmarks.engine.training.step_model import Start

EPOCHS, WIDTHS = 8, {V1: (9,), V2: (9,), V3: (9, 5)}


def examples(count, widths, seed, class_count=2):
    """Steps of which every third is an error, or of three classes, in recordings of two steps."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        label = number % 3 if class_count == 3 else int(number % 3 == 0)
        if number % 2 == 0:
            arrays = tuple(rng.normal(size=(12, width)).astype(np.float32) for width in widths)
        rows = np.arange(6) + 6 * (number % 2)
        for array in arrays:
            array[rows] += 0.9 * label
        found.append(Example(label, arrays, rows, f"step {number % 4}"))
    return found


def segments(class_count, *seeds):
    """Examples of train, val and test as models of segments see them."""
    parts = [examples(24, (9, 5), seed, class_count) for seed in seeds]
    return [as_single_rows(parts[0], part) for part in parts]


def test_steps_named_by_letters_have_words():
    lettered = [replace(one, text="AB"[one.label]) for one in examples(6, (9,), seed=0)]

    found = as_single_rows(lettered, lettered)

    words = [one.features()[0][0, 9:].tolist() for one in found]
    assert words == [[0, 1] if one.label else [1, 0] for one in lettered]


def small(model, preset):
    widths = WIDTHS.get(model, (9,))
    recipe = recipe_of(model, preset, widths, is_early=False, is_by_step=False)
    changes = {"epochs": EPOCHS, "hidden": 16, "feedforward": 16, "learning_rate": 1e-3}
    # Of several epochs the last look comes early.
    return replace(recipe, **changes, look_every=min(recipe.look_every, 3))


def restored(course, make):
    """Another course that goes on from what this one stored."""
    file = io.BytesIO()
    course.write(file)
    file.seek(0)
    found = make()
    found.read(file, course.epochs)
    return found


@pytest.mark.parametrize(("model", "preset"), list(RECIPES))
def test_course_resumes_elsewhere_with_the_same_figures(model, preset):
    if KINDS[model].what_is_missing():
        pytest.skip(KINDS[model].what_is_missing())
    if KINDS[model].is_of_segments:
        class_count, (train, val, asked) = 3, segments(3, 0, 1, 2)
    else:
        class_count = 2
        train, val, asked = (examples(24, WIDTHS[model], seed) for seed in range(3))

    def make():
        return Course(small(model, preset), train, val, seed=5, class_count=class_count)

    alone, moved = make(), make()
    while alone.epoch_count < EPOCHS:
        alone.step()
        moved.step()
        moved = restored(moved, make)
    logs = [
        [(epoch.number, epoch.loss, epoch.val_auc, epoch.learning_rate) for epoch in one.epochs]
        for one in (alone, moved)
    ]
    alone.finish()
    moved.finish()

    assert logs[0] == logs[1]
    assert alone.answering_epoch == moved.answering_epoch
    assert (alone.scores(asked) == moved.scores(asked)).all()
    assert logs[0][-1][1] < logs[0][0][1]


def test_the_best_epoch_answers_by_the_paper_and_the_last_by_the_code(monkeypatch):
    train, val = (examples(24, WIDTHS[V1], seed) for seed in range(2))
    areas = [0.5, 0.6, 0.9, 0.7, 0.9, 0.8, 0.7, 0.6]
    for preset, answering in ((PAPER, 3), (CODE, EPOCHS)):
        told = iter(areas)
        monkeypatch.setattr(
            course_module, "curve", lambda *given, told=told: SimpleNamespace(area=next(told))
        )

        def make(preset=preset):
            return Course(small(V1, preset), train, val, seed=1)

        course, scores = make(), []
        for _ in range(EPOCHS):
            course.step()
            scores.append(course.scores(val))
            # Also where it goes on elsewhere after the best epoch.
            course = restored(course, make)
        course.finish()

        assert course.answering_epoch == answering
        assert (course.scores(val) == scores[answering - 1]).all()
    assert (scores[2] != scores[-1]).any()


def test_the_learning_rate_falls_where_val_does_not_rise():
    train = examples(12, (4,), 0)
    # Features of val tell nothing, and are all the same.
    flat = (np.zeros((3, 4), np.float32),)
    val = [Example(label, flat, np.arange(3)) for label in (0, 1)]
    recipe = replace(small(V1, CODE), epochs=9)
    course = Course(recipe, train, val, seed=0)
    for _ in range(recipe.epochs):
        course.step()

    rates = [epoch.learning_rate for epoch in course.epochs]
    assert rates == pytest.approx([1e-3] * 7 + [1e-4] * 2)


def test_presets_have_the_numbers_of_the_paper_and_of_its_code():
    def numbers(model, preset, widths, **changes):
        given = {"is_early": False, "is_by_step": False, **changes}
        recipe = recipe_of(model, preset, widths, **given)
        return (recipe.learning_rate, recipe.positive_weight, recipe.batch_rows, recipe.epochs)

    wide = (1024,)
    assert numbers(V1, PAPER, wide) == (1e-3, 1.5, 512, 50)
    assert numbers(V1, PAPER, wide, is_early=True) == (1e-4, 1.5, 512, 50)
    assert numbers(V2, PAPER, wide) == (1e-5, 1.5, 0, 50)
    assert numbers(V3, PAPER, wide * 4) == (5e-5, 1.5, 0, 50)
    assert numbers(V1, CODE, wide) == (1e-3, 1.0, 0, 10)
    assert numbers(V2, CODE, wide) == (1e-6, 1.0, 0, 10)
    assert numbers(V2, CODE, (400,)) == (1e-4, 1.0, 0, 10)
    assert numbers(V3, CODE, wide * 2) == (1e-6, 1.0, 0, 10)
    assert numbers(V3, CODE, wide * 2, is_early=True) == (1e-4, 1.0, 0, 10)
    code = recipe_of(V2, CODE, wide, is_early=False, is_by_step=True)
    assert (code.weight_decay, code.clip_norm, code.patience) == (1e-3, 1.0, 5)
    assert (code.threshold, code.normalises, code.keeps) == (0.6, True, "last")
    assert recipe_of(V2, CODE, wide, is_early=False, is_by_step=False).threshold == 0.4
    paper = recipe_of(V3, PAPER, wide * 3, is_early=False, is_by_step=False)
    assert (paper.threshold, paper.normalises, paper.weights) == (None, False, (0.4, 0.3, 0.3))


def test_thresholds_come_from_val_and_the_code_stretches_the_scores():
    truth = np.array([0.0, 0, 1, 1])
    val, asked = np.array([[0.1], [0.2], [0.3], [0.4]]), np.array([[0.15], [0.25], [0.35]])

    paper = decide(small(V1, PAPER), truth, val, asked)
    code = decide(small(V1, CODE), truth, val, asked)

    assert (paper.threshold, paper.labels.tolist()) == (0.2, [0, 1, 1])
    assert code.scores == pytest.approx([0, 0.5, 1])
    assert (code.threshold, code.labels.tolist()) == (0.4, [0, 1, 1])


def test_classes_count_by_how_few_they_are():
    recipe = recipe_of(MLP_FOCAL, PAPER, (9,), is_early=False, is_by_step=False)
    shown = recipe.epochs, recipe.beta, recipe.gamma, recipe.weights
    # (1 - beta) / (1 - beta ** n) of n = 300, 50 and 5, made to add up to 3.
    weights = np.array([0.0033827, 0.0200491, 0.2000400])

    assert shown == (1200, 0.9999, 2.0, (1.0,))
    assert class_weights(recipe, np.array([300, 50, 5])) == pytest.approx(
        3 * weights / weights.sum(), abs=1e-4
    )
    # A class that nobody has seen does not divide by zero.
    assert np.isfinite(class_weights(recipe, np.array([300, 50, 0]))).all()
    v1 = recipe_of(V1, PAPER, (9,), is_early=False, is_by_step=False)
    assert class_weights(v1, np.array([300, 50])).tolist() == [1.0, 1.5]


@pytest.mark.parametrize("model", [MLP, MLP_FOCAL])
def test_rare_classes_weigh_as_much_as_common_ones_where_they_are_balanced(model):
    """By how many there are in train: features are all the same, and val has one of each."""
    if KINDS[model].what_is_missing():
        pytest.skip(KINDS[model].what_is_missing())
    array = np.ones((1, 9), np.float32)
    train = [Example(label, (array,), np.array([0])) for label in [0] * 100 + [1] * 10 + [2] * 10]
    val = [Example(label, (array,), np.array([0])) for label in range(3)]
    shares = {}
    for beta in (0.0, 0.9999):
        recipe = replace(small(model, PAPER), beta=beta, epochs=30, learning_rate=0.02, gamma=0.0)
        course = Course(recipe, train, val, seed=0, class_count=3)
        while course.epoch_count < recipe.epochs:
            course.step()
        [shares[beta]] = course.scores(val[:1])

    assert shares[0.0] == pytest.approx([1 / 12] * 2, abs=0.05)
    assert shares[0.9999] == pytest.approx([1 / 3] * 2, abs=0.05)


def test_val_is_judged_by_the_areas_of_all_classes_but_the_first():
    train, val = segments(3, 0, 1)
    course = Course(small(MLP, PAPER), train, val, seed=0, class_count=3)

    told = course.step()

    labels = np.array([example.label for example in val])
    areas = [roc_auc_score(labels == at + 1, one) for at, one in enumerate(course.scores(val).T)]
    assert areas[0] != areas[1]
    assert told.val_auc == pytest.approx(np.mean(areas))


def test_focal_loss_weighs_sure_examples_less():
    torch = pytest.importorskip("torch")
    from benchmarks.engine.training.focal_perceptron import FocalPerceptron  # noqa: PLC0415

    recipe = replace(small(MLP_FOCAL, PAPER), gamma=3.0)
    model = FocalPerceptron(Start(recipe, (2,), np.array([0.5, 1.5], np.float32), 0))
    # What the network says is given: how sure it is, 0.9 of the right class and 0.2.
    model.network = torch.nn.Identity()
    rows = torch.log(torch.tensor([[0.9, 0.1], [0.8, 0.2]], device=model.device))

    loss = model.loss(rows, torch.tensor([0, 1], device=model.device))

    # Lin et al. (2017), eq. 5: -weight (1 - p) ** gamma log p.
    terms = [0.5 * 0.1**3 * -np.log(0.9), 1.5 * 0.8**3 * -np.log(0.2)]
    assert loss.item() == pytest.approx(np.mean(terms))


def test_a_segment_is_the_mean_of_its_rows_and_its_words():
    array = np.arange(12, dtype=np.float32).reshape(6, 2)
    train = [
        Example(0, (array,), np.arange(2), "boil water"),
        Example(1, (array,), np.array([5, 1]), "boil"),
    ]

    first, second = as_single_rows(train, train)
    [other] = as_single_rows(train, [Example(2, (array,), np.array([3]), "pour milk")])

    assert first.features()[0][0, :2].tolist() == [1.0, 2.0]
    assert second.features()[0].tolist() == [[6.0, 7.0, 1.0, 0.0]]
    # Words that train lacks are left out.
    assert (other.label, other.features()[0].tolist()) == (2, [[6.0, 7.0, 0.0, 0.0]])
    assert as_single_rows(train, []) == []


def test_of_several_classes_the_likeliest_is_predicted():
    scores = np.array([[0.2, 0.1], [0.5, 0.1], [0.1, 0.6]])

    found = decide(small(MLP, PAPER), [0, 1, 2], scores, scores)

    assert found.labels.tolist() == [0, 1, 2]
    assert found.scores == pytest.approx([0.7, 0.5, 0.6])
    assert found.threshold is None


def test_rows_are_those_of_the_pieces_and_items_without_one_are_named():
    sets = [{"r": np.zeros((10, 3), np.float32)}, {"r": np.zeros((8, 2), np.float32)}]
    samples = {
        (1, 0): Sample("r", ((0.0, 2.5), (5.0, 6.0)), "yes"),
        (2, 0): Sample("r", ((0.0, 2.5), (5.0, 6.0)), "no", is_early=True),
        (3, 0): Sample("r", ((6.0, 9.0),), "no"),
        (4, 0): Sample("r", ((9.0, 10.0),), "no"),
        (5, 0): Sample("elsewhere", ((0.0, 1.0),), "no"),
        (6, 0): Sample("r", ((0.0, 1.0),), "yes", is_early=True),
    }

    found = gather_examples(samples, ("no", "yes"), sets, 1.0)

    rows = {key: one.rows.tolist() for key, one in found.examples.items()}
    # The second array is shorter, and a row counts where all have it.
    assert rows == {(1, 0): [0, 1, 2, 5], (2, 0): [0, 1], (3, 0): [6, 7]}
    assert {key: one.label for key, one in found.examples.items()} == {
        (1, 0): 1, (2, 0): 0, (3, 0): 0,
    }  # fmt: skip
    assert found.shortened == {(3, 0)}
    assert found.left_out == {
        (4, 0): "its time lies behind the end of the features, 8 rows",
        (5, 0): "its recording has no features",
        (6, 0): "it is too short for a row",
    }


def test_every_row_is_used_once_in_an_epoch():
    found = examples(10, (3,), 0)
    batches = list(row_batches(found, 16, np.random.default_rng(0)))

    rows = np.concatenate([batch.features[0] for batch in batches])
    whole = np.concatenate([one.features()[0] for one in found])
    assert [len(batch.labels) for batch in batches] == [16, 16, 16, 12]
    assert sorted(map(tuple, rows)) == sorted(map(tuple, whole))
    assert sum(batch.labels.sum() for batch in batches) == 6 * sum(one.label for one in found)


def test_diverging_training_is_reported(monkeypatch):
    train, val = (examples(12, WIDTHS[V1], seed) for seed in range(2))
    course = Course(small(V1, PAPER), train, val, seed=0)
    course.step()
    monkeypatch.setattr(course._model, "fit", lambda *given: float("nan"))

    with pytest.raises(UntrainableError, match="loss of epoch 2 is not a number; lower"):
        course.step()


def test_missing_library_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    assert KINDS[V1].what_is_missing() == ""
    assert KINDS[V2].what_is_missing() == "V2 needs torch: install PIE-V with its extra [torch]"
