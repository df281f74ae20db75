import pytest

from generation.engine.error_types.insertion import KIND, InsertionSpec
from generation.engine.planner.taxonomy import Severity
from tests.engine.planner.procedures import TEA, procedure_of
from tests.engine.planner.situations import situation_of


@pytest.mark.parametrize(("essential", "factor"), [(True, 1.0), (False, 1.35)])
def test_insertion_prefers_optional_steps_at_any_length(essential, factor):
    situation = situation_of(procedure_of(*TEA[:2], essential=essential))

    assert KIND.factor(situation, 0) == factor


def test_insertion_goes_before_the_chosen_step():
    draft = KIND.propose(situation_of(procedure_of(*TEA)), 5)

    assert (draft.severity, draft.spec.before_step_index) == (Severity.LOW, 5)
    assert InsertionSpec.from_dict(draft.spec.to_dict(), {}) == draft.spec
