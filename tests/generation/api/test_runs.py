"""Runs as scripts see them: launch, watch, stop, go on, and read the plans."""

import json

import pytest
from rest_framework.test import APIClient

from annotation.models import Step
from generation.engine.run_options import RunOptions
from generation.models import Run, TakePlan
from generation.services.run_work import work_on_takes
from generation.services.runs import cancel_run, create_run
from tests.generation.tea import request_for
from tests.generation.text_endpoints import make_endpoint


@pytest.fixture
def api(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def work_on(run):
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])


def test_launch_answers_with_the_run(api, tea_dataset):
    body = {"dataset": tea_dataset.public_id, "seed": 9, "takes": ["tea-c", "tea-a"]}

    answer = api.post("/api/v1/runs/", body, format="json")

    run = Run.objects.get()
    shown = answer.json()
    assert answer.status_code == 201
    assert shown["id"] == run.public_id
    assert (shown["name"], shown["seed"], shown["profile_name"]) == ("Tea, seed 9", 9, "piev")
    assert shown["stages"] == ["plan", "correct"]
    assert [take.take.uid for take in run.run_takes.all()] == ["tea-a", "tea-c"]
    assert shown["progress"]["queued_count"] == 2


def test_launch_takes_a_profile_that_changes_single_values(api, tea_dataset):
    profile = {"base": "published", "name": "two", "count": {"max_errors": 2}}
    body = {"dataset": tea_dataset.public_id, "seed": 9, "profile": profile}

    shown = api.post("/api/v1/runs/", body, format="json").json()

    assert (shown["profile_name"], shown["profile"]["count"]["max_errors"]) == ("two", 2)
    assert set(shown["run_statistics"]) == {
        "complexity_range",
        "density_range",
        "duration_range_s",
        "reuse_by_predicate",
    }


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"dataset": "nothing"}, "dataset", "There is no such data set."),
        (
            {"takes": ["tea-a", "coffee"]},
            "takes",
            "Unknown: coffee; expected the uid of takes of this data set.",
        ),
        ({"seed": -1}, "seed", "Ensure this value is greater than or equal to 0."),
        (
            {"profile": {"count": {"max_errors": -1}}},
            "profile",
            "profile field count.max_errors is -1; expected a number, 0 or more",
        ),
        ({"profile": 7}, "profile", "Expected the name of a profile or an object."),
    ],
)
def test_launch_names_what_is_wrong(api, tea_dataset, changes, field, message):
    body = {"dataset": tea_dataset.public_id, "seed": 9, **changes}

    answer = api.post("/api/v1/runs/", body, format="json")

    assert (answer.status_code, answer.json()) == (400, {field: [message]})


def test_detail_shows_progress_by_stage(api, tea_run):
    Step.objects.filter(take__uid="tea-b", index=0).update(semrep="((")
    work_on(tea_run)

    progress = api.get(f"/api/v1/runs/{tea_run.public_id}/").json()["progress"]

    assert (progress["state"], progress["is_finished"]) == ("finished with failures", True)
    assert [(stage["stage"], stage["done_count"], stage["failed_count"])
            for stage in progress["stages"]] == [("plan", 2, 1), ("correct", 2, 0)]  # fmt: skip


def test_takes_say_why_they_failed(api, tea_run):
    Step.objects.filter(take__uid="tea-b", index=0).update(semrep="((")
    work_on(tea_run)

    rows = api.get(f"/api/v1/runs/{tea_run.public_id}/takes/").json()["results"]

    assert [(row["take_uid"], row["status"], row["stages_done"]) for row in rows] == [
        ("tea-a", "done", 2),
        ("tea-b", "failed", 0),
        ("tea-c", "done", 2),
    ]
    assert rows[1]["error"].startswith("take tea-b, step 0: semrep is '(('")


def test_commands_say_how_many_takes_they_were_about(api, tea_run):
    address = f"/api/v1/runs/{tea_run.public_id}"

    answers = [
        api.post(f"{address}/{command}/").json() for command in ("retry", "cancel", "resume")
    ]

    assert answers == [{"takes": 0}, {"takes": 3}, {"takes": 3}]


def test_plans_come_in_the_published_form(api, tea_run):
    work_on(tea_run)

    rows = api.get(f"/api/v1/runs/{tea_run.public_id}/plans/").json()["results"]

    stored = TakePlan.objects.order_by("run_take__position")
    assert [row["plan"] for row in rows] == [plan.document for plan in stored]
    assert [row["take_uid"] for row in rows] == ["tea-a", "tea-b", "tea-c"]


@pytest.mark.parametrize("path", ["", "{id}/takes/", "{id}/plans/"])
def test_lists_cost_the_same_queries_for_one_row_and_three(
    api, tea_dataset, owner, path, django_assert_num_queries
):
    one = create_run(
        request=request_for(tea_dataset, takes=tea_dataset.takes.filter(uid="tea-a")), actor=owner
    ).run
    work_on(one)
    queries = 2 if path == "" else 3
    with django_assert_num_queries(queries):
        assert api.get("/api/v1/runs/" + path.format(id=one.public_id)).json()["count"] == 1
    three = create_run(request=request_for(tea_dataset), actor=owner).run
    create_run(request=request_for(tea_dataset), actor=owner)
    work_on(three)

    with django_assert_num_queries(queries):
        assert api.get("/api/v1/runs/" + path.format(id=three.public_id)).json()["count"] == 3


def test_budget_of_a_run_is_raised_and_says_how_many_takes_go_on(api, tea_dataset, owner):
    options = RunOptions(writer="gone", budget_usd=1.0).to_dict()
    run = create_run(request=request_for(tea_dataset, options=options), actor=owner).run
    cancel_run(run=run, actor=owner)
    address = f"/api/v1/runs/{run.public_id}/budget/"

    low = api.post(address, {"budget_usd": 1.0}, format="json")
    raised = api.post(address, {"budget_usd": 3.0}, format="json")

    assert (low.status_code, "expected more than that" in str(low.json())) == (400, True)
    assert (raised.status_code, raised.json()) == (200, {"takes": 3})
    assert api.get(f"/api/v1/runs/{run.public_id}/").json()["options"]["budget_usd"] == 3.0


def test_freeform_run_is_launched_without_stages_that_plan(api, tea_dataset, owner):
    model = make_endpoint(owner=owner)
    body = {
        "dataset": tea_dataset.public_id,
        "seed": 9,
        "stages": ["write", "judge", "publish"],
        "is_freeform": True,
    }

    refused = api.post("/api/v1/runs/", body, format="json")
    launched = api.post("/api/v1/runs/", {**body, "writer": model.public_id}, format="json")

    assert (refused.status_code, list(refused.json())) == (400, ["writer"])
    assert launched.status_code == 201
    assert launched.json()["stages"] == ["write", "judge", "publish"]
    assert launched.json()["options"]["is_freeform"] is True


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ({"name": "a\x00b"}, "A text in it contains a NUL or half a surrogate pair."),
        ({"base": ["piev"]}, "profile field base is ['piev']; expected one of "),
    ],
    ids=ascii,
)
def test_profile_that_cannot_be_kept_is_refused(api, tea_dataset, profile, said):
    body = json.dumps({"dataset": tea_dataset.public_id, "seed": 9, "profile": profile})

    answer = api.post("/api/v1/runs/", body, content_type="application/json")

    assert (answer.status_code, Run.objects.count()) == (400, 0)
    assert said in answer.json()["profile"][0]
