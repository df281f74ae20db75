"""The table of an item set: who is compared, and what is said about each participant."""

import pytest

from annotation.analytics.tables.table import lay_out
from benchmarks.models import Assessment
from benchmarks.selectors.assessments import answers_of
from benchmarks.selectors.tables import BOLD_NOTE, table_of
from benchmarks.services.figures import figures_of_answers, store_figures
from tests.benchmarks.made import as_csv, as_lines, baseline_values, uploaded

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
