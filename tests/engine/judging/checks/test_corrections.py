"""Every planned correction is made once, where the mistake is noticed, and speaks of it."""

import pytest

from tests.engine.judging.takes import Rows, case, correction, error, found, identity

C = Rows(["Get a cup", "Wash the cup", "Dry the cup"])
PUT_RIGHT = ((error("E01", 1, "WE"),), (correction("C1", "E01", 1, redo=1),))
FIRST_PUT_RIGHT = ((error("E01", 0, "WE"),), (correction("C1", "E01", 0, redo=0),))
SWAP_PUT_RIGHT = ((error("E01", 0, "T", target_index=2),), (correction("C1", "E01", 1),))

# Code, original, what is planned, rows, and what is found.
CASES = [
    ("CORRECTION_MISSING", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), *C.u(2)], [(None, "E01", None)]),
    ("CORRECTION_MISSING", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Stop and wash the cup"), *C.u(2)], []),
    ("CORRECTION_REPEATED", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Stop and wash the cup"),
      C.c("Wash the cup"), *C.u(2)],
     [(3, None, None)]),
    ("CORRECTION_REPEATED", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Stop and wash the cup"), *C.u(2)], []),
    ("CORRECTION_MISPLACED", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), *C.u(2), C.c("Stop and wash the cup")],
     [(3, "E01", None)]),
    ("CORRECTION_MISPLACED", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Stop and wash the cup"), *C.u(2)], []),
    # Correction before its mistake is misplaced.
    ("CORRECTION_MISPLACED", C, PUT_RIGHT,
     [*C.u(0), C.c("Stop and wash the cup"), C.we(1, "Wash the plate"), *C.u(2)],
     [(1, "E01", None)]),
    # Noticing at the first step is no missing number.
    ("CORRECTION_MISPLACED", C, FIRST_PUT_RIGHT,
     [C.we(0, "Get a plate"), C.c("Get the cup"), *C.u(1, 2)], []),
    # Swap may be noticed between its halves.
    ("CORRECTION_MISPLACED", C, SWAP_PUT_RIGHT,
     [C.mt(2), *C.u(1), C.c("Stop and get the cup"), C.ms(0)], []),
    ("CORRECTION_UNRELATED", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Slice the onion thinly"), *C.u(2)],
     [(2, "E01", None)]),
    ("CORRECTION_UNRELATED", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Rinse the soapy plate"), *C.u(2)], []),
    # Pronoun may stand for the thing.
    ("CORRECTION_UNRELATED", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Put it down and start over"), *C.u(2)], []),
    ("CORRECTION_FILLER", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Continue with drying the cup"),
      C.c("Oh no"), *C.u(2)],
     [(2, None, None), (3, None, None)]),
    ("CORRECTION_FILLER", C, PUT_RIGHT,
     [*C.u(0), C.we(1, "Wash the plate"), C.c("Put the plate down and wash the cup"), *C.u(2)], []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "take", "planned", "rows", "expected"), CASES)
def test_check_finds_its_faults_and_nothing_else(code, take, planned, rows, expected):
    assert found(code, case(take.texts, rows, *planned)) == expected
    assert found(code, identity(take.texts)) == []
