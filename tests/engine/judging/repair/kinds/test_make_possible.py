"""What has to be open or on is opened or switched on."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Open the drawer", "Get a spoon from the drawer", "Wipe the table"]
R = Rows(TEXTS)


def test_closed_thing_is_opened():
    errors, corrections = [error("E01", 1, "I")], ()
    rows = [*R.u(0), R.i("Close the drawer"), *R.u(1, 2)]

    repaired = repaired_by("make_possible", TEXTS, rows, errors, corrections)

    assert repaired == [
        *R.u(0),
        R.i("Close the drawer"),
        R.a(1, "Open the drawer and get a spoon from the drawer"),
        *R.u(2),
    ]
