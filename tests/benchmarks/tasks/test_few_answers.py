"""Few perfect answers: what they reach over all items, and with missing ones counted as wrong."""

import math

import numpy as np
import pytest

from annotation.analytics.tables.table import Best
from benchmarks.engine.frame_values import frames_of_intervals, pack_frames
from benchmarks.engine.measures.guidance import DIMENSIONS
from benchmarks.engine.registry import tasks
from benchmarks.engine.scoring import tally_with_missing, values_of
from benchmarks.engine.task import MISSING, Answered, AnswerShape, AnswerStatus
from benchmarks.engine.tasks.step_alignment import _truth
from tests.benchmarks.tasks.material import defaults, figures, sample_material

OF_DATASETS = [task for task in tasks().values() if task.source == "dataset"]
every_task = pytest.mark.parametrize("task", OF_DATASETS, ids=lambda task: task.name)
# Figures about answers, not about whether they are right.
NOT_OF_RIGHT = {"graded_share", "unclear"}


def perfect(task, item):
    """The right answer, with a judge's best grade where there are judges."""
    truth = item.truth
    if task.shape is AnswerShape.INTERVALS:
        value = {"intervals": [{"score": 1.0, **one} for one in truth["intervals"]]}
    elif task.shape is AnswerShape.TEXT:
        value = {"text": truth["text"]}
    elif task.shape is AnswerShape.STREAM:
        value = {"answer": truth["answer"], "text": ""}
    elif task.shape is AnswerShape.SPEECH:
        value = {"said": truth["said"]}
    elif task.shape is AnswerShape.FRAMES:
        value = pack_frames(perfect_frames(task, item), item.payload["fps"])
    else:
        answer = next(choice for choice in item.choices if task.is_right(item, {"answer": choice}))
        value = {"answer": answer, "score": 1.0 if answer in {"yes", "mistake"} else 0.0}
    grades = {"score": 5, "reason": "", **dict.fromkeys(DIMENSIONS, 5)}
    count = len(task.judge_prompts(item, value)) if task.shape is AnswerShape.SPEECH else 1
    judged = {"judge": task.joined_judgement(item, value, [grades] * count)}
    return Answered(AnswerStatus.READ, value, judged if task.is_judged else {})


def perfect_frames(task, item):
    if task.name == "step_alignment":
        return _truth(item) + 1
    steps = [step for step, _ in item.payload.get("steps", ())]
    intervals, payload = item.truth["intervals"], item.payload
    numbers = [1 + steps.index(one["label"]) if steps else 1 for one in intervals]
    return frames_of_intervals(intervals, numbers, payload["frame_count"], payload["fps"])


def few_of(task, items):
    """The places of some 6% of the items, those of which most can be said first."""
    count = max(2, round(0.06 * len(items)))
    order = sorted(range(len(items)), key=lambda place: -len(str(items[place].truth)))
    # Both kinds of answers, where there are such: areas need them.
    return {*order[: count // 2], *order[len(order) - (count - count // 2) :]}


def is_best(measure, value):
    best = 1.0 if measure.best is Best.HIGHEST else 0.0
    return not math.isnan(value) and abs(value - best) < 1e-9


@every_task
def test_every_figure_that_few_perfect_answers_reach_has_a_form_over_all_items(task):
    items = list(task.items(sample_material(), defaults(task), 0))
    few = few_of(task, items)
    answers = [perfect(task, item) if n in few else MISSING for n, item in enumerate(items)]

    reached = figures(task, items, answers)
    measures = {measure.key: measure for measure in task.measures}

    assert set(reached) <= set(measures)
    best = [
        key for key, value in reached.items()
        if measures[key].best and is_best(measures[key], value) and key not in NOT_OF_RIGHT
    ]  # fmt: skip
    assert len(best) >= 1
    for key in best:
        assert not key.endswith("_of_all"), (key, reached[key])
        # Overlaps and the released rule share the form of their mean.
        head = key.removesuffix("_code")
        twins = {f"{key}_of_all", f"{head}_of_all", f"{head.rpartition('_')[0]}_of_all"}
        assert twins & set(measures), key
        for twin in twins & set(reached):
            far = abs(reached[twin] - (1.0 if measures[twin].best is Best.HIGHEST else 0.0))
            assert math.isnan(far) or far > 0.3, (twin, reached[twin])


@every_task
def test_missing_answers_that_count_as_wrong_leave_no_figure_at_its_best(task):
    items = list(task.items(sample_material(), defaults(task), 0))
    few = few_of(task, items)
    answers = [perfect(task, item) if n in few else MISSING for n, item in enumerate(items)]

    reached = values_of(tally_with_missing(task, items, answers))
    measures = {measure.key: measure for measure in task.measures if measure.best}

    assert [
        key for key, value in reached.items()
        if key in measures and key not in NOT_OF_RIGHT and is_best(measures[key], value)
    ] == []  # fmt: skip


@every_task
def test_all_perfect_answers_are_as_good_over_all_items(task):
    items = list(task.items(sample_material(), defaults(task), 0))

    reached = figures(task, items, [perfect(task, item) for item in items])

    for key, value in reached.items():
        if key.endswith("_of_all"):
            alike = reached.get(key.removesuffix("_of_all"), value)
            assert alike == pytest.approx(value, nan_ok=True), key
    assert np.isfinite([*reached.values()]).any()
