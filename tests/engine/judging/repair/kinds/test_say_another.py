"""A second thing of one name is called another one."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Get a spoon", "Wipe the table"]
R = Rows(TEXTS)


def test_second_thing_is_another():
    errors, corrections = [error("E01", 1, "I")], ()
    rows = [*R.u(0), R.i("Get a spoon"), *R.u(1)]

    repaired = repaired_by("say_another", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.i("Get another spoon"), *R.u(1)]
