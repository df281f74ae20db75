"""The planned role is not as it was."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get the milk", "Pour milk into the cup with a spoon", "Stir the milk"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_role_not_mutated_is_found():
    rows = [*R.u(0), R.we(1, "Pour milk into the jug with a spoon"), *R.u(2)]

    assert found("ROLE_NOT_MUTATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", "Object")
    ]


def test_role_not_mutated_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Pour oil into the cup with a spoon"), *R.u(2)]

    assert found("ROLE_NOT_MUTATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ROLE_NOT_MUTATED", identity(TEXTS)) == []


def test_quality_of_the_thing_counts_as_a_change_of_its_role():
    rows = [*R.u(0), R.we(1, "Pour spoiled milk into the cup with a spoon"), *R.u(2)]

    assert found("ROLE_NOT_MUTATED", case(TEXTS, rows, ERRORS)) == []


def test_place_that_the_original_leaves_unsaid_may_be_said_wrongly():
    texts = ["Screw the valve cap on"]
    spec = {"mutated_roles": ("Destination",), "mutation_scopes": {}}
    row = Rows(texts).we(0, "Screw the valve cap on the spoke nipple")

    assert found("ROLE_NOT_MUTATED", case(texts, [row], [error("E01", 0, "WE", **spec)])) == []
