"""The planning commands take a data set by name, and plan what a run plans."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Step
from generation.models import TakePlan
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.generation.tea import request_for


def run(*arguments):
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def test_correct_of_a_data_set_is_what_a_run_with_the_seed_stores(tea_dataset, owner):
    Step.objects.filter(take__uid="tea-a", index=0).update(semrep="FILL(Agent: you, Object: pot)")
    launched = create_run(request=request_for(tea_dataset), actor=owner)
    work_on_takes(job_ids=launched.job_ids)

    takes = json.loads(run("correct", "Tea", "--seed", 123))["takes"]

    stored = TakePlan.objects.select_related("run_take__take")
    assert takes == {plan.run_take.take.uid: plan.document for plan in stored}


def test_plan_of_a_data_set_names_it(tea_dataset):
    plan_file = json.loads(run("plan", "Tea", "--seed", 1, "--profile", "published"))

    assert plan_file["meta"]["inputs"] == {"dataset": "Tea"}
    assert list(plan_file["takes"]) == ["tea-a", "tea-b", "tea-c"]


def test_plan_stats_of_a_data_set_counts_its_takes(tea_dataset):
    found = json.loads(run("plan_stats", "Tea", "--seeds", 4, "--json"))

    assert (found["runs"], found["takes_per_run"], found["steps_per_run"]) == (4, 3, 30)


def test_unknown_name_is_neither_file_nor_data_set(db):
    with pytest.raises(CommandError, match="no file and no data set called 'Coffee'"):
        run("plan", "Coffee", "--seed", 1)


def test_files_of_a_split_do_not_go_with_a_data_set(tea_dataset, tmp_path):
    with pytest.raises(CommandError, match="Tea is a data set and has its own"):
        run("plan", "Tea", "--seed", 1, "--semrep", tmp_path / "semreps.json")


def test_faulty_takes_are_all_named(tea_dataset):
    Step.objects.filter(index=4).update(semrep="((")

    with pytest.raises(CommandError) as refusal:
        run("plan", "Tea", "--seed", 1)

    lines = str(refusal.value).splitlines()
    assert [line.split(":")[0].strip() for line in lines[1:]] == [
        "take tea-a, step 4",
        "take tea-b, step 4",
        "take tea-c, step 4",
    ]
