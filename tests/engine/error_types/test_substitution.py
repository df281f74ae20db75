import pytest

from generation.engine.error_types.substitution import (
    KIND,
    SubstitutionSpec,
    strategies_for,
)
from generation.engine.planner.taxonomy import Severity
from tests.engine.planner.procedures import TEA, procedure_of
from tests.engine.planner.situations import situation_of


@pytest.mark.parametrize(
    ("predicate", "object_value", "names"),
    [
        (
            "GET",
            "cup",
            [
                "change_predicate_keep_object",
                "change_object_keep_predicate",
                "change_predicate_and_object",
            ],
        ),
        ("", "cup", ["change_object_keep_frame", "replace_step_semantically_related"]),
        ("WAIT", None, ["replace_step_semantically_related"]),
    ],
)
def test_strategies_follow_what_the_step_has(predicate, object_value, names):
    assert [str(name) for name in strategies_for(predicate, object_value)] == names


def test_substitution_is_always_possible_and_of_medium_severity():
    situation = situation_of(procedure_of(*TEA))

    draft = KIND.propose(situation, 3)

    assert KIND.factor(situation, 3) == 1.0
    assert (draft.severity, draft.spec.original_object) == (Severity.MEDIUM, "cup")
    assert SubstitutionSpec.from_dict(draft.spec.to_dict(), {}) == draft.spec
