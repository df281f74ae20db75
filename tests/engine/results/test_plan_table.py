"""A plan as rows: every event once, its own parameters together, no formula for a spreadsheet."""

import csv
import json
from dataclasses import replace

from annotation.engine.csv_cells import csv_lines
from generation.engine.planner.files.plan_json import plan_to_dict
from generation.engine.results.plan_table import COLUMNS, event_rows
from tests.engine.plans import PLAN


def rows_of(plan):
    return list(csv.DictReader(csv_lines([COLUMNS, *event_rows("t1", plan_to_dict(plan))])))


def test_every_event_is_one_row():
    rows = rows_of(PLAN)

    assert [(row["kind"], row["type"], row["step_index"]) for row in rows] == [
        ("error", "wrong_execution", "2"),
        ("error", "transposition", "5"),
        ("correction", "stop_and_fix", "6"),
        ("ignored", "", "5"),
    ]
    assert [(row["target_event_id"], row["latency_steps"]) for row in rows[2:]] == [
        ("E01", "4"),
        ("E02", "0"),
    ]
    assert {(row["take_uid"], row["take_name"], row["scenario"]) for row in rows} == {
        ("t1", "tea one", "Tea")
    }


def test_parameters_are_json_without_what_has_a_column():
    correction = rows_of(PLAN)[2]

    assert json.loads(correction["parameters"]) == {"redo_step_index": 2, "rollback_steps": 0}


def test_text_cannot_start_a_formula():
    formula = replace(PLAN, take_name="=1+1")

    assert {row["take_name"] for row in rows_of(formula)} == {"'=1+1"}
