"""A rewrite as a trace: the rows and events that importing the same rewrite from a file gives."""

import json

import pytest

from annotation.engine.corpus.formats import piev
from annotation.engine.corpus.integrity import find_faults
from annotation.engine.corpus.procedure import Event, Reading, Step, Take, TraceStep
from annotation.engine.taxonomy import ErrorType, EventKind, Mod, TaxonomyLabel
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.files.plan_files import PlanFile, plans_to_dict
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.planner.randomness import generator_for
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from generation.engine.rewriting.rewrite_trace import trace_of_rewrite
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.stages import Stage
from sample.corpus import load_corpus
from tests.engine.rewriting.plans import error, plan_of

STEPS = [("Get a cup", "GET(Object: cup)"), ("Fill the cup", "FILL(Object: cup)")]
TAKE = Take("tea-1", "Tea", "Tea", tuple(Step(text, step_id=text[0]) for text, _ in STEPS))


def traced(rows, plan=None):
    plan = plan or plan_of(STEPS, [error("E01", ErrorType.WRONG_EXECUTION, 0)])
    return trace_of_rewrite(TAKE, plan, Rewrite(tuple(rows)), uid="t-1", provenance={"run": "r"})


def test_rows_become_trace_steps_with_their_events():
    trace, warnings = traced(
        [
            RewriteRow(Mod.ERROR, "Get a mug", 0, "wrong_execution", "E01"),
            RewriteRow(Mod.CASCADE, "Fill the mug", 1, None, "E01"),
            RewriteRow(Mod.CORRECTION, "Get a cup after all", None, "correction", "E01", "C01"),
        ]
    )

    assert [(step.mod, step.text, step.reference_index, step.event_id) for step in trace.steps] == [
        (Mod.ERROR, "Get a mug", 0, "E01"),
        (Mod.CASCADE, "Fill the mug", 1, "E01"),
        (Mod.CORRECTION, "Get a cup after all", None, "C01"),
    ]
    assert trace.events == (
        Event("E01", EventKind.MISTAKE, TaxonomyLabel.WRONG_EXECUTION),
        Event("C01", EventKind.CORRECTION, TaxonomyLabel.CORRECTION, "E01"),
    )
    assert (trace.uid, trace.take_uid, trace.name) == ("t-1", "tea-1", "Tea")
    assert [item.message for item in warnings] == ["event ids that the plan does not have: C01"]


def test_deleted_step_keeps_its_reference_and_has_no_text():
    plan = plan_of(STEPS, [error("E01", ErrorType.DELETION, 0)])

    trace, warnings = traced(
        [
            RewriteRow(Mod.DELETION, None, 0, "deletion", "E01"),
            RewriteRow(Mod.UNCHANGED, "Fill the cup", 1),
        ],
        plan,
    )

    assert trace.steps[0] == TraceStep(
        Mod.DELETION, "", 0, "E01", step_id="G", labels=trace.steps[0].labels
    )
    assert warnings == ()


def test_lost_step_and_lost_event_are_said():
    _trace, warnings = traced([RewriteRow(Mod.UNCHANGED, "Get a cup", 0)])

    assert [item.message for item in warnings] == [
        "source steps without a row or a deletion: 1",
        "planned events without a row: E01",
    ]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_trace_of_a_rewrite_is_the_trace_of_its_published_file(tmp_path, seed):
    takes, plans, files = {}, [], {}
    for take in load_corpus().takes:
        procedure = procedure_from_take(take)
        plan = correct_plan(plan_take(procedure, profile=PIEV, seed=seed), profile=PIEV, seed=seed)
        written = write_rewrite(plan, rng=generator_for(seed, take.uid, Stage.WRITE))
        made, _ = trace_of_rewrite(take, plan, written.rewrite, uid=take.uid, provenance={})
        assert find_faults(Reading(takes=(take,), traces=(made,))) == ()
        takes[take.uid] = made
        plans.append(plan)
        files[take.uid] = {"status": "ok", "rewrite": written.rewrite.to_dict()}
    (tmp_path / "plan.json").write_text(json.dumps(plans_to_dict(PlanFile({}, tuple(plans)))))
    (tmp_path / "out.json").write_text(json.dumps({"meta": {}, "takes": files}))

    read = piev.read(tmp_path)

    imported = {trace.take_uid: trace for trace in read.traces}
    assert imported.keys() == takes.keys()
    for uid, made in takes.items():
        assert _rows(imported[uid]) == _rows(made)
        assert imported[uid].events == made.events


def _rows(trace):
    return [(row.mod, row.text, row.reference_index, row.event_id) for row in trace.steps]
