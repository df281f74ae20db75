"""Recall on planted faults: at least 0.95 in all, and no false alarm on the originals."""

import numpy as np
import pytest

from bench.planted_faults import planted_form, planted_meaning, planted_sense
from bench.planted_faults.planting import (
    identity_case,
    plant_each,
    recall_by_code,
)
from generation.engine.judging.case import Case, JudgedTake
from generation.engine.judging.check import all_checks, find_all
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.rewriting.writer import write_rewrite

PLANTERS = {**planted_form.PLANTERS, **planted_meaning.PLANTERS, **planted_sense.PLANTERS}
SEED, PER_CODE = 1, 6
MIN_RECALL, MIN_RECALL_PER_CODE, MIN_PLANTED = 0.95, 0.5, 200
MAX_LEFT = 0.05


@pytest.fixture(scope="module")
def clean_cases(published_plans):
    """Return the 50 originals as they are, and the rule-based writer's rewrites of them."""
    written = [_written(plan) for plan in published_plans]
    return [identity_case(case) for case in written], written


def _written(plan):
    rng = np.random.default_rng(SEED)
    take = JudgedTake(plan)
    return Case(take, write_rewrite(plan, rng=rng).rewrite)


def test_every_planter_has_a_check():
    assert set(PLANTERS) <= set(all_checks())


@pytest.mark.shared_data
def test_planted_faults_are_found(clean_cases):
    identity, written = clean_cases
    cases = [case for case in (*identity, *written) if not find_all(case)]
    rng = np.random.default_rng(SEED)

    recalls = recall_by_code(plant_each(PLANTERS, cases, per_code=PER_CODE, rng=rng))

    planted = sum(recall.planted for recall in recalls.values())
    assert planted >= MIN_PLANTED
    assert sum(recall.found for recall in recalls.values()) >= MIN_RECALL * planted
    assert set(recalls) == set(PLANTERS)
    assert [
        code
        for code, recall in recalls.items()
        if recall.found < MIN_RECALL_PER_CODE * recall.planted
    ] == []


@pytest.mark.shared_data
def test_originals_give_no_false_alarm(clean_cases):
    identity, _ = clean_cases

    assert [find_all(case) for case in identity] == [()] * len(identity)


@pytest.mark.shared_data
def test_planting_twice_from_a_seed_plants_the_same(clean_cases):
    identity, _ = clean_cases
    planters = {"ALREADY_OPEN": PLANTERS["ALREADY_OPEN"]}

    first, second = (
        [
            fault.case.rewrite
            for fault in plant_each(planters, identity, per_code=2, rng=np.random.default_rng(SEED))
        ]
        for _ in range(2)
    )

    assert first == second
    assert len(first) == 2


# Faults that need no words of anybody's invention to be put right.
MENDED_BY_RULES = (
    "SOURCE_MISSING", "SOURCE_REPEATED", "SOURCE_MISMATCH", "ERROR_TYPE_MISMATCH",
    "EVENT_ID_MISSING", "EVENT_UNPLANNED", "EVENT_REPEATED", "EVENT_MISPLACED", "ORDER_CHANGED",
    "NOT_VERBATIM", "TRANSPOSITION_ORDER", "CORRECTION_REPEATED", "CORRECTION_MISPLACED",
    "CASCADE_WITHOUT_CHANGE", "CASCADE_BEFORE_CAUSE", "CASCADE_MISSING", "USE_BEFORE_INTRO",
    "PORTABLE_NOT_HELD", "DUP_GET_NO_PUT", "LOCATION_MISMATCH_ON_GET", "PRODUCT_NOT_MADE",
)  # fmt: skip


@pytest.mark.shared_data
def test_rules_mend_the_faults_that_need_no_new_words(clean_cases):
    identity, written = clean_cases
    cases = [case for case in (*identity, *written) if not find_all(case)]
    planters = {code: PLANTERS[code] for code in MENDED_BY_RULES}
    planted = list(plant_each(planters, cases, per_code=3, rng=np.random.default_rng(SEED)))

    left = []
    for fault in planted:
        take = fault.case.take
        judged = judge(take.plan, Submission(fault.case.rewrite))
        left += [f.code for f in judged.report.remaining if f.code == fault.code]

    # Now and then the row to change is a moved one, or another mistake.
    assert len(left) <= MAX_LEFT * len(planted), left
