import doctest

import pytest

from annotation.analytics import agreement, intervals, procedure_logic
from annotation.engine import csv_cells, rating_columns, rubric


@pytest.mark.parametrize(
    "module",
    [agreement, procedure_logic, intervals, csv_cells, rating_columns, rubric],
)
def test_worked_examples_of_a_module_hold(module):
    result = doctest.testmod(module)

    assert result.failed == 0
    assert result.attempted > 0
