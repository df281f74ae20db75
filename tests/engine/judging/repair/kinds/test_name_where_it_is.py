"""A step finds a thing where it was put."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Stir the noodles in the pan", "Wipe the table"]
R = Rows(TEXTS)


def test_place_at_which_the_thing_was_put_is_named():
    put = R.i("Put the noodles into the bowl")

    repaired = repaired_by("name_where_it_is", TEXTS, [put, *R.u(0, 1)], [error("E01", 0, "I")])

    assert repaired == [put, R.a(0, "Stir the noodles in the bowl"), *R.u(1)]
