"""The table of an item set: who is compared, and what is said about each participant."""

import pytest

from annotation.analytics.tables.table import lay_out
from benchmarks.engine.frame_values import unpack_frames
from benchmarks.engine.task import AnswerShape
from benchmarks.models import Assessment
from benchmarks.selectors.assessments import answers_of
from benchmarks.selectors.item_sets import engine_item
from benchmarks.selectors.tables import BOLD_NOTE, table_of
from benchmarks.services.figures import figures_of_answers, store_figures
from tests.benchmarks.made import as_csv, as_lines, baseline_values, frozen_set, uploaded
from tests.benchmarks.tasks.material import OTHERWISE
from tests.benchmarks.tasks.test_few_answers import (
    NOT_OF_RIGHT,
    every_task,
    few_of,
    is_best,
    perfect,
)

pytestmark = pytest.mark.django_db


def test_few_answers_are_never_bold(step_set, owner):
    truths = {
        key: {"answer": truth["answer"]}
        for key, truth in step_set.test_items.values_list("key", "truth")
    }
    few = dict(list(truths.items())[:5])
    wrong = {
        key: {"answer": "no" if value["answer"] == "yes" else "yes"}
        for key, value in truths.items()
    }
    uploaded(step_set, owner, as_lines(few), "few.jsonl", name="Few", counts_missing=True)
    row = Assessment.objects.get(name="Few")
    # As a model that was asked about few.
    row.settings = {}
    row.save()
    store_figures(row, figures_of_answers(row, answers_of(row)))
    before = table_of(step_set)
    uploaded(step_set, owner, as_lines(wrong), "wrong.jsonl", name="Wrong")
    uploaded(step_set, owner, as_csv(step_set, baseline_values(step_set)), name="Other")
    after = table_of(step_set)

    rows = {str(row.label.value): row for row in after.rows()}
    assert not rows["Few"].is_compared
    assert rows["Wrong"].is_compared
    assert rows["Few"].cells["accuracy"].value == 1.0
    assert BOLD_NOTE in before.notes
    bold = {
        row.label.text: [cell.is_best for cell in row.cells]
        for group in lay_out(after).groups
        for row in group.rows
    }
    assert not any(bold["Few"])
    assert any(bold["Other"])


def test_bold_in_a_breakdown_goes_by_the_share_read_there(step_set, owner):
    """Nine tenths of the whole may be a few of one phase, and the other way round."""
    first = step_set.test_items.filter(groups__phase="first third")
    left = set(first.order_by("position")[1:].values_list("key", flat=True))
    truths = {
        key: {"answer": truth["answer"]}
        for key, truth in step_set.test_items.values_list("key", "truth")
    }
    assert 0 < len(left) < len(truths) / 2
    but_first = {key: value for key, value in truths.items() if key not in left}
    for name, answers in (("Late", but_first), ("All", truths)):
        uploaded(
            step_set, owner, as_lines(answers), f"{name}.jsonl", name=name, counts_missing=True
        )

    def compared(**group):
        table = table_of(step_set, **group)
        is_compared = {str(row.label.value): row.is_compared for row in table.rows()}
        return is_compared["Late"], is_compared["All"], BOLD_NOTE in table.notes

    assert compared() == (False, True, True)
    assert compared(group="phase", group_value="first third") == (False, True, True)
    assert compared(group="phase", group_value="last third") == (True, True, False)


@every_task
@pytest.mark.parametrize("counts_missing", [False, True])
def test_few_perfect_answers_never_lead_in_any_task(sample, owner, task, counts_missing):
    made = frozen_set(sample, owner, task.name, settings=OTHERWISE.get(task.name, {}))
    rows = list(made.test_items)
    items = [engine_item(row) for row in rows]
    few = few_of(task, items)
    truths = {
        row.key: perfect(task, item).value
        for place, (row, item) in enumerate(zip(rows, items, strict=True))
        if place in few
    }
    if task.shape is AnswerShape.FRAMES:
        truths = {key: {"values": unpack_frames(one).tolist()} for key, one in truths.items()}
    uploaded(made, owner, as_lines(truths), "few.jsonl", name="Few", counts_missing=True)
    row = Assessment.objects.get(name="Few")
    if not counts_missing:
        # As a model that was asked about few.
        row.settings = {}
        row.save()
        store_figures(row, figures_of_answers(row, answers_of(row)))

    table = table_of(made)
    shown = {str(one.label.value): one for one in table.rows()}["Few"]
    keys = [measure.key for measure in task.measures if measure.best]
    bold = [
        cell.is_best
        for group in lay_out(table).groups
        for one in group.rows
        if one.label.text == "Few"
        for cell in one.cells
    ]
    assert bold
    assert not any(bold)
    assert not shown.is_compared
    if counts_missing:
        values = {key: shown.cells[key].value for key in keys if key in shown.cells}
        measures = {measure.key: measure for measure in task.measures}
        assert [
            key for key, value in values.items()
            if value is not None and key not in NOT_OF_RIGHT and is_best(measures[key], value)
        ] == []  # fmt: skip
