"""A written step does not echo what was done, nor do less of it."""

import pytest

from tests.engine.judging.takes import Rows, case, error, found, identity

C = Rows(["Get a cup", "Wash the cup", "Dry the cup"])
T = Rows(["Stir the tea", "Stir the tea", "Drink the tea"])
N = Rows(["Tighten the nut fully", "Check the nut", "Spin the wheel"])
A = Rows(["Get the cup", "Put away the cup", "Wipe the table"])
NOTHING = ()
ADDED = ((error("E01", 1, "I"),),)
REPLACED = ((error("E01", 1, "S"),),)
REPLACED_FIRST = ((error("E01", 0, "S"),),)

# Code, original, what is planned, rows, and what is found.
CASES = [
    ("NEIGHBOUR_DUPLICATE", C, ADDED,
     [*C.u(0), C.i("Wash the cup."), *C.u(1, 2)], [(1, "E01", None)]),
    ("NEIGHBOUR_DUPLICATE", C, ADDED, [*C.u(0), C.i("Spill the water"), *C.u(1, 2)], []),
    # Repetition of the original is its own.
    ("NEIGHBOUR_DUPLICATE", T, NOTHING, [*T.u(0), T.a(1, "Stir the tea"), *T.u(2)], []),
    ("DEGREE_REVERSED", N, REPLACED,
     [*N.u(0), N.e(1, "Tighten the nut partially"), *N.u(2)], [(1, "E01", None)]),
    ("DEGREE_REVERSED", N, REPLACED, [*N.u(0), N.e(1, "Tighten the bolt partially"), *N.u(2)], []),
    # Correction may undo what was too much.
    ("DEGREE_REVERSED", N, REPLACED_FIRST,
     [N.e(0, "Tighten the nut completely"), N.c("Tighten the nut partially"), *N.u(1, 2)], []),
    ("STEP_REPEATED", A, ADDED, [*A.u(0, 1, 2), A.i("Put away the cup.")], [(3, "E01", None)]),
    ("STEP_REPEATED", A, ADDED, [*A.u(0, 1, 2), A.i("Put away the cloth")], []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "take", "planned", "rows", "expected"), CASES)
def test_check_finds_its_faults_and_nothing_else(code, take, planned, rows, expected):
    assert found(code, case(take.texts, rows, *planned)) == expected
    assert found(code, identity(take.texts)) == []
