"""Every rule of the freeform contract is broken once; the published outputs are read."""

import json

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.freeform.freeform import FreeformIssue, validate_freeform
from generation.engine.rewriting.freeform.reading import read_freeform

STEPS = ["Get a bowl", "Get an egg", "Crack the egg", "Whisk the egg", "Clean up"]
GOOD = {
    "final_steps": [
        "Get a plate", "Put the plate back", "Crack the egg", "Get an egg", "Stir in the shell",
    ],
    "meta": [
        [0, "s", "E01", None], [0, "c", None, "C01"], [2, "ms", "E02", None],
        [1, "mt", "E02", None], [3, "we", "E03", None],
    ],
    "del": [[4, "E03"]],
}  # fmt: skip


def broken(**changes):
    return {**GOOD, **changes}


def with_row(position, row, text=None):
    meta, texts = list(GOOD["meta"]), list(GOOD["final_steps"])
    meta[position] = row
    texts[position] = texts[position] if text is None else text
    return broken(meta=meta, final_steps=texts)


def without_row(position):
    meta, texts = list(GOOD["meta"]), list(GOOD["final_steps"])
    del meta[position], texts[position]
    return broken(meta=meta, final_steps=texts)


def test_good_rewrite_has_no_issue():
    assert validate_freeform(STEPS, GOOD) == ()


@pytest.mark.parametrize(
    ("rewrite", "codes"),
    [
        ([], {"form"}),
        (broken(meta=None), {"form"}),
        (broken(final_steps=["Get a plate"]), {"form"}),
        (broken(final_steps=["", *GOOD["final_steps"][1:]]), {"form"}),
        (with_row(0, [9, "s", "E01", None]), {"form"}),
        (with_row(0, [-1, "s", "E01", None]), {"form"}),
        (with_row(0, [0, "x", "E01", None]), {"form"}),
        (with_row(0, [0, "s", 1, None]), {"form"}),
        (broken(**{"del": [[4]]}), {"form"}),
        (with_row(2, [2, "ms", "E02", None], "Crack an egg"), {"not_verbatim"}),
        (with_row(0, [0, "s", "E01", None], "Get a bowl."), {"no_change"}),
        (with_row(1, [0, "c", None, "C01"], "get a bowl"), {"copies_anchor"}),
        (with_row(0, [0, "s", None, None]), {"error_id"}),
        (with_row(0, [0, "s", "1", None]), {"error_id"}),
        (with_row(1, [0, "c", None, None]), {"correction_id"}),
        (broken(**{"del": [[4, "E1"]]}), {"error_id", "error_count"}),
        (with_row(3, [1, "mt", "E03", None]), {"swap"}),
        (broken(**{"del": []}), {"vanished"}),
        (broken(**{"del": [[4, "E03"], [3, "E03"]]}), {"deleted_but_used"}),
        (broken(**{"del": [[4, "E03"], [4, "E03"]]}), {"used_twice"}),
        (without_row(4), {"vanished"}),
        (broken(**{"del": [[4, "E04"]]}), {"error_count"}),
    ],
)  # fmt: skip
def test_broken_rule_is_named(rewrite, codes):
    assert {issue.code for issue in validate_freeform(STEPS, rewrite)} == codes


def test_step_out_of_order_without_a_swap_is_named():
    rewrite = {
        "final_steps": ["Get an egg", "Get a bowl", "Get a cup"],
        "meta": [[1, "u", None, None], [0, "u", None, None], [0, "i", "E01", None]],
        "del": [],
    }

    assert validate_freeform(STEPS[:2], rewrite) == (
        FreeformIssue("order", "source step 0 comes after 1 without a swap", 1),
    )


def test_freeform_text_without_an_error_is_refused():
    rewrite = {"final_steps": STEPS[:1], "meta": [[0, "u", None, None]], "del": []}

    assert [issue.code for issue in validate_freeform(STEPS[:1], rewrite)] == ["error_count"]


def test_valid_rewrite_becomes_rows_with_the_deletion_in_its_place():
    steps = ["Get a bowl", "Wash it", "Get an egg"]
    rewrite = {
        "final_steps": ["Get a plate", "Get an egg"],
        "meta": [[0, "s", "E01", None], [2, "u", None, None]],
        "del": [[1, "E02"]],
    }

    rows = read_freeform(steps, rewrite).rewrite.rows

    assert [(row.mod, row.old_index, row.event_id, row.error_type) for row in rows] == [
        (Mod.ERROR, 0, "E01", "substitution"),
        (Mod.DELETION, 1, "E02", "deletion"),
        (Mod.UNCHANGED, 2, None, None),
    ]


@pytest.mark.shared_data
@pytest.mark.parametrize(("name", "vanished", "takes_hit"), [("openai", 0, 0), ("qwen", 29, 4)])
def test_vanished_steps_of_the_published_outputs_are_found(shared_data, name, vanished, takes_hit):
    folder = shared_data / "piev"
    plan = json.loads((folder / "split_50_error_plan_with_corrections.json").read_text())["takes"]
    takes = json.loads((folder / f"split_50_llm_freeform_errors_{name}.json").read_text())["takes"]

    counts = []
    for uid, take in takes.items():
        if take["status"] == "ok":
            steps = [step["step_description"] for step in plan[uid]["steps"]]
            issues = validate_freeform(steps, take["rewrite"])
            counts.append(sum(issue.code == "vanished" for issue in issues))

    # 29 steps of 4 Qwen takes that the published validator marked ok.
    assert (sum(counts), sum(count > 0 for count in counts)) == (vanished, takes_hit)
