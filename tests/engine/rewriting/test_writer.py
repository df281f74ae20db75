"""Whole takes: every planned event is realised, whatever the plan, and one seed says one thing."""

import json

import numpy as np
import pytest

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.corrections.simulation import correct_plan
from generation.engine.english.words import compact_text
from generation.engine.judging.case import Case, JudgedTake
from generation.engine.judging.check import find_all
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.rewriting.cascades import missing_cascades
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.rewrite import rewrite_from_dict
from generation.engine.rewriting.writer import scene_of_plan, write_rewrite
from sample.corpus import load_corpus
from tests.engine.rewriting.contract import broken_rules
from tests.engine.rewriting.plans import correction, error, plan_of, published_plans, swap, wrong

TEA = [
    ("Get a cup from the shelf", "GET(Agent: you, Object: cup, Origin: from(shelf))"),
    ("Rinse the cup with water", "RINSE(Agent: you, Object: cup, Instrument: with(water))"),
    ("Add a tea bag to the cup", "ADD(Agent: you, Object: tea_bag, Destination: to(cup))"),
    ("Pour hot water into the cup", "POUR(Agent: you, Object: hot_water, Destination: into(cup))"),
    ("Stir the tea with a spoon", "STIR(Agent: you, Object: tea, Instrument: with(spoon))"),
]


def written(plan, seed=0):
    return write_rewrite(plan, rng=np.random.default_rng(seed)).rewrite


def error_texts(rewrites):
    return [
        compact_text(row.text)
        for rewrite in rewrites
        for row in rewrite.rows
        if row.mod in {Mod.ERROR, Mod.INSERTION}
    ]


def test_plan_without_errors_is_the_procedure_itself():
    rewrite = written(plan_of(TEA))

    assert list(rewrite.final_steps) == [text for text, _ in TEA]
    assert {row.mod for row in rewrite.rows} == {Mod.UNCHANGED}


def test_all_types_in_one_take_keep_the_contract():
    plan = plan_of(
        TEA,
        [
            wrong("E01", 0, Object="entity"),
            error("E02", ErrorType.DELETION, 1),
            swap("E03", 2, 3),
            error("E04", ErrorType.INSERTION, 4),
            error("E05", ErrorType.SUBSTITUTION, 4),
        ],
        [
            correction("E01", ErrorType.WRONG_EXECUTION, "stop_and_fix", 0, redo_step_index=0),
            correction(
                "E02", ErrorType.DELETION, "perform_missed_step_now", 2, redo_step_index=1,
                latency_steps=1,
            ),
            correction(
                "E03", ErrorType.TRANSPOSITION, "restore_order", 3, restore_order_pair=[2, 3]
            ),
            correction("E04", ErrorType.INSERTION, "undo_extra_step", 4),
        ],
    )  # fmt: skip

    rewrite = written(plan)

    assert broken_rules(plan, rewrite) == []
    assert [row.correction_id for row in rewrite.rows if row.correction_id] == [
        "c-E01", "c-E02", "c-E03", "c-E04",
    ]  # fmt: skip


def test_same_seed_writes_the_same_and_another_seed_something_else():
    plan = plan_of(TEA, [wrong("E01", 1, Manner="entity"), error("E02", ErrorType.INSERTION, 4)])
    rewrites = [written(plan, seed).to_dict() for seed in (7, 7, *range(8, 20))]

    assert rewrites[0] == rewrites[1]
    assert any(rewrite != rewrites[0] for rewrite in rewrites[2:])


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (
            [error("E01", ErrorType.DELETION, 1), wrong("E02", 1, Object="entity")],
            "plan event E02: step 1 already belongs to E01",
        ),
        (
            [error("E01", ErrorType.DELETION, 1), error("E01", ErrorType.INSERTION, 2)],
            "plan event E01: planned more than once",
        ),
    ],
)
def test_events_that_exclude_each_other_are_refused(errors, message):
    with pytest.raises(PlanConflictError, match=message):
        written(plan_of(TEA, errors))


def test_correction_without_its_mistake_is_refused():
    plan = plan_of(TEA, [], [correction("E09", ErrorType.INSERTION, "undo_extra_step", 1)])

    with pytest.raises(PlanConflictError, match="plan event c-E09: no mistake E09 to correct"):
        written(plan)


def test_steps_that_name_nothing_are_written_too():
    steps = ["Wait.", "Relax.", "…", "Sleep.", "Breathe."]
    plan = plan_of(
        steps,
        [
            wrong("E01", 0),
            error("E02", ErrorType.SUBSTITUTION, 1),
            wrong("E03", 2),
            error("E04", ErrorType.INSERTION, 3),
        ],
    )

    assert broken_rules(plan, written(plan)) == []


@pytest.mark.parametrize("take", load_corpus().takes, ids=lambda take: take.name)
def test_random_plans_of_the_sample_corpus_are_realised(take):
    procedure = procedure_from_take(take)
    for seed in range(40):
        plan = plan_take(procedure, profile=PIEV, seed=seed)
        plan = correct_plan(plan, profile=PIEV, seed=seed)

        rewrite = written(plan, seed)

        assert broken_rules(plan, rewrite) == []
        assert rewrite_from_dict(json.loads(json.dumps(rewrite.to_dict()))) == rewrite
        take_in_question = JudgedTake(plan)
        assert find_all(Case(take_in_question, rewrite)) == ()


@pytest.mark.parametrize("take", load_corpus().takes, ids=lambda take: take.name)
def test_plans_of_one_procedure_seldom_say_the_same_twice(take):
    procedure = procedure_from_take(take)
    plans = [plan_take(procedure, profile=PIEV, seed=seed) for seed in range(200)]

    by_plan = [error_texts([written(plan, seed)]) for seed, plan in enumerate(plans)]

    # A person can drop the spoon twice: better than what makes no sense.
    repeated = sum(len(texts) - len(set(texts)) for texts in by_plan)
    assert repeated <= 0.03 * sum(map(len, by_plan))


@pytest.mark.shared_data
def test_every_published_plan_is_realised_with_texts_of_its_own(shared_data):
    plans = published_plans(shared_data)

    taken = [write_rewrite(plan, rng=np.random.default_rng(1)) for plan in plans]

    assert [broken_rules(plan, take.rewrite) for plan, take in zip(plans, taken, strict=True)] == (
        [[]] * 50
    )
    texts = error_texts([take.rewrite for take in taken])
    assert len(set(texts)) >= 0.9 * len(texts)


@pytest.mark.shared_data
@pytest.mark.parametrize("seed", [1, 4, 8, 37])
def test_judge_leaves_no_finding_in_the_published_plans(shared_data, seed):
    for plan in published_plans(shared_data):
        judged = judge(plan, Submission(written(plan, seed=seed)))
        assert judged.report.remaining == (), plan.take_uid


@pytest.mark.shared_data
def test_no_cascade_is_missing_in_the_published_plans(shared_data):
    for plan in published_plans(shared_data):
        scene, rewrite = scene_of_plan(plan), written(plan, seed=2)
        for planned in plan.errors:
            assert missing_cascades(scene, rewrite.rows, planned.event_id) == ()
