"""The missing thing is fetched from where it is, before the step that needs it."""

from annotation.engine.taxonomy import ErrorType
from tests.engine.rewriting.plans import correction, error
from tests.engine.rewriting.take import correction_text


def planned(**fields):
    return correction(
        "E01", ErrorType.DELETION, "reacquire_missing_object_before_use", 3,
        missing_object="fork", missing_from_step_index=3, **fields,
    )  # fmt: skip


def test_thing_its_place_and_its_use_are_named():
    text = correction_text(
        [error("E01", ErrorType.DELETION, 3)], planned(insert_before_step_index=4)
    )

    assert text == "Go back and get a fork from the drawer before whisking the egg with the fork"


def test_use_that_is_left_out_as_well_is_not_named():
    text = correction_text(
        [error("E01", ErrorType.DELETION, 3), error("E02", ErrorType.DELETION, 4)],
        planned(insert_before_step_index=4),
    )

    assert text == "Go back and get a fork from the drawer"
