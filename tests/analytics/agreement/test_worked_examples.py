import doctest

import pytest

from annotation.analytics.agreement import agreement, intervals, procedure_logic
from annotation.engine import csv_cells
from annotation.engine.rubric import rubric


@pytest.mark.parametrize(
    "module",
    [agreement, procedure_logic, intervals, csv_cells, rubric],
)
def test_worked_examples_of_a_module_hold(module):
    result = doctest.testmod(module)

    assert result.failed == 0
    assert result.attempted > 0
