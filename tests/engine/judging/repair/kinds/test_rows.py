"""Rows come back, go, move or get their marks, and the words stay."""

from dataclasses import replace

import pytest

from tests.engine.judging.takes import Rows, correction, error, repaired_by

C = Rows(["Get a cup", "Wash the cup", "Dry the cup"])
T = Rows(["Turn on the tap", "Wash the cup", "Dry the cup"])

# Repair, original, what is planned, the rows, and the rows that it leaves.
CASES = [
    # Insertion gets the id that is missing.
    ("adopt_lost_id", C, ([error("E01", 1, "I")],),
     [*C.u(0), C.i("Spill water", None), *C.u(1, 2)],
     [*C.u(0), C.i("Spill water"), *C.u(1, 2)]),
    # Correction gets the id that is missing.
    ("adopt_lost_id", C, ([error("E01", 1, "I")], [correction("C1", "E01", 1)]),
     [*C.u(0), C.i("Spill water"), *C.u(1), C.c("Wipe up the water", "C7", "E01"), *C.u(2)],
     [*C.u(0), C.i("Spill water"), *C.u(1), C.c("Wipe up the water", "C1", "E01"), *C.u(2)]),
    # Planned deletion is carried out.
    ("carry_out_plan", C, ([error("E01", 1, "D")],),
     C.u(0, 1, 2),
     [*C.u(0), C.d(1), *C.u(2)]),
    # Planned swap is carried out.
    ("carry_out_plan", C, ([error("E01", 1, "T")],),
     C.u(0, 1, 2),
     [*C.u(0), C.mt(2), C.ms(1)]),
    # Halves in the old order are swapped.
    ("carry_out_plan", C, ([error("E01", 1, "T")],),
     [*C.u(0), C.ms(1), C.mt(2)],
     [*C.u(0), C.mt(2), C.ms(1)]),
    # Type of the plan is written.
    ("correct_type", C, ([error("E01", 1, "S")],),
     [*C.u(0), C.we(1, "Fill the cup"), *C.u(2)],
     [*C.u(0), C.e(1, "Fill the cup"), *C.u(2)]),
    # Added row of nobody goes.
    ("drop_unplanned", C, ((),),
     [*C.u(0), C.i("Put the hand back", None), *C.u(1, 2)],
     C.u(0, 1, 2)),
    # Consequence of nothing is the original.
    ("drop_unplanned", C, ((),),
     [*C.u(0), C.a(1, "Wash the jug", "E_UNKNOWN"), *C.u(2)],
     C.u(0, 1, 2)),
    # Second insertion of one event goes.
    ("drop_unplanned", C, ([error("E01", 1, "I")],),
     [*C.u(0), C.i("Spill water"), C.i("Spill milk"), *C.u(1, 2)],
     [*C.u(0), C.i("Spill water"), *C.u(1, 2)]),
    # Step goes back to its place.
    ("move_row", C, ((),),
     C.u(0, 2, 1),
     C.u(0, 1, 2)),
    # Insertion goes before its step.
    ("move_row", C, ([error("E01", 1, "I")],),
     [*C.u(0, 1), C.i("Spill water"), *C.u(2)],
     [*C.u(0), C.i("Spill water"), *C.u(1, 2)]),
    # Correction follows the noticing.
    ("move_row", C, ([error("E01", 1, "S")], [correction("C1", "E01", 1)]),
     [*C.u(0), C.e(1, "Fill the cup"), *C.u(2), C.c("Empty the cup")],
     [*C.u(0), C.e(1, "Fill the cup"), C.c("Empty the cup"), *C.u(2)]),
    # Consequence that echoes its neighbour goes.
    ("restore_cascade_row", T, ([error("E01", 0, "S")],),
     [T.e(0, "Turn on the lamp"), *T.u(1), T.a(2, "Wash the cup.")],
     [T.e(0, "Turn on the lamp"), *T.u(1, 2)]),
    # Missing step comes back at its place.
    ("restore_step", C, ((),),
     C.u(0, 2),
     C.u(0, 1, 2)),
    # Missing deleted step comes back as deleted.
    ("restore_step", C, ([error("E01", 1, "D")],),
     C.u(0, 2),
     [*C.u(0), C.d(1), *C.u(2)]),
    # Of two rows the mistake stays.
    ("restore_step", C, ([error("E01", 1, "S")],),
     [*C.u(0), C.e(1, "Fill the cup"), *C.u(1, 2)],
     [*C.u(0), C.e(1, "Fill the cup"), *C.u(2)]),
    # Added row loses its source.
    ("restore_step", C, ([error("E01", 1, "I")],),
     [*C.u(0), replace(C.i("Spill water"), old_index=0), *C.u(1, 2)],
     [*C.u(0), C.i("Spill water"), *C.u(1, 2)]),
    # Missing step comes back before what was added after it.
    ("restore_step", C, ([error("E01", 2, "I")], [correction("C1", "E01", 2)]),
     [*C.u(0), C.i("Spill water"), *C.u(2), C.c("Wipe up the water")],
     [*C.u(0, 1), C.i("Spill water"), *C.u(2), C.c("Wipe up the water")]),
    # Unchanged row gets its text back.
    ("restore_text", T, ((),),
     [*T.u(0), replace(T.u(1)[0], text="Wash a cup"), *T.u(2)],
     T.u(0, 1, 2)),
    # Consequence without change is unchanged.
    ("restore_text", T, ([error("E01", 0, "S")],),
     [T.e(0, "Turn on the lamp"), T.a(1, T.texts[1]), *T.u(2)],
     [T.e(0, "Turn on the lamp"), *T.u(1, 2)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "take", "planned", "rows", "expected"), CASES)
def test_repair_mends_its_findings(name, take, planned, rows, expected):
    assert repaired_by(name, take.texts, rows, *planned) == expected
