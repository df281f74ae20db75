"""Steps are said otherwise where the thing is another, elsewhere or not ready."""

import pytest

from tests.engine.judging.takes import Rows, error, repaired_by

K = Rows(["Get cucumber from the fridge", "Wash cucumber with water", "Wipe the table"])
M = Rows(["Get a tomato", "Chop the tomato", "Add the chopped tomato to the bowl"])
N = Rows(["Get a knife", "Cut the tomato with the knife", "Wash the tomato"])
D = Rows(["Open the drawer", "Get a spoon from the drawer", "Wipe the table"])
P = Rows(["Stir the noodles in the pan", "Wipe the table"])
S = Rows(["Get a spoon", "Wipe the table"])
T = Rows(["Cut the foil", "Pick up a pair of tweezers", "Wipe the table"])

# Repair, original, what is planned, the rows, and the rows that it leaves.
CASES = [
    # Replaced thing is replaced later.
    ("carry_cascades", K, ([error("E01", 0, "S")],),
     [K.e(0, "Get zucchini from the fridge"), *K.u(1, 2)],
     [K.e(0, "Get zucchini from the fridge"), K.a(1, "Wash zucchini with water"), *K.u(2)]),
    # Participle is left out.
    ("drop_preparation", M, ([error("E01", 1, "S")],),
     [*M.u(0), M.e(1, "Hum a tune"), *M.u(2)],
     [*M.u(0), M.e(1, "Hum a tune"), M.a(2, "Add the tomato to the bowl")]),
    # Thing that nobody got is got.
    ("get_before_use", N, ([error("E01", 0, "D")],),
     [N.d(0), *N.u(1, 2)],
     [N.d(0), N.a(1, "Get the knife and cut the tomato with the knife"), *N.u(2)]),
    # Closed thing is opened.
    ("make_possible", D, ([error("E01", 1, "I")],),
     [*D.u(0), D.i("Close the drawer"), *D.u(1, 2)],
     [*D.u(0), D.i("Close the drawer"),
      D.a(1, "Open the drawer and get a spoon from the drawer"), *D.u(2)]),
    # Place at which the thing was put is named.
    ("name_where_it_is", P, ([error("E01", 0, "I")],),
     [P.i("Put the noodles into the bowl"), *P.u(0, 1)],
     [P.i("Put the noodles into the bowl"), P.a(0, "Stir the noodles in the bowl"), *P.u(1)]),
    # Second thing is another.
    ("say_another", S, ([error("E01", 1, "I")],),
     [*S.u(0), S.i("Get a spoon"), *S.u(1)],
     [*S.u(0), S.i("Get another spoon"), *S.u(1)]),
    # Measure gets its thing, and a pronoun the name of what it stands for.
    ("name_what_is_meant", T, ([error("E01", 2, "S")],),
     [*T.u(0, 1), T.e(2, "Bend the wire with the pair")],
     [*T.u(0, 1), T.e(2, "Bend the wire with the pair of tweezers")]),
    ("name_what_is_meant", T, ([error("E01", 0, "S")],),
     [T.e(0, "Tear it by hand"), *T.u(1, 2)],
     [T.e(0, "Tear the foil by hand"), *T.u(1, 2)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "take", "planned", "rows", "expected"), CASES)
def test_repair_mends_its_findings(name, take, planned, rows, expected):
    assert repaired_by(name, take.texts, rows, *planned) == expected
