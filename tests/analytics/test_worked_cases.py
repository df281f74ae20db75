import json

import pytest

from annotation.analytics.cases import worked_cases
from annotation.analytics.cases.agreement_cases import FAMILY
from annotation.analytics.cases.worked_cases import Family, Mismatch, mismatches

SHARED_CASES = "agreement/EXPECTED.json"


def doubled(case):
    return {"half": case["x"] / 2, "list": [case["x"], None], "name": "x", "by": {"a": 1.0}}


FAMILY_OF_ONE = Family(kinds={"double": doubled}, bands={"double": lambda case, n: {"low": n}})


def case(expected, **others):
    return {"id": "z1", "kind": "double", "input": {"x": 3}, "expected": expected, **others}


def test_figures_within_the_tolerance_are_right():
    expected = {"half": 1.5 + 9e-10, "list": [3, None], "name": "x", "by": {"a": 1}}

    assert mismatches(FAMILY_OF_ONE, case(expected)) == []


@pytest.mark.parametrize(
    ("expected", "mismatch"),
    [
        ({"half": 1.5 + 2e-9}, Mismatch("z1", "half", 1.5, 1.5 + 2e-9)),
        ({"half": None}, Mismatch("z1", "half", 1.5, None)),
        ({"list": [3, 0]}, Mismatch("z1", "list[1]", None, 0)),
        ({"list": [3]}, Mismatch("z1", "list", [3, None], [3])),
        ({"name": "y"}, Mismatch("z1", "name", "x", "y")),
        ({"by": {"a": 1, "b": 2}}, Mismatch("z1", "by.b", "no such figure", 2)),
        ({"third": 1}, Mismatch("z1", "third", "no such figure", 1)),
    ],
)
def test_figure_that_differs_is_named_with_both_values(expected, mismatch):
    assert mismatches(FAMILY_OF_ONE, case(expected)) == [mismatch]


def test_case_may_have_a_tolerance_of_its_own():
    assert mismatches(FAMILY_OF_ONE, case({"half": 1.6}, tolerance=0.2)) == []


def test_drawn_figures_have_to_lie_in_their_band():
    bands = {"100": {"low_between": [90, 110]}, "1000": {"low_between": [0, 1]}}

    found = mismatches(FAMILY_OF_ONE, case({}, monte_carlo=bands))

    assert found == [Mismatch("z1", "1000 draws, low_between", 1000, "between 0 and 1")]


def test_name_of_a_family_is_given_once():
    worked_cases.register("agreement", "annotation.analytics.cases.agreement_cases")

    with pytest.raises(ValueError, match="a family 'agreement' of worked cases already"):
        worked_cases.register("agreement", "another.module")


def test_all_shared_cases_come_out(shared_data):
    path = shared_data / SHARED_CASES
    if not path.exists():
        pytest.skip(f"no {SHARED_CASES} in the shared data")
    cases = json.loads(path.read_text())["cases"]

    assert [found for case in cases for found in mismatches(FAMILY, case)] == []
    assert len(cases) >= 42
