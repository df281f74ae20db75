"""What holds for every task of data sets, on the sample corpus."""

import inspect
import json
import math
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from benchmarks.engine.published.rows import published_rows
from benchmarks.engine.registry import tasks
from benchmarks.engine.scoring import differences, score
from benchmarks.engine.task import MISSING, AnswerShape
from tests.benchmarks.tasks.material import TEA, defaults, figures, read, sample_material
from tests.intervals import assert_possible

OF_DATASETS = [task for task in tasks().values() if task.source == "dataset"]
every_task = pytest.mark.parametrize("task", OF_DATASETS, ids=lambda task: task.name)


def items_for(task, material=None):
    return list(task.items(material or sample_material(), defaults(task), 0))


def hidden(item):
    return replace(item, truth={}, groups={})


@every_task
def test_items_are_the_same_again_and_have_keys_of_their_own(task):
    items = items_for(task)

    assert items == items_for(task)
    assert len({item.key for item in items}) == len(items) > 10
    assert json.loads(json.dumps([item.payload for item in items])) == [
        item.payload for item in items
    ]


@every_task
def test_items_know_what_leakage_and_breakdowns_ask(task):
    for item in items_for(task):
        assert item.take
        assert item.procedure
        assert {"data set", "scenario", "generator"} <= set(item.groups)


@every_task
def test_prompt_needs_no_truth_and_holds_nothing_that_happens_later(task):
    for item in items_for(task, TEA):
        prompt = task.prompt(hidden(item), ())

        assert prompt == task.prompt(item, ())
        if item.moment_s is not None and item.moment_s < 10 and "done" not in item.payload:
            assert "Pour water on the rest" not in prompt.text


@every_task
def test_schema_is_strict_and_what_it_allows_can_be_read(task):
    item = items_for(task)[0]
    schema = task.prompt(item, ()).schema
    examples = {
        "step_mistakes": {"answer": "yes", "score": 0.5},
        "error_recognition": {"answer": "yes", "score": 0.5},
        "mistake_classes": {"answer": "mistake"},
        "error_types": {"reasoning": "Too much was poured.", "answer": "Wrong action"},
        "speak_or_stay_silent": {"decision": "speak", "text": "Stop."},
        "zero_shot_errors": {"answer": "no", "reason": "Nothing was poured."},
        "describe_mistake": {"description": "The pot was not warmed."},
    }
    example = examples.get(task.name)
    if task.shape is AnswerShape.INTERVALS:
        one = {"start_s": 1, "end_s": 2, "label": item.choices[0], "score": 1}
        example = {"intervals": [one]}
    if task.shape is AnswerShape.FRAMES:
        example = {"intervals": [{"start_s": 1, "end_s": 2, "number": 1}]}
    if example is None:
        pytest.skip("a task that a recipe test added")

    jsonschema.validate(example, schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert task.read(item, json.dumps(example)).value is not None
    assert task.check(item, task.read(item, json.dumps(example)).value) == ""


@every_task
def test_every_figure_of_a_baseline_is_a_number_of_a_measure(task):
    items = items_for(task)
    baselines = task.baselines(items, np.random.default_rng(1))

    assert len({baseline.name for baseline in baselines}) == len(baselines) >= 2
    for baseline in baselines:
        found = figures(task, items, read(*baseline.values))
        assert set(found) <= {measure.key for measure in task.measures}
        assert [key for key, value in found.items() if not math.isnan(value)]
        for item, value in zip(items, baseline.values, strict=True):
            assert value is None or task.check(item, value) == ""


@every_task
def test_intervals_of_baselines_and_of_their_differences_can_be(task):
    items = items_for(task)
    baselines = task.baselines(items, np.random.default_rng(1))
    tallies = [task.tally(items, read(*baseline.values)) for baseline in baselines]
    ends = {measure.key: (measure.least, measure.most) for measure in task.measures}

    for tally in tallies:
        # Often enough for percentiles, and as few as there are.
        often = replace(
            tally,
            recordings=tuple(f"{name} {n}" for n in range(9) for name in tally.recordings),
            sums=np.tile(tally.sums, (9, 1)),
        )
        for one in (tally, often):
            for key, scored in score(one, task.measures, resamples=100).items():
                if scored.value is not None:
                    assert_possible(scored.value, scored.interval, *ends.get(key, ()))
    for scored in differences(tallies[0], tallies[-1], task.measures, resamples=100).values():
        if scored.value is not None:
            assert_possible(scored.value, scored.interval)


@every_task
def test_chance_is_the_same_for_the_same_seed(task):
    items = items_for(task)

    assert task.baselines(items, np.random.default_rng(3)) == task.baselines(
        items, np.random.default_rng(3)
    )


@every_task
def test_published_rows_name_their_source_and_a_warning(task):
    keys = {measure.key for measure in task.measures}
    rows = [*task.published(defaults(task))]
    file = inspect.getfile(type(task))
    if Path(file).with_name("published.csv").exists():
        rows += published_rows(file, "theirs")
    for row in rows:
        assert row.source
        assert row.warning
        assert set(row.figures) <= keys
        most = {measure.key: measure.most for measure in task.measures}
        assert all(0 <= value <= most[key] for key, value in row.figures.items())


@every_task
def test_repeats_of_an_item_do_not_change_figures_of_equal_answers(task):
    items = items_for(task)
    # The last one; equal scores of intervals count in the order in which they are given.
    values = task.baselines(items, np.random.default_rng(1))[-1].values

    once = figures(task, items, read(*values))

    assert figures(task, items * 2, read(*values) * 2) == pytest.approx(once, nan_ok=True)


@every_task
def test_missing_answers_change_only_the_figures_of_all(task):
    items = items_for(task)
    values = task.baselines(items, np.random.default_rng(1))[-1].values
    answers = [
        answer if place % 3 else MISSING for place, answer in enumerate(read(*values), start=1)
    ]
    answered = [pair for pair in zip(items, answers, strict=True) if pair[1] is not MISSING]

    whole, part = figures(task, items, answers), figures(task, *zip(*answered, strict=True))

    alike = [key for key in part if not key.endswith("of_all")]
    assert {key: whole[key] for key in alike} == pytest.approx(
        {key: part[key] for key in alike}, nan_ok=True
    )
    nothing = figures(task, items, [MISSING] * len(items))
    assert all(math.isnan(nothing[key]) for key in alike if key in nothing)


@every_task
def test_data_without_recordings_with_mistakes_is_refused_in_words(task):
    with pytest.raises(ValueError, match="Empty has no recording"):
        items_for(task, replace(TEA, name="Empty", recordings=()))
