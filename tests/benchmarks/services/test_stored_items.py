"""Items as scoring reads them: the same whether they are held or put together anew."""

import pytest

from benchmarks.models import Figure
from benchmarks.selectors import stored_items
from benchmarks.selectors.item_sets import engine_item
from benchmarks.selectors.stored_items import Chosen, StoredItems
from benchmarks.services import freezing
from tests.benchmarks.made import TASKS, frozen_set, made_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def nothing_held(monkeypatch):
    for name, value in {
        "MOST_HELD": 0, "MOST_SAME": 3, "PAYLOADS_AT_ONCE": 5,
        "BLOCKS_HELD": 2,
    }.items():  # fmt: skip
        monkeypatch.setattr(stored_items, name, value)


def as_dicts(items):
    return [
        (item.key, dict(item.payload), item.truth, item.choices, item.moment_s) for item in items
    ]


def check(item_set):
    rows = list(item_set.items.order_by("position"))
    expected = [engine_item(row) for row in rows]
    items = StoredItems(item_set.items.all())

    assert list(items.row_ids) == [row.pk for row in rows]
    assert as_dicts(items) == as_dicts(expected)
    assert as_dicts(items[2:7]) == as_dicts(expected[2:7])
    assert as_dicts([items[-1]]) == as_dicts(expected[-1:])
    some = Chosen(items, [4, 1, 9])
    assert as_dicts(some) == as_dicts([expected[place] for place in (4, 1, 9)])
    assert as_dicts([some[1]]) == as_dicts([expected[1]])
    assert as_dicts(some[1:]) == as_dicts([expected[1], expected[9]])
    with pytest.raises(IndexError):
        items[len(rows)]


@pytest.mark.parametrize("task", TASKS)
def test_held_items_are_those_that_are_stored(sample, owner, task):
    check(made_set(sample, owner, task))


@pytest.mark.parametrize("task", TASKS)
def test_items_that_are_not_held_are_those_that_are_stored(sample, owner, task, nothing_held):
    check(made_set(sample, owner, task))


def test_a_large_set_is_frozen_with_the_figures_of_a_small_one(sample, owner, monkeypatch, request):
    columns = ("assessment__name", "measure", "group", "group_value", "value", "low", "high")

    def figures():
        item_set = frozen_set(sample, owner, "step_mistakes")
        rows = Figure.objects.filter(assessment__item_set=item_set).order_by(*columns[:4])
        return list(rows.values_list(*columns))

    held = figures()
    request.getfixturevalue("nothing_held")
    assert figures() == held
    assert len(held) > 100


@pytest.mark.parametrize("task", TASKS)
def test_baselines_of_a_large_set_whose_answers_are_held_as_text_score_the_same(
    sample, owner, task, monkeypatch
):
    first = frozen_set(sample, owner, task)
    monkeypatch.setattr(freezing, "MOST_HELD", 0)
    monkeypatch.setattr(freezing, "DIFFERENT_VALUES", 1)
    again = frozen_set(sample, owner, task)

    columns = ("measure", "group", "group_value", "value", "low", "high", "reason", "item_count")

    def scored(item_set):
        return [
            (one.name, one.counts, list(one.figures.order_by("pk").values_list(*columns)))
            for one in item_set.assessments.order_by("pk")
        ]

    assert scored(first) == scored(again)
