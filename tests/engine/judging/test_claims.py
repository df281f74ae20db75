"""A freeform text taken at its word: its plan, what is checked by it, what repairs may not do."""

import json
from collections import Counter

import pytest

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.error_types.insertion import InsertionSpec
from generation.engine.error_types.transposition import TranspositionSpec
from generation.engine.judging.claims import claimed_plan
from generation.engine.judging.judging import judge
from generation.engine.judging.model import RepairAnswer
from generation.engine.judging.reading import read_claims
from generation.engine.planner.files.plan_files import procedure_of_plan
from generation.engine.planner.files.plan_json import plan_from_dict, plan_to_dict
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.planner.taxonomy import CorrectionType, Severity
from generation.engine.rewriting.freeform.reading import read_freeform
from tests.engine.judging.takes import procedure

TEXTS = [
    "Get a cucumber from the refrigerator", "Wash the cucumber", "Chop the cucumber with a knife",
    "Get a bowl from the shelf", "Add the cucumber to the bowl", "Stir the salad with a spoon",
]  # fmt: skip


def document(rows, gone=()):
    return {
        "final_steps": [text for text, *_ in rows],
        "meta": [row for _, *row in rows],
        "del": [list(item) for item in gone],
    }


def unchanged(*indices):
    return [(TEXTS[index], index, "u", None, None) for index in indices]


def judged(rows, gone=(), **given):
    take = procedure(TEXTS)
    reading = read_freeform(TEXTS, document(rows, gone))
    plan = claimed_plan(take, reading, profile=DEFAULT_PROFILE)
    return plan, judge(plan, read_claims(reading), **given)


def codes(findings):
    return [finding.code for finding in findings]


def test_claims_become_the_plan_of_the_text():
    rows = [
        *unchanged(0),
        ("Drop the cucumber", 1, "i", "E01", None),
        ("Pick the cucumber up", 1, "c", None, "C01"),
        ("Wash the cucumber with soap", 1, "we", "E02", None),
        (TEXTS[3], 3, "mt", "E03", None),
        (TEXTS[2], 2, "ms", "E03", None),
        *unchanged(5),
    ]

    plan, _ = judged(rows, gone=[(4, "E04")])

    assert [(e.event_id, e.error_type, e.step_index, e.severity) for e in plan.errors] == [
        ("E01", ErrorType.INSERTION, 1, Severity.LOW),
        ("E02", ErrorType.WRONG_EXECUTION, 1, Severity.LOW),
        ("E03", ErrorType.TRANSPOSITION, 2, Severity.MEDIUM),
        ("E04", ErrorType.DELETION, 4, Severity.MEDIUM),
    ]
    assert plan.errors[0].spec == InsertionSpec(1, notes="claimed_by_the_text")
    assert plan.errors[2].spec == TranspositionSpec(2, 3, "claimed_by_the_text")
    (correction,) = plan.corrections
    assert (correction.target_event_id, correction.detect_at_step_index) == ("E01", 0)
    assert correction.correction_type is CorrectionType.UNDO_EXTRA_STEP
    assert plan_from_dict("take-1", plan_to_dict(plan)) == plan


def test_text_with_the_claimed_mistakes_is_ok_and_names_checks_not_applied():
    _, result = judged([("Get a spoon from the drawer", 0, "s", "E01", None), *unchanged(3, 5)],
                       gone=[(1, "E02"), (2, "E02"), (4, "E02")])  # fmt: skip

    assert (result.status, result.report.initial) == ("ok", ())
    assert result.report.not_applied == ("OTHER_ROLE_MUTATED", "ROLE_NOT_MUTATED")


@pytest.mark.parametrize(
    ("rows", "gone", "code", "is_healed"),
    [
        # A step vanished, one came twice, one was changed unmarked, one stands elsewhere.
        ([("Get a cup", 0, "s", "E01", None), *unchanged(3, 4, 5)], [(1, "E02")],
         "SOURCE_MISSING", True),
        ([*unchanged(0, 1, 2, 3, 4, 5, 5), ("Drop a spoon", 5, "i", "E01", None)], (),
         "SOURCE_REPEATED", True),
        ([*unchanged(0, 1, 2, 3, 4), ("Stir the soup", 5, "u", None, None),
          ("Drop a spoon", 5, "i", "E01", None)], (), "NOT_VERBATIM", True),
        ([*unchanged(0, 1, 3, 2, 4, 5), ("Drop a spoon", 5, "i", "E01", None)], (),
         "ORDER_CHANGED", True),
        # Consequences: nothing excuses them, for nobody planned the mistake.
        ([("Get a bell pepper from the refrigerator", 0, "s", "E01", None),
          *unchanged(1, 2, 3, 4, 5)], (), "CASCADE_MISSING", True),
        # What only other words can mend.
        ([(TEXTS[0], 0, "s", "E01", None), *unchanged(1, 2, 3, 4, 5)], (),
         "ERROR_WITHOUT_CHANGE", False),
        ([*unchanged(0, 1, 2, 3, 4), ("Throw the spoon away", 5, "we", "E01", None)], (),
         "PREDICATE_CHANGED", False),
        ([("Get a cucumber quickly", 0, "we", "E01", None), ("Continue", 0, "c", None, "C01"),
          *unchanged(1, 2, 3, 4, 5)], (), "CORRECTION_FILLER", False),
        ([("Pick the cucumber up", 0, "c", None, "C01"), *unchanged(0, 1, 2, 3, 4),
          ("Drop the spoon", 5, "i", "E01", None), *unchanged(5)], (),
         "CORRECTION_MISPLACED", True),
        (unchanged(0, 1, 2, 3, 4, 5), (), "CLAIM_COUNT", False),
    ],
)  # fmt: skip
def test_breach_is_found_and_repaired_if_no_wording_is_needed(rows, gone, code, is_healed):
    _, result = judged(rows, gone)

    assert code in codes(result.report.initial)
    assert (code not in codes(result.report.remaining)) is is_healed


def test_swap_that_swaps_nothing_is_found_and_carried_out():
    rows = [(TEXTS[2], 2, "ms", "E01", None), (TEXTS[3], 3, "mt", "E01", None)]

    _, result = judged([*unchanged(0, 1), *rows, *unchanged(4, 5)])

    assert codes(result.report.initial) == ["TRANSPOSITION_ORDER"]
    assert [row.old_index for row in result.rewrite.rows[2:4]] == [3, 2]
    assert result.status == "ok"


def test_unreadable_answer_does_not_become_a_clean_one():
    take = procedure(TEXTS)
    reading = read_freeform(TEXTS, None)
    plan = claimed_plan(take, reading, profile=DEFAULT_PROFILE)

    result = judge(plan, read_claims(reading))

    assert codes(result.report.initial)[0] == "UNREADABLE"
    assert (result.status, codes(result.report.remaining)) == (
        "judged_with_findings",
        ["CLAIM_COUNT"],
    )


def claims_of(rewrite):
    marked = [row for row in rewrite.rows if row.mod not in {Mod.UNCHANGED, Mod.CASCADE}]
    return Counter(row.correction_id or row.event_id for row in marked)


def test_answer_that_removes_a_claimed_mistake_is_not_adopted():
    rows = [
        (TEXTS[0], 0, "s", "E01", None),
        *unchanged(1, 2, 3, 4),
        ("Drop the spoon", 5, "i", "E02", None),
        *unchanged(5),
    ]
    clean = {
        "final_steps": ["Get a bell pepper from the refrigerator", *TEXTS[1:]],
        "meta": [
            {"old": 0, "new": 0, "mod": "e", "etype": "substitution", "eid": "E01", "cid": None},
            *({"old": index, "new": index, "mod": "u"} for index in range(1, len(TEXTS))),
        ],
    }

    def ask(request):
        return RepairAnswer(clean, "repair.v1")

    _, result = judged(rows, ask=ask)

    outcomes = {
        str(attempt.outcome) for attempt in result.report.attempts if attempt.name == "repair.v1"
    }
    assert outcomes == {"loses_planned_event"}
    assert claims_of(result.rewrite) == {"E01": 1, "E02": 1}


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "clean_before", "ok_after"), [("openai", 39, 46), ("qwen", 25, 33)]
)
def test_published_outputs_keep_every_claim(
    shared_data, published_plans, name, clean_before, ok_after
):
    path = shared_data / "piev" / f"split_50_llm_freeform_errors_{name}.json"
    takes = json.loads(path.read_text())["takes"]
    clean = ok = 0
    for planned in published_plans:
        take = procedure_of_plan(planned)
        entry = takes[planned.take_uid]
        texts = [step.text for step in take.steps]
        reading = read_freeform(texts, entry.get("rewrite") or entry.get("parsed_output"))
        plan = claimed_plan(take, reading, profile=DEFAULT_PROFILE)

        result = judge(plan, read_claims(reading))

        assert claims_of(result.rewrite) == claims_of(reading.rewrite)
        clean += not result.report.initial
        ok += result.status == "ok"
    assert (clean, ok) == (clean_before, ok_after)
