import json
from dataclasses import replace

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from generation.engine.planner.files.plan_files import (
    PlanningInput,
    plans_from,
    plans_to_dict,
    read_planning_input,
    read_plans,
    write_json,
)
from generation.engine.planner.files.representations import NO_REPRESENTATIONS
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profiles import PIEV, PUBLISHED
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.results.plan_runs import correct_file, plan_input, profile_of
from tests.engine.planner.procedures import TEA, procedure_of

TAKES = (procedure_of(*TEA * 2, uid="a"), procedure_of(*TEA, uid="b"), procedure_of(uid="c"))
INPUT = PlanningInput(TAKES, NO_REPRESENTATIONS, {"split": "split.json"})


@pytest.mark.parametrize("profile", [PIEV, PUBLISHED], ids=lambda profile: profile.name)
def test_plan_file_with_corrections_is_equal_after_writing_and_reading(profile, tmp_path):
    made = correct_file(plan_input(INPUT, profile=profile, seed=6), profile=None, seed=7)
    path = tmp_path / "new" / "plan.json"

    write_json(plans_to_dict(made), path)

    assert read_plans(path).plans == made.plans
    assert json.loads(path.read_text()) == plans_to_dict(made)


def test_plan_file_stores_what_planning_a_take_again_needs():
    made = plan_input(INPUT, profile=PUBLISHED, seed=6)
    meta = json.loads(json.dumps(dict(made.meta)))

    again = plan_take(
        TAKES[1],
        profile=profile_of(replace(made, meta=meta)),
        seed=meta["seed"],
        run_statistics=RunStatistics.from_dict(meta["run_statistics"]),
    )

    assert again == made.plans[1]


def test_plan_file_is_corrected_with_its_own_profile_by_default():
    made = plan_input(INPUT, profile=PUBLISHED, seed=6)

    own = correct_file(made, profile=None, seed=1)
    other = correct_file(made, profile=PIEV, seed=1)

    assert own.meta["corrections_meta"]["profile"]["name"] == "published"
    assert other.meta["corrections_meta"]["profile"]["name"] == "piev"
    assert own.meta["corrections_meta"]["stats"] == {
        "n_takes": 3,
        "n_corrections_total": sum(len(plan.corrections) for plan in own.plans),
    }


def written():
    made = correct_file(plan_input(INPUT, profile=PIEV, seed=6), profile=None, seed=7)
    return json.loads(json.dumps(plans_to_dict(made)))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("scenario",), ..., "take a: scenario is None; expected a published plan"),
        (("steps",), {}, "take a: steps is {}; expected a list"),
        (("steps", 1, "phase"), "phase_9",
         r"take a: steps\[1\] is \"'phase_9' is not a valid Phase\""),
        (("steps", 1, "phase"), ..., r"take a: steps\[1\].phase is None; expected a value"),
        (("steps", 2, "step_load"), float("nan"),
         r"take a: steps\[2\].step_load is nan; expected a number from 0 to 1"),
        (("steps", 2, "complexity"), float("inf"), r"steps\[2\].complexity is inf"),
        (("steps", 2, "index"), 7, r"steps\[2\].index is 7; expected 2"),
        (("errors", 0, "type"), "slip", r"take a: errors\[0\]"),
        (("errors", 0, "step_index"), 99,
         r"errors\[0\].step_index is 99; expected an index below 16"),
        (("errors", 0), None, r"take a: errors\[0\] is .*; expected the form of a published plan"),
    ],
)  # fmt: skip
def test_faulty_plan_is_refused_with_take_place_and_value(path, value, message):
    data = written()
    part = data["takes"]["a"]
    for key in path[:-1]:
        part = part[key]
    if value is ...:
        del part[path[-1]]
    else:
        part[path[-1]] = value

    with pytest.raises(FormatError, match=message):
        plans_from(data, file="plan.json")


@pytest.mark.parametrize("data", [[], {}, {"takes": []}, {"takes": {"a": 3}}])
def test_file_of_another_form_is_no_plan(data):
    with pytest.raises(FormatError, match=r"plan\.json.*expected an object"):
        plans_from(data, file="plan.json")


def test_missing_file_or_one_without_json_is_refused(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")

    with pytest.raises(FormatError, match=r"broken\.json: .*; expected JSON"):
        read_plans(broken)
    with pytest.raises(FormatError, match=r"absent\.json: .*expected a file that can be read"):
        read_planning_input(tmp_path / "absent.json")


def test_nan_is_never_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json({"a": float("nan")}, tmp_path / "x.json")
