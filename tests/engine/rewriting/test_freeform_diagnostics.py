"""The figures of the published columns, over good takes, broken ones and none."""

import json

import pytest

from generation.engine.rewriting.freeform.diagnostics import COLUMNS, diagnose

STEPS = {"u-1": ["Get a bowl", "Get an egg", "Clean up"]}
TAKE = {
    "scenario": "Eggs",
    "take_name": "egg_1",
    "status": "ok",
    "rewrite": {
        "final_steps": ["Get a cup", "Drop the cup", "Get an egg."],
        "meta": [[0, "we", "E01", None], [1, "i", "E02", None], [1, "u", None, None]],
        "del": [[2, "E03"]],
    },
}


def test_take_is_counted_in_the_published_columns():
    (row,) = diagnose({"u-1": TAKE}, STEPS)

    assert tuple(row) == COLUMNS
    assert row == {
        "take_uid": "u-1", "scenario": "Eggs", "take_name": "egg_1", "status": "ok", "error": "",
        "schema_ok": 0,
        "schema_msg": "not_verbatim: u row reads 'Get an egg.'; the source 'Get an egg'",
        "n_input_steps": 3, "n_final_steps": 3, "n_meta": 3, "n_del": 1, "mods_u": 1, "mods_e": 1,
        "mods_m": 0, "mods_c": 0, "mods_i": 1, "u_not_verbatim": 0, "e_no_change": 0,
        "deleted_src_still_used": 0,
    }  # fmt: skip


def test_broken_rows_are_counted_as_far_as_they_can_be_read():
    rewrite = {
        "final_steps": ["Get a bowl", "Clean up", "x"],
        "meta": [[0, "s", "E01", None], [1, "u", None, None], [7, "u", None, None]],
        "del": [[1, "E02"], "x"],
    }

    (row,) = diagnose({"u-1": {**TAKE, "rewrite": rewrite}}, STEPS)

    assert [row[name] for name in COLUMNS[5:6] + COLUMNS[11:13]] == [0, 1, 1]
    assert [row[name] for name in COLUMNS[16:]] == [1, 1, 1]


def test_take_without_rewrite_says_so():
    (row,) = diagnose({"u-1": {"status": "parse_failed", "error": "no JSON"}}, STEPS)

    assert (row["status"], row["error"], row["schema_msg"]) == (
        "parse_failed",
        "no JSON",
        "no rewrite",
    )


def test_take_without_source_is_refused():
    with pytest.raises(KeyError, match="u-2"):
        diagnose({"u-2": TAKE}, STEPS)


@pytest.mark.shared_data
@pytest.mark.parametrize(("name", "ok_count"), [("openai", 44), ("qwen", 27)])
def test_published_outputs_have_no_false_hits(shared_data, name, ok_count):
    folder = shared_data / "piev"
    plan = json.loads((folder / "split_50_error_plan_with_corrections.json").read_text())["takes"]
    takes = json.loads((folder / f"split_50_llm_freeform_errors_{name}.json").read_text())["takes"]
    steps = {
        uid: [step["step_description"] for step in take["steps"]] for uid, take in plan.items()
    }

    rows = diagnose(takes, steps)

    # The published diagnostics passed 3 of 50 GPT takes and showed 241 false u_not_verbatim.
    assert sum(int(row["schema_ok"]) for row in rows) == ok_count
    assert sum(int(row["u_not_verbatim"]) for row in rows) == 0
