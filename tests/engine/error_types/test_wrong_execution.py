from collections import Counter
from dataclasses import replace

import pytest

from generation.engine.error_types.wrong_execution import (
    KIND,
    WrongExecutionSpec,
    role_weight,
    severity_of_roles,
)
from generation.engine.planner.profile import WrongExecutionSettings
from generation.engine.planner.taxonomy import MutationScope, Severity
from tests.engine.planner.procedures import ALONE, procedure_of
from tests.engine.planner.situations import situation_of

POUR = "POUR(Agent: you, Object: water, Destination: into(cup))"
SETTINGS = WrongExecutionSettings(role_priors={"POUR": {"Object": 0.3}})


@pytest.mark.parametrize(
    ("role", "predicate", "weight"),
    [
        ("Object", "POUR", 0.25 * (0.2 + 0.3)),
        ("Destination", "POUR", 0.8 * (0.2 + 0.05)),
        ("Manner", "STIR", 1.0 * (0.2 + 0.05)),
        ("Whim", "STIR", 0.8 * (0.2 + 0.05)),
    ],
)
def test_role_weight_is_impact_weight_times_offset_prior(role, predicate, weight):
    assert role_weight(role, predicate, SETTINGS) == pytest.approx(weight)


@pytest.mark.parametrize(
    ("roles", "severity"),
    [
        (["Manner"], Severity.LOW),
        (["Manner", "Destination"], Severity.MEDIUM),
        (["Destination", "Object"], Severity.HIGH),
        ([], Severity.LOW),
    ],
)
def test_severity_is_the_highest_impact(roles, severity):
    assert severity_of_roles(roles, WrongExecutionSettings()) == severity


def test_wrong_execution_never_touches_the_agent_and_sometimes_two_roles():
    situation = situation_of(procedure_of(POUR))

    drafts = [KIND.propose(situation, 0) for _ in range(2000)]

    counts = Counter(len(draft.spec.mutated_roles) for draft in drafts)
    assert {role for draft in drafts for role in draft.spec.mutated_roles} == {
        "Object",
        "Destination",
    }
    assert set(counts) == {1, 2}
    # Standard error 0.009.
    assert counts[2] / 2000 == pytest.approx(0.20, abs=0.04)


def test_wrong_execution_scope_follows_the_kind_of_role():
    situation = situation_of(procedure_of(POUR))

    drafts = [KIND.propose(situation, 0) for _ in range(3000)]
    scopes = [draft.spec.mutation_scopes for draft in drafts]

    of_object = Counter(item["Object"] for item in scopes if "Object" in item)
    of_place = Counter(item["Destination"] for item in scopes if "Destination" in item)
    assert set(of_object) == {MutationScope.ATTRIBUTE, MutationScope.ENTITY}
    assert of_object[MutationScope.ENTITY] / of_object.total() == pytest.approx(0.65, abs=0.07)
    assert of_place[MutationScope.SUBSTRUCTURE] / of_place.total() == pytest.approx(0.65, abs=0.06)


def test_wrong_execution_without_a_role_is_planned_only_where_the_profile_allows():
    needs_a_role = replace(ALONE, wrong_execution=WrongExecutionSettings(needs_a_role=True))
    procedure = procedure_of("WAIT(Agent: you)")

    allowed, refused = situation_of(procedure), situation_of(procedure, profile=needs_a_role)

    assert (KIND.factor(allowed, 0), KIND.factor(refused, 0)) == (1.0, 0.0)
    assert KIND.propose(allowed, 0).spec == WrongExecutionSpec("WAIT", (), {})


def test_wrong_execution_spec_is_equal_after_writing_and_reading():
    spec = WrongExecutionSpec("POUR", ("Object",), {"Object": MutationScope.ENTITY})

    assert WrongExecutionSpec.from_dict(spec.to_dict(), {}) == spec
