"""The repair loop with scripted models: every fault class is healed, every misbehaviour bounded."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from bench.planted_faults import planted_form, planted_meaning
from bench.planted_faults.planting import plant
from generation.engine.judging.case import Case, JudgedTake
from generation.engine.judging.check import find_all
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.judging.repair.loop import MAX_MODEL_ATTEMPTS, realised_events
from generation.engine.judging.report import AttemptKind, AttemptOutcome
from generation.engine.planner.files.plan_files import PlanningInput, read_plans
from generation.engine.planner.files.representations import NO_REPRESENTATIONS
from generation.engine.planner.procedure_to_plan import procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.results.plan_runs import correct_file, plan_input
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.writer import write_rewrite
from generation.services.texts.writing import repairer
from sample.corpus import load_corpus
from tests.fakes.scripted_model import ScriptedModel

PLANTERS = {**planted_form.PLANTERS, **planted_meaning.PLANTERS}
# A text that claims no mistake has none to be healed of; nobody may invent one.
UNREPAIRABLE = {"CLAIM_COUNT"}
# These need things that no sample procedure has; the published plans have them.
NOT_IN_THE_SAMPLE = {"HEAT_WHILE_OFF", "PRODUCT_NOT_MADE", "STEP_REPEATED", "USE_BEFORE_INTRO"}
MISBEHAVIOURS = (
    "timeout", "connection", "server_error", "rate_limit", "reject", "refuse", "empty", "truncate",
    "not_json", "wrong_schema",
)  # fmt: skip


@pytest.fixture(scope="module")
def clean_cases():
    """Return clean rewrites by the rules of the sample corpus, under several seeds."""
    procedures = tuple(procedure_from_take(take) for take in load_corpus().takes)
    found = PlanningInput(procedures, NO_REPRESENTATIONS)
    cases = []
    for seed in range(24):
        planned = correct_file(plan_input(found, profile=PIEV, seed=seed), profile=None, seed=seed)
        cases += [written(plan) for plan in planned.plans]
    return [case for case in cases if not find_all(case)]


def written(plan):
    rewrite = write_rewrite(plan, rng=np.random.default_rng(1)).rewrite
    return Case(JudgedTake(plan), rewrite)


def answer(rewrite):
    """Return the act of a model that says this, in the form that strict mode asks for."""
    document = rewrite.to_dict()
    rows = [
        {name: None if row[name] == "" else row[name] for name in
         ("old", "new", "mod", "etype", "eid", "cid")}
        for row in document["meta"]
    ]  # fmt: skip
    return {"do": "answer", "parsed": {"final_steps": document["final_steps"], "meta": rows}}


def planted_with_remedy(code, cases):
    """Return a rewrite with one fault of a code and a clean one to the same plan."""
    rng = np.random.default_rng(5)
    for case in cases:
        planted = plant(code, PLANTERS[code], case, rng)
        if planted is None or code not in {f.code for f in find_all(planted.case)}:
            continue
        try:
            remedy = written(planted.case.plan)
        except PlanConflictError:
            continue
        if not find_all(remedy):
            return planted.case, remedy.rewrite
    return None


def judged(case, model):
    return judge(case.plan, Submission(case.rewrite), ask=repairer(model.complete))


def by_model(result):
    return [item for item in result.report.attempts if item.kind is not AttemptKind.RULE]


@dataclass(frozen=True)
class Repaired:
    """What came of a planted fault: `lost` are planned events that the text no longer tells."""

    status: str
    remaining: tuple
    lost: frozenset
    found_codes: set
    request_count: int
    outcomes_by_model: list


def repaired(code, cases):
    """Return what comes of one planted fault with a model that answers with a clean rewrite."""
    case, remedy = planted_with_remedy(code, cases)
    model = ScriptedModel([answer(remedy)])
    result = judged(case, model)
    return Repaired(
        status=result.status,
        remaining=result.report.remaining,
        lost=frozenset(realised_events(case) - realised_events(Case(case.take, result.rewrite))),
        found_codes={finding.code for finding in result.report.initial},
        request_count=len(model.requests),
        outcomes_by_model=[item.outcome for item in by_model(result)],
    )


@pytest.mark.parametrize("code", sorted(set(PLANTERS) - UNREPAIRABLE - NOT_IN_THE_SAMPLE))
def test_fault_is_healed_by_rules_or_by_what_the_model_says(clean_cases, code):
    result = repaired(code, clean_cases)

    assert code in result.found_codes
    assert (result.status, result.remaining, result.lost) == ("ok", (), frozenset())
    # Where rules are enough nobody is asked; else the first answer is adopted.
    assert (result.request_count, result.outcomes_by_model) in (
        (0, []),
        (1, [AttemptOutcome.ADOPTED]),
    )


@pytest.mark.shared_data
@pytest.mark.parametrize("code", sorted(NOT_IN_THE_SAMPLE))
def test_fault_of_a_published_take_is_healed_too(shared_data, code):
    path = shared_data / "piev" / "split_50_error_plan_with_corrections.json"
    cases = [written(plan) for plan in read_plans(path).plans]

    result = repaired(code, [case for case in cases if not find_all(case)])

    assert code in result.found_codes
    assert (result.status, result.remaining, result.lost) == ("ok", (), frozenset())


@pytest.mark.parametrize("act", MISBEHAVIOURS)
def test_misbehaviour_is_an_attempt_with_its_reason_and_the_loop_stops_at_its_bound(
    clean_cases, act
):
    case, _ = planted_with_remedy("CORRECTION_FILLER", clean_cases)
    model = ScriptedModel([{"do": act}])

    result = judged(case, model)

    attempts = by_model(result)
    assert len(model.requests) == len(attempts) == MAX_MODEL_ATTEMPTS
    assert {item.outcome for item in attempts} == {AttemptOutcome.NO_ANSWER}
    assert all(item.detail for item in attempts)
    assert "CORRECTION_FILLER" in {finding.code for finding in result.report.remaining}


@pytest.mark.parametrize("wrong", ["nothing", "unchanged", "without_the_mistakes"])
def test_useless_answer_is_not_adopted_and_the_loop_stops_at_its_bound(clean_cases, wrong):
    case, _ = planted_with_remedy("CORRECTION_FILLER", clean_cases)
    original = [
        {"old": index, "new": index, "mod": "u", "etype": None, "eid": None, "cid": None}
        for index in range(len(case.take.texts))
    ]
    says = {
        "nothing": {"do": "answer", "parsed": {"final_steps": [], "meta": []}},
        "unchanged": answer(case.rewrite),
        "without_the_mistakes": {
            "do": "answer",
            "parsed": {"final_steps": list(case.take.texts), "meta": original},
        },
    }
    model = ScriptedModel([says[wrong]])

    result = judged(case, model)

    outcomes = {
        "nothing": AttemptOutcome.UNREADABLE,
        "unchanged": AttemptOutcome.NOT_BETTER,
        "without_the_mistakes": AttemptOutcome.LOSES_PLANNED_EVENT,
    }
    assert [item.outcome for item in by_model(result)] == [outcomes[wrong]] * 2
    assert result.rewrite == case.rewrite, json.dumps(says[wrong])
