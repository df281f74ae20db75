"""Every mistake at every step of the sample procedures, with its correction, in files by domain."""

from pathlib import Path

import numpy as np
import pytest

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.writer import scene_of_plan, write_rewrite
from generation.engine.semrep.features import features
from sample.corpus import load_corpus
from tests.engine.rewriting.contract import broken_rules
from tests.engine.rewriting.plans import correction, error, plan_of, swap, wrong
from tests.golden import assert_golden

GOLDEN = Path(__file__).parent / "golden"
SCOPES = [str(scope) for scope in MutationScope]
WE = ErrorType.WRONG_EXECUTION
WRITTEN = {Mod.ERROR, Mod.INSERTION, Mod.CASCADE, Mod.CORRECTION}


def events_at(step, last):
    """Every type of mistake at the step, by what it is, each with a correction that fits it."""
    index, following = step.index, {"insert_before_step_index": step.index + 1}
    again = {"redo_step_index": index}
    late = index % 2 if index < last else 0
    for number, role in enumerate(sorted(features(step.tree).role_to_value)):
        if role != "Agent":
            scope = SCOPES[(index + number) % len(SCOPES)]
            fix = correction("E01", WE, "stop_and_fix", index + late, latency_steps=late, **again)
            yield f"{scope} of {role}", wrong("E01", index, **{role: scope}), fix
    start = {"redo_step_index": max(0, index - late), "latency_steps": late}
    fix = correction("E01", ErrorType.SUBSTITUTION, "rollback_and_redo", index + late, **start)
    yield "substitution", error("E01", ErrorType.SUBSTITUTION, index), fix
    fix = correction("E01", ErrorType.INSERTION, "undo_extra_step", index)
    yield "insertion", error("E01", ErrorType.INSERTION, index), fix
    if index == last:
        return
    missing = {"missing_object": step.object_head, "missing_from_step_index": index}
    kind, fields = (
        ("perform_missed_step_now", again),
        ("perform_missed_step_before_first_use", {**again, **following}),
        ("reacquire_missing_object_before_use", {**missing, **following}),
    )[index % 3]
    fix = correction("E01", ErrorType.DELETION, kind, index + 1, **fields)
    yield "deletion", error("E01", ErrorType.DELETION, index), fix
    pair = {"restore_order_pair": [index, index + 1]}
    fix = correction("E01", ErrorType.TRANSPOSITION, "restore_order", index + 1, **pair)
    yield "transposition", swap("E01", index, index + 1), fix


def written(take):
    steps = [(step.text, step.semrep) for step in take.steps]
    scene = scene_of_plan(plan_of(steps, scenario=take.scenario))
    texts = {}
    for step in scene.steps:
        for name, planned, fix in events_at(step, len(steps) - 1):
            plan = plan_of(steps, [planned], [fix], take.scenario)
            rewrite = write_rewrite(plan, rng=np.random.default_rng(step.index)).rewrite
            assert broken_rules(plan, rewrite) == []
            texts.setdefault(step.text, {})[name] = [
                row.text for row in rewrite.rows if row.mod in WRITTEN
            ]
    return scene.domain, texts


@pytest.fixture(scope="module")
def takes():
    return {take.name: written(take) for take in load_corpus().takes}


@pytest.mark.parametrize("domain", list(Domain))
def test_mistakes_and_corrections_read_as_the_golden_file_says(takes, domain):
    texts = {name: found for name, (of, found) in takes.items() if of is domain}

    assert texts
    assert_golden(GOLDEN / f"{domain}.json", texts)
