"""What follows from a mistake comes after it, and is carried through."""

import pytest

from tests.engine.judging.takes import Rows, case, error, found, identity

K = Rows(
    ["Get cucumber from the refrigerator", "Wash cucumber with water", "Chop cucumber on the board"]
)
REPLACED = ((error("E01", 1, "S"),),)
REPLACED_FIRST = ((error("E01", 0, "S"),),)

# Code, original, what is planned, rows, and what is found.
CASES = [
    ("CASCADE_BEFORE_CAUSE", K, REPLACED,
     [*K.u(0), K.a(1, "Wash zucchini"), K.e(2, "Chop zucchini on the board")], [(1, "E01", None)]),
    ("CASCADE_BEFORE_CAUSE", K, REPLACED,
     [*K.u(0), K.e(1, "Wash zucchini"), K.a(2, "Chop zucchini on the board")], []),
    ("CASCADE_WITHOUT_CHANGE", K, REPLACED_FIRST,
     [K.e(0, "Get zucchini from the refrigerator"), K.a(1, "Wash cucumber with water"), *K.u(2)],
     [(1, "E01", None)]),
    ("CASCADE_WITHOUT_CHANGE", K, REPLACED_FIRST,
     [K.e(0, "Get zucchini from the refrigerator"), K.a(1, "Wash zucchini with water"), *K.u(2)],
     []),
    ("CASCADE_MISSING", K, REPLACED_FIRST,
     [K.e(0, "Get zucchini from the refrigerator"), K.a(1, "Wash zucchini with water"), *K.u(2)],
     [(2, "E01", "cucumber")]),
    ("CASCADE_MISSING", K, REPLACED_FIRST,
     [K.e(0, "Get zucchini from the refrigerator"), K.a(1, "Wash zucchini with water"),
      K.a(2, "Chop zucchini on the board")],
     []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "take", "planned", "rows", "expected"), CASES)
def test_check_finds_its_faults_and_nothing_else(code, take, planned, rows, expected):
    assert found(code, case(take.texts, rows, *planned)) == expected
    assert found(code, identity(take.texts)) == []
