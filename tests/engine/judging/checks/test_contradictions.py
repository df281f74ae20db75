"""The checks that follow the state of things: each finds its fault and is silent beside it."""

import pytest

from generation.engine.judging.checks.contradictions import CHECKS
from tests.engine.judging.takes import Rows, case, error, found, identity

DRAWER = ["Open the drawer", "Get a spoon from the drawer", "Close the drawer"]
STOVE = ["Turn on the stove", "Fry the eggs in the pan", "Turn off the stove"]
NOODLES = ["Put the noodles into the pan", "Stir the noodles in the pan", "Wipe the table"]
SINK = ["Wipe the table", "Get the spoon from the sink", "Stir the tea with the spoon"]
MILK = ["Get the spoon", "Stir the milk with the spoon", "Put away the spoon", "Drink the milk"]
PLATE = ["Get the test plate", "Read the test plate", "Dispose of the swab"]
D, S, N, K, M, P = (Rows(texts) for texts in (DRAWER, STOVE, NOODLES, SINK, MILK, PLATE))
IN_BOWL = "Put the noodles into the bowl"

# Code, original, rows with the fault, what is found, and rows that are like them without it.
CASES = [
    ("ALREADY_OPEN", DRAWER,
     [*D.u(0), D.i("Open the drawer"), *D.u(1, 2)], (1, "E01", "drawer"),
     [*D.u(0, 1, 2), D.i("Open the drawer")]),
    ("ALREADY_CLOSED", DRAWER,
     [*D.u(0, 1, 2), D.i("Close the drawer")], (3, "E01", "drawer"),
     [*D.u(0), D.i("Close the drawer"), D.a(1, "Open the drawer"), *D.u(2)]),
    ("ALREADY_ON", STOVE,
     [*S.u(0), S.i("Turn on the stove"), *S.u(1, 2)], (1, "E01", "stove"),
     [*S.u(0, 1, 2), S.i("Turn on the stove")]),
    ("ALREADY_OFF", STOVE,
     [*S.u(0, 1, 2), S.i("Turn off the stove")], (3, "E01", "stove"),
     [*S.u(0, 1, 2), S.c("Turn off the tap")]),
    ("USE_WHILE_CLOSED", DRAWER,
     [*D.u(0), D.i("Close the drawer"), *D.u(1, 2)], (2, None, "drawer"),
     [*D.u(0), D.i("Close the window"), *D.u(1, 2)]),
    ("HEAT_WHILE_OFF", STOVE,
     [*S.u(0), S.i("Turn off the stove"), *S.u(1, 2)], (2, None, "stove"),
     [*S.u(0), S.i("Turn off the tap"), *S.u(1, 2)]),
    ("BACK_TO_SAME_PLACE", NOODLES,
     [*N.u(0, 1), N.i("Put the noodles back into the pan"), *N.u(2)], (2, "E01", "noodles"),
     [*N.u(0, 1), N.i("Put the noodles back into the bowl"), *N.u(2)]),
    ("LOCATION_MISMATCH", NOODLES,
     [N.e(0, IN_BOWL), *N.u(1, 2)], (1, None, "noodles"),
     [N.e(0, IN_BOWL), N.a(1, "Stir the noodles in the bowl"), *N.u(2)]),
    ("LOCATION_MISMATCH_ON_GET", SINK,
     [*K.u(0), K.i("Put the spoon into the drawer"), *K.u(1, 2)], (2, None, "spoon"),
     [*K.u(0), K.i("Put the spoon into the sink"), *K.u(1, 2)]),
    ("PORTABLE_NOT_HELD", MILK,
     [*M.u(0, 1, 2), M.i("Stir the milk with the spoon"), *M.u(3)], (3, "E01", "spoon"),
     [*M.u(0, 1, 2), M.i("Get the spoon and stir the milk with the spoon"), *M.u(3)]),
    ("DUP_GET_NO_PUT", MILK,
     [*M.u(0), M.i("Get the spoon"), *M.u(1, 2, 3)], (1, "E01", "spoon"),
     [*M.u(0), M.i("Get another spoon"), *M.u(1, 2, 3)]),
    ("USE_AFTER_DISPOSE", PLATE,
     [*P.u(0), P.i("Throw the test plate in the trash can"), P.a(1, "Dry the test plate"),
      *P.u(2)],
     (2, "E01", "test_plate"),
     [*P.u(0), P.i("Throw the wrapper in the trash can"), P.a(1, "Dry the test plate"), *P.u(2)]),
]  # fmt: skip


def test_every_code_of_the_table_has_a_case():
    assert [name for name, *_ in CASES] == [check.code for check in CHECKS]


@pytest.mark.parametrize(("code", "texts", "faulty", "expected", "sound"), CASES)
def test_contradiction_is_found_and_similar_rows_are_not(code, texts, faulty, expected, sound):
    errors = (error("E01", 1, "I"),)

    assert found(code, case(texts, faulty, errors)) == [expected]
    assert found(code, case(texts, sound, errors)) == []
    assert found(code, identity(texts)) == []


def test_opening_twice_as_in_the_original_is_no_contradiction():
    texts = ["Open the drawer", "Get a spoon", "Open the drawer", "Get a fork"]
    rows = [*Rows(texts).u(0, 1, 2), Rows(texts).i("Open the drawer"), *Rows(texts).u(3)]

    assert found("ALREADY_OPEN", case(texts, rows)) == []


def test_correction_may_get_again_what_went_wrong():
    rows = [*M.u(0), M.c("Stop and get the spoon"), *M.u(1, 2, 3)]

    assert found("DUP_GET_NO_PUT", case(MILK, rows)) == []


def test_throwing_into_the_pan_is_no_disposal():
    texts = ["Get the onion", "Throw the onion into the pan", "Stir the onion"]
    rows = [*Rows(texts).u(0), Rows(texts).a(1, "Throw the onion in the pan"), *Rows(texts).u(2)]

    assert found("USE_AFTER_DISPOSE", case(texts, rows)) == []
