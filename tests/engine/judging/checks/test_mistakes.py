"""Every planned mistake is made once, where and as it is planned."""

from dataclasses import replace

import pytest

from generation.engine.judging.case import Case
from tests.engine.judging.takes import Rows, case, error, found, identity

C = Rows(["Get a cup", "Wash the cup", "Dry the cup"])
M = Rows(["Get the milk", "Pour milk into the cup with a spoon", "Stir the milk"])
V = Rows(["Screw the valve cap on"])
L = Rows(["Get the milk", "Pour milk into the cup", "Stir the milk with a spoon"])
LEFT_OUT = ((error("E01", 1, "D"),),)
SWAPPED = ((error("E01", 1, "T"),),)
ADDED = ((error("E01", 1, "I"),),)
LEFT_OUT_OR_LATER = ((error("E01", 1, "D", alternate_indices=(2,)),),)
WRONG = ((error("E01", 1, "WE"),),)
REPLACED = ((error("E01", 1, "S"),),)
PLACE = (error("E01", 0, "WE", mutated_roles=("Destination",), mutation_scopes={}),)
WRONG_PLACE = (PLACE,)
TWO = ((error("E01", 0, "S"), error("E02", 1, "WE")),)

# Code, original, what is planned, rows, and what is found.
CASES = [
    ("EVENT_MISSING", C, LEFT_OUT, [*C.u(0, 1, 2)], [(None, "E01", None)]),
    ("EVENT_MISSING", C, LEFT_OUT, [*C.u(0), C.d(1), *C.u(2)], []),
    # Half a swap is missing.
    ("EVENT_MISSING", C, SWAPPED, [*C.u(0, 1), C.mt(2)], [(None, "E01", None)]),
    ("EVENT_MISSING", C, SWAPPED, [*C.u(0), C.mt(2), C.ms(1)], []),
    ("EVENT_REPEATED", C, ADDED,
     [*C.u(0), C.i("Spill water"), C.i("Spill milk"), C.we(1, "Wash a jug"), *C.u(2)],
     [(2, "E01", None), (3, "E01", None)]),
    ("EVENT_REPEATED", C, ADDED,
     [*C.u(0), C.i("Spill water"), C.a(1, "Wash the wet cup"), *C.u(2)], []),
    ("EVENT_MISPLACED", C, ADDED, [*C.u(0, 1), C.i("Spill water"), *C.u(2)], [(2, "E01", None)]),
    ("EVENT_MISPLACED", C, ADDED, [*C.u(0), C.i("Spill water"), *C.u(1, 2)], []),
    # Deletion may fall on an alternate.
    ("EVENT_MISPLACED", C, LEFT_OUT_OR_LATER, [*C.u(0, 1), C.d(2)], []),
    ("EVENT_MISPLACED", C, LEFT_OUT_OR_LATER, [C.d(0), *C.u(1, 2)], [(0, "E01", None)]),
    # Wrong execution of another step is misplaced.
    ("EVENT_MISPLACED", C, WRONG, [*C.u(0, 1), C.we(2, "Dry the jug")], [(2, "E01", None)]),
    ("TRANSPOSITION_ORDER", C, SWAPPED, [*C.u(0), C.ms(1), C.mt(2)], [(1, "E01", None)]),
    ("TRANSPOSITION_ORDER", C, SWAPPED, [*C.u(0), C.mt(2), C.ms(1)], []),
    # Other pair than planned is found.
    ("TRANSPOSITION_ORDER", C, SWAPPED, [C.mt(1), C.ms(0), *C.u(2)], [(0, "E01", None)]),
    ("DELETION_HEALED", C, LEFT_OUT, [*C.u(0), C.d(1), C.a(2, "Wash the cup")], [(1, "E01", None)]),
    ("DELETION_HEALED", C, LEFT_OUT, [*C.u(0), C.d(1), *C.u(2)], []),
    # Correction may do the deleted step.
    ("DELETION_HEALED", C, LEFT_OUT, [*C.u(0), C.d(1), C.c("Wash the cup"), *C.u(2)], []),
    ("ERROR_WITHOUT_CHANGE", C, WRONG,
     [*C.u(0), C.we(1, "wash the cup."), *C.u(2)], [(1, "E01", None)]),
    ("ERROR_WITHOUT_CHANGE", C, WRONG, [*C.u(0), C.we(1, "Wash the plate"), *C.u(2)], []),
    ("PREDICATE_CHANGED", M, WRONG,
     [*M.u(0), M.we(1, "Throw the milk away"), *M.u(2)], [(1, "E01", None)]),
    ("PREDICATE_CHANGED", M, WRONG,
     [*M.u(0), M.we(1, "Pour the oil into the cup with a spoon"), *M.u(2)], []),
    # Substitution may change the action.
    ("PREDICATE_CHANGED", M, REPLACED, [*M.u(0), M.e(1, "Throw the milk away"), *M.u(2)], []),
    ("ROLE_NOT_MUTATED", M, WRONG,
     [*M.u(0), M.we(1, "Pour milk into the jug with a spoon"), *M.u(2)], [(1, "E01", "Object")]),
    ("ROLE_NOT_MUTATED", M, WRONG,
     [*M.u(0), M.we(1, "Pour oil into the cup with a spoon"), *M.u(2)], []),
    # Quality of the thing counts as a change of its role.
    ("ROLE_NOT_MUTATED", M, WRONG,
     [*M.u(0), M.we(1, "Pour spoiled milk into the cup with a spoon"), *M.u(2)], []),
    # Place that the original leaves unsaid may be said wrongly.
    ("ROLE_NOT_MUTATED", V, WRONG_PLACE, [V.we(0, "Screw the valve cap on the spoke nipple")], []),
    ("OTHER_ROLE_MUTATED", M, WRONG,
     [*M.u(0), M.we(1, "Pour oil into the cup with a ladle"), *M.u(2)], [(1, "E01", "spoon")]),
    ("OTHER_ROLE_MUTATED", M, WRONG,
     [*M.u(0), M.we(1, "Pour oil into the cup with a spoon"), *M.u(2)], []),
    # Thing that another mistake replaced is not missed.
    ("OTHER_ROLE_MUTATED", L, TWO,
     [L.e(0, "Get the oil"), L.we(1, "Pour oil into the cracked cup", event_id="E02"), *L.u(2)],
     []),
    ("SUBSTITUTION_TOO_CLOSE", C, REPLACED,
     [*C.u(0), C.e(1, "Wash the cup again"), *C.u(2)], [(1, "E01", None)]),
    ("SUBSTITUTION_TOO_CLOSE", C, REPLACED,
     [*C.u(0), C.e(1, "Wash the cup and the plate"), *C.u(2)], []),
    ("SUBSTITUTION_COPIES_STEP", C, REPLACED,
     [*C.u(0), C.e(1, "dry the cup."), *C.u(2)], [(1, "E01", None)]),
    ("SUBSTITUTION_COPIES_STEP", C, REPLACED, [*C.u(0), C.e(1, "Fill the cup"), *C.u(2)], []),
]  # fmt: skip


@pytest.mark.parametrize(("code", "take", "planned", "rows", "expected"), CASES)
def test_check_finds_its_faults_and_nothing_else(code, take, planned, rows, expected):
    assert found(code, case(take.texts, rows, *planned)) == expected
    assert found(code, identity(take.texts)) == []


STEPS = Rows(["Get a cup", "Wash the cup", "Dry the cup", "Get a spoon", "Put away the cup"])


def claimed(rows, errors):
    planned = case(STEPS.texts, rows, errors)
    return Case(replace(planned.take, is_claimed=True), planned.rewrite)


def mistakes(*event_ids):
    errors = [error(name, index, "WE") for index, name in enumerate(event_ids)]
    rows = [
        STEPS.we(index, f"{STEPS.texts[index]} badly", name) for index, name in enumerate(event_ids)
    ]
    return [*rows, *STEPS.u(*range(len(event_ids), len(STEPS.texts)))], errors


@pytest.mark.parametrize("event_ids", [(), ("E01", "E02", "E03", "E04")])
def test_too_few_or_too_many_claims_are_found(event_ids):
    assert found("CLAIM_COUNT", claimed(*mistakes(*event_ids))) == [(None, None, None)]


@pytest.mark.parametrize("event_ids", [("E01",), ("E01", "E02", "E03"), ("E01", "E01.2", "E02")])
def test_one_to_three_mistakes_may_be_claimed(event_ids):
    assert found("CLAIM_COUNT", claimed(*mistakes(*event_ids))) == []


def test_third_correction_is_found():
    rows, errors = mistakes("E01")
    rows += [STEPS.c("Wash the cup again", name) for name in ("C01", "C02", "C03")]

    assert found("CLAIM_COUNT", claimed(rows, errors)) == [(None, None, None)]


def test_plan_is_not_counted():
    assert found("CLAIM_COUNT", case(STEPS.texts, *mistakes("E01", "E02", "E03", "E04"))) == []
    assert found("CLAIM_COUNT", case(STEPS.texts, *mistakes())) == []
