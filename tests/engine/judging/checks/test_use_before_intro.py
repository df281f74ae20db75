"""What the original gets first is got before it is used."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a knife from the drawer", "Cut the tomato with the knife", "Wash the tomato"]
ERRORS = (error("E01", 0, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_use_before_intro_is_found():
    rows = [R.e(0, "Get a fork from the drawer"), *R.u(1, 2)]

    assert found("USE_BEFORE_INTRO", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(1, None, "knife")]


def test_use_before_intro_is_not_found_in_sound_rows():
    rows = [R.d(0), R.a(1, "Get the knife and cut the tomato with the knife"), *R.u(2)]

    assert found("USE_BEFORE_INTRO", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("USE_BEFORE_INTRO", identity(TEXTS)) == []


def test_use_before_acquisition_is_found_in_a_written_step():
    rows = [R.i("Cut the onion with the knife"), *R.u(0, 1, 2)]

    assert found("USE_BEFORE_INTRO", case(TEXTS, rows)) == [(0, "E01", "knife")]


def test_thing_knocked_over_need_not_be_at_hand():
    rows = [R.i("Knock the knife off the table"), *R.u(0, 1, 2)]

    assert found("USE_BEFORE_INTRO", case(TEXTS, rows)) == []
