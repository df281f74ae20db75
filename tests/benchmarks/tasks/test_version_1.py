"""Sets that were frozen with version 1 of a task: opened, asked and scored as they were.

`version_1.json` has the items of the tea recording and their prompts, as version 1 wrote them.
"""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from benchmarks.engine.registry import tasks
from benchmarks.engine.shown import parts_of
from benchmarks.engine.task import Item
from tests.benchmarks.tasks.material import figures, read

SETS = json.loads(Path(__file__).with_name("version_1.json").read_text())


@pytest.fixture(params=SETS)
def task(request):
    return tasks()[request.param]


@pytest.fixture
def items(task):
    rows = SETS[task.name]["items"]
    return [Item(**{**row, "choices": tuple(row["choices"])}) for row in rows]


def test_prompts_keep_their_words_and_their_version(task, items):
    prompts = [{**prompt, "examples": ()} for prompt in SETS[task.name]["prompts"]]
    assert [asdict(task.prompt(item, ())) for item in items] == prompts


def test_items_are_shown_answered_and_scored(task, items):
    settings = SETS[task.name]["settings"]

    baselines = task.baselines(items, np.random.default_rng(1))

    for baseline in baselines:
        found = figures(task, items, read(*baseline.values))
        assert set(found) <= {measure.key for measure in task.measures}
    assert all(parts_of(item.payload) for item in items)
    assert not task.warnings(settings)
    assert list(task.published(settings)) or task.name not in ("speak_or_stay_silent",)


def test_what_has_changed_since_is_said_for_every_version():
    for task in tasks().values():
        assert set(task.changes) == set(range(2, task.version + 1)), task.name
