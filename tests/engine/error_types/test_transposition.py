from dataclasses import replace

import pytest

from generation.engine.error_types.transposition import (
    KIND,
    TranspositionSpec,
    is_same_step,
    keeps_order,
)
from tests.engine.planner.procedures import ALONE, GARDEN, KITCHEN, TEA, procedure_of
from tests.engine.planner.situations import situation_of

WASHING = tuple(f"WASH(Agent: you, Object: dish{'x' * count})" for count in range(12))


def partners_of(situation, index, draws=200):
    drafts = [KIND.propose(situation, index) for _ in range(draws)]
    return {draft.spec.target_index for draft in drafts if draft is not None}


def test_partners_lie_within_the_window():
    assert partners_of(situation_of(procedure_of(*WASHING)), 0) == {1, 2, 3, 4, 5, 6}


def test_partners_without_blocks_lie_closer():
    assert partners_of(situation_of(procedure_of(*WASHING, block=None)), 0) == {1, 2, 3}


def test_partners_share_the_block():
    procedure = procedure_of(*WASHING[:6])
    blocks = [KITCHEN, KITCHEN, GARDEN, None, KITCHEN, GARDEN]
    steps = tuple(
        replace(step, shared_id_block=block)
        for step, block in zip(procedure.steps, blocks, strict=True)
    )

    situation = situation_of(replace(procedure, steps=steps))

    assert partners_of(situation, 0) == {1, 4}
    assert KIND.factor(situation, 3) == 0.0


def test_partners_have_no_error_and_are_in_no_swap():
    situation = situation_of(procedure_of(*WASHING[:5]), error_steps=(0, 2))
    situation.swapped.add(3)

    assert partners_of(situation, 0) == {1, 4}


def test_transposition_of_a_swapped_step_is_impossible():
    situation = situation_of(procedure_of(*WASHING))
    situation.swapped.add(4)

    assert KIND.factor(situation, 4) == 0.0


@pytest.mark.parametrize(("count", "factor"), [(4, 0.0), (5, 1.0)])
def test_transposition_is_impossible_in_four_steps(count, factor):
    assert KIND.factor(situation_of(procedure_of(*WASHING[:count])), 0) == factor


def test_steps_that_repeat_others_are_never_swapped():
    procedure = procedure_of(*WASHING[:4], "REPEAT(Agent: you, Object: steps)", WASHING[5])

    assert 4 not in partners_of(situation_of(procedure), 0)
    assert KIND.factor(situation_of(procedure), 4) == 0.0


@pytest.mark.parametrize(
    ("change", "compares_ids", "same"),
    [
        ({"text": "STEP 0: " + WASHING[0]}, False, True),
        ({"semrep": WASHING[0]}, False, True),
        ({"step_id": "100"}, False, False),
        ({"step_id": "100"}, True, True),
        ({}, True, False),
    ],
)
def test_same_step_is_same_text_or_representation_or_id(change, compares_ids, same):
    procedure = procedure_of(*WASHING[:2])
    steps = (procedure.steps[0], replace(procedure.steps[1], **change))
    features = situation_of(replace(procedure, steps=steps)).features

    assert is_same_step(features, 0, 1, compares_ids=compares_ids) is same


POUR_MILK = "POUR(Agent: you, Object: milk, Destination: into(cup))"
OPEN, CLOSE = "OPEN(Agent: you, Object: jar)", "CLOSE(Agent: you, Object: jar)"


@pytest.mark.parametrize(
    ("semreps", "first", "second", "keeps"),
    [
        # CLOSE would come before OPEN of the same jar.
        ((OPEN, WASHING[0], CLOSE), 0, 2, False),
        # Of another object it may.
        ((OPEN, WASHING[0], "CLOSE(Agent: you, Object: door)"), 0, 2, True),
        # A step in between counts: OPEN moves behind CLOSE.
        ((OPEN, CLOSE, WASHING[0]), 0, 2, False),
        # The cup would be filled before it is got.
        ((TEA[3], WASHING[1], "FILL(Agent: you, Object: cup)"), 0, 2, False),
        # A destination is no use of it: only Instrument, Object and Coobject are.
        ((TEA[3], WASHING[1], POUR_MILK), 0, 2, True),
    ],
)
def test_swap_must_keep_preconditions(semreps, first, second, keeps):
    features = situation_of(procedure_of(*semreps)).features

    assert keeps_order(features, ALONE, first, second) is keeps
    assert keeps_order(features, ALONE, second, first) is keeps


@pytest.mark.parametrize(("compares", "keeps"), [(False, False), (True, True)])
def test_orders_that_the_original_breaks_count_only_where_the_profile_says_so(compares, keeps):
    # The original closes the jar before it opens it; swapping the outer steps changes nothing.
    procedure = procedure_of(WASHING[0], CLOSE, OPEN, WASHING[1])
    settings = replace(ALONE.transposition, compares_with_original=compares)
    profile = replace(ALONE, transposition=settings)

    assert keeps_order(situation_of(procedure).features, profile, 0, 3) is keeps


def test_transposition_gives_up_where_no_partner_keeps_the_order():
    procedure = procedure_of(OPEN, *[CLOSE] * 5)

    assert KIND.propose(situation_of(procedure), 0) is None


def test_transposition_touches_both_steps():
    draft = KIND.propose(situation_of(procedure_of(*WASHING)), 2)

    assert draft.touched == (draft.spec.target_index,)
    assert TranspositionSpec.from_dict(draft.spec.to_dict(), {}) == draft.spec
