from dataclasses import replace

import pytest

from generation.engine.error_types.deletion import KIND, DeletionSpec
from generation.engine.planner.profiles import PUBLISHED
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.planner.taxonomy import Phase, Severity
from tests.engine.planner.procedures import ALONE, TEA, procedure_of
from tests.engine.planner.situations import situation_of

CUP_NEEDED = (
    "GET(Agent: you, Object: cup)",
    "WAIT(Agent: you)",
    "FILL(Agent: you, Object: jug)",
    "POUR(Agent: you, Object: water, Destination: into(cup))",
    "WASH(Agent: you, Object: plate)",
)


def test_deletion_of_an_acquisition_requires_a_correction_before_the_first_use():
    draft = KIND.propose(situation_of(procedure_of(*CUP_NEEDED)), 0)

    assert draft.spec.correction_before_step_index == 3
    assert draft.spec.event_fields() == {
        "alternate_src_indices": list(draft.spec.alternate_indices),
        "requires_correction": True,
        "correction_before_step_index": 3,
    }


def test_deletion_of_another_step_requires_no_correction():
    draft = KIND.propose(situation_of(procedure_of(*CUP_NEEDED)), 2)

    assert draft.spec.correction_before_step_index is None
    assert not draft.spec.requires_correction


@pytest.mark.parametrize(("repeats", "before"), [(False, 1), (True, None)])
def test_deletion_of_a_repeated_acquisition_depends_on_the_profile(repeats, before):
    profile = replace(ALONE, deletion=replace(ALONE.deletion, repeats_bring_again=repeats))
    procedure = procedure_of(*["GET(Agent: you, Object: cup)"] * 6)

    draft = KIND.propose(situation_of(procedure, profile=profile), 0)

    assert draft.spec.correction_before_step_index == before


@pytest.mark.parametrize(
    ("essential", "factor", "severity"),
    [(True, 1.0, Severity.MEDIUM), (False, 1.25, Severity.LOW)],
)
def test_deletion_prefers_optional_steps(essential, factor, severity):
    situation = situation_of(procedure_of(*TEA, essential=essential))

    assert KIND.factor(situation, 0) == factor
    assert KIND.propose(situation, 0).severity == severity


@pytest.mark.parametrize(("count", "factor"), [(4, 0.0), (5, 1.0)])
def test_deletion_is_impossible_in_four_steps(count, factor):
    assert KIND.factor(situation_of(procedure_of(*TEA[:count])), 0) == factor


@pytest.mark.parametrize(
    ("again", "steps", "is_kept"), [(40, 50, True), (39, 50, False), (39, 39, False)]
)
def test_deletion_guard_keeps_steps_whose_objects_are_nearly_always_reused(again, steps, is_kept):
    statistics = RunStatistics((0, 1), (0, 1), (0, 1), {"OPEN": (again, steps)})
    procedure = procedure_of("OPEN(Agent: you, Object: jar)", "WASH(Agent: you, Object: jar)")
    situation = situation_of(procedure, profile=PUBLISHED)
    situation.statistics = statistics

    assert (KIND.propose(situation, 0) is None) is is_kept


@pytest.mark.parametrize(
    ("last_thing", "alternates"),
    # The neighbours of step 4 are 2, 3, 5 and 6; step 2 is of another phase, step 3 handles fork.
    [("plate", (3, 5, 6)), ("fork", (5, 6))],
)
def test_alternates_are_near_in_the_same_phase_and_not_needed_later(last_thing, alternates):
    things = ("cup", "pan", "jug", "fork", "spoon", "knife", "bowl", last_thing)
    situation = situation_of(
        procedure_of(*(f"WASH(Agent: you, Object: {thing})" for thing in things))
    )
    phases = (Phase.INITIATION,) * 3 + (Phase.ROUTINE,) * 5
    situation.features = replace(situation.features, phases=phases)

    assert KIND.propose(situation, 4).spec.alternate_indices == alternates


@pytest.mark.parametrize(
    "spec",
    [DeletionSpec((1, 3), None), DeletionSpec((), 7), DeletionSpec(None, None)],
)
def test_deletion_spec_is_equal_after_writing_and_reading(spec):
    assert DeletionSpec.from_dict(spec.to_dict(), spec.event_fields()) == spec
