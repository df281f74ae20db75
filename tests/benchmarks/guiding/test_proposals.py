"""Pieces in time against a merge written out, and answers that are no alignment or plan."""

import numpy as np
import pytest

from benchmarks.engine.guiding.plan_state import PlanFaultError, parse_plan
from benchmarks.engine.guiding.proposals import (
    AlignmentFaultError,
    parse_alignment,
    ward_segments,
)


def merged_by_hand(rows, count):
    pieces = [(row, row + 1) for row in range(len(rows))]

    def cost(left, right):
        first, second = rows[slice(*left)], rows[slice(*right)]
        sizes = len(first), len(second)
        apart = ((first.mean(axis=0) - second.mean(axis=0)) ** 2).sum()
        return sizes[0] * sizes[1] / sum(sizes) * apart

    while len(pieces) > count:
        costs = [cost(*pieces[place : place + 2]) for place in range(len(pieces) - 1)]
        place = int(np.argmin(costs))
        pieces[place : place + 2] = [(pieces[place][0], pieces[place + 1][1])]
    return pieces


def test_pieces_are_those_of_the_cheapest_merges():
    rng = np.random.default_rng(4)
    for _ in range(50):
        rows = rng.normal(size=(int(rng.integers(2, 25)), 3))
        count = int(rng.integers(1, len(rows) + 2))

        assert ward_segments(rows, count) == merged_by_hand(rows, count)


@pytest.mark.parametrize("features", [[1.0, 2.0], [[[1.0]]]])
def test_features_of_another_shape_are_refused(features):
    with pytest.raises(ValueError, match="expected"):
        ward_segments(features, 1)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("steps: 1, 2", "not_json"),
        ("{}", "not_json"),
        ("[1]", "wrong_length"),
        ("[1, 1.5]", "not_a_whole_number"),
        ("[1, true]", "not_a_whole_number"),
        ("[1, -1]", "step_out_of_range"),
    ],
)
def test_an_answer_that_is_no_alignment(text, code):
    with pytest.raises(AlignmentFaultError) as raised:
        parse_alignment(text, 2, 3)

    assert raised.value.code == code


PLAN = (
    "<|mode|> update_proactive\n<|goal|> Tea\n<|steps_completed_so_far|>\n<|plan|>\n"
    "1. (Current) Boil water\n<|step_complete_cues|> steam\n<|step_incomplete_cues|> still"
)


def test_a_plan_without_completed_steps_and_one_that_is_at_its_end():
    end = PLAN.replace("update", "end").replace("1. (Current) Boil water\n", "")

    assert parse_plan(PLAN).completed == ()
    assert parse_plan(end).current is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("update_proactive", "reactive"), "unknown_mode"),
        (("<|goal|> Tea", "<|goal|>"), "missing"),
        (("(Current) ", ""), "current_step_count"),
        (("<|goal|> Tea", "<|goal|> Tea\n<|goal|> Coffee"), "repeated"),
    ],
)
def test_an_answer_that_is_no_plan(change, code):
    with pytest.raises(PlanFaultError) as raised:
        parse_plan(PLAN.replace(*change))

    assert raised.value.code == code
