"""Each step of the original has its row, in order, word for word; rows say what they are."""

from dataclasses import replace

import pytest

from tests.engine.judging.takes import Rows, case, correction, error, found, identity

C = Rows(["Get a cup", "Wash the cup", "Dry the cup"])
NOTHING = ()
SWAPPED = ((error("E01", 1, "T"),),)
WRONG = ((error("E01", 1, "WE"),),)
PUT_RIGHT = ((error("E01", 1, "I"),), (correction("C1", "E01", 0),))

# Code, original, what is planned, rows, and what is found.
CASES = [
    ("SOURCE_MISSING", C, NOTHING, C.u(0, 2), [(None, None, "1")]),
    ("SOURCE_MISSING", C, NOTHING, C.u(0, 1, 2), []),
    # Deleted step has its row.
    ("SOURCE_MISSING", C, NOTHING, [*C.u(0), C.d(1), *C.u(2)], []),
    ("SOURCE_REPEATED", C, NOTHING,
     [*C.u(0, 1), C.a(1, "Wash it again"), *C.u(2)], [(2, "E01", "1")]),
    ("SOURCE_REPEATED", C, NOTHING, C.u(0, 1, 2), []),
    ("SOURCE_MISMATCH", C, NOTHING,
     [*C.u(0, 1, 2), replace(C.i("Spill it"), old_index=1),
      replace(C.a(1, "x"), old_index=None), replace(C.a(1, "x"), old_index=3)],
     [(3, "E01", None), (4, "E01", None), (5, "E01", None)]),
    ("SOURCE_MISMATCH", C, NOTHING, [*C.u(0, 1), C.i("Spill water"), *C.u(2)], []),
    ("ORDER_CHANGED", C, SWAPPED, C.u(0, 2, 1), [(2, None, None)]),
    ("ORDER_CHANGED", C, SWAPPED, [*C.u(0), C.mt(2), C.ms(1)], []),
    ("NOT_VERBATIM", C, NOTHING,
     [*C.u(0), replace(C.mt(2), text="Dry the cups"), replace(C.u(1)[0], text="Wash a cup")],
     [(1, "E01", None), (2, None, None)]),
    ("NOT_VERBATIM", C, NOTHING, C.u(0, 1, 2), []),
    ("TEXT_MALFORMED", C, NOTHING,
     [C.e(0, "Get a coffee_cup"), C.a(1, " "), C.i("GET(Object: cup)"), *C.u(2)],
     [(0, "E01", None), (1, "E01", None), (2, "E01", None)]),
    ("TEXT_MALFORMED", C, NOTHING, [C.e(0, "Get a coffee-cup (the blue one)."), *C.u(1, 2)], []),
    # Words that do not join are found.
    ("TEXT_MALFORMED", C, NOTHING,
     [C.e(0, "Put the without a lid aside"), C.a(1, "Cut cut tomato"), *C.u(2)],
     [(0, "E01", None), (1, "E01", None)]),
    ("ERROR_TYPE_MISMATCH", C, WRONG,
     [*C.u(0), C.e(1, "Fill the cup"), replace(C.a(2, "Shake the cup"), error_type="substitution")],
     [(1, "E01", None), (2, "E01", None)]),
    ("ERROR_TYPE_MISMATCH", C, WRONG, [*C.u(0), C.we(1, "Wash the jug"), *C.u(2)], []),
    # Published leniency is kept.
    ("ERROR_TYPE_MISMATCH", C, NOTHING, [*C.u(0), replace(C.d(1), error_type=None), *C.u(2)], []),
    ("EVENT_ID_MISSING", C, NOTHING,
     [*C.u(0), C.i("Spill water", None), C.a(1, "Wash the jug", None),
      C.c("Wipe up the water", None), *C.u(2)],
     [(1, None, None), (2, None, None), (3, None, None)]),
    ("EVENT_ID_MISSING", C, NOTHING, [*C.u(0), C.i("Spill water"), *C.u(1, 2)], []),
    ("EVENT_UNPLANNED", C, PUT_RIGHT,
     [*C.u(0), C.i("Spill water", "E_UNKNOWN"), C.c("Wipe up the water", "C9"), *C.u(1, 2)],
     [(1, "E_UNKNOWN", None), (2, None, None)]),
    ("EVENT_UNPLANNED", C, PUT_RIGHT,
     [*C.u(0), C.i("Spill water"), C.c("Wipe up the water"), *C.u(1, 2)], []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "take", "planned", "rows", "expected"), CASES)
def test_check_finds_its_faults_and_nothing_else(code, take, planned, rows, expected):
    assert found(code, case(take.texts, rows, *planned)) == expected
    assert found(code, identity(take.texts)) == []
