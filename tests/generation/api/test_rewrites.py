"""Texts and findings of a run as scripts read them."""

import pytest
from rest_framework.test import APIClient

from generation.engine.judging.check import sense_checks
from generation.engine.run_options import RunOptions
from generation.models import JudgeFinding, Run, TakeJudgement, TakeRewrite, TakeVideo
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.generation.tea import request_for


@pytest.fixture
def api(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def work_on(run):
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])


def test_rewrites_are_listed_in_working_order_with_their_judgements(api, full_run):
    work_on(full_run)

    rows = api.get(f"/api/v1/runs/{full_run.public_id}/rewrites/").json()["results"]

    stored = TakeRewrite.objects.order_by("run_take__position")
    assert [(row["take_uid"], row["rewrite"], row["judgement"]["rewrite"]) for row in rows] == [
        (item.run_take.take.uid, item.document, item.run_take.judgement.document) for item in stored
    ]
    assert {row["model"] for row in rows} == {"rules"}


def test_rewrite_that_was_not_judged_has_no_judgement(api, tea_dataset, owner):
    run = create_run(request=request_for(tea_dataset, stages=["plan", "write"]), actor=owner).run
    work_on(run)

    rows = api.get(f"/api/v1/runs/{run.public_id}/rewrites/").json()["results"]

    assert [row["judgement"] for row in rows] == [None] * 3


def test_judgement_says_whether_the_text_is_valid_and_how_it_was_checked_for_sense(api, full_run):
    work_on(full_run)
    TakeJudgement.objects.filter(run_take__position=0).update(hard_left=1, sense_left=2)
    TakeJudgement.objects.filter(run_take__position=1).update(sense_checks=[])

    rows = api.get(f"/api/v1/runs/{full_run.public_id}/rewrites/").json()["results"]
    quality = api.get(f"/api/v1/runs/{full_run.public_id}/").json()["text_quality"]

    codes = list(sense_checks())
    told = [
        [row["judgement"][it] for it in ("valid", "sense_checks", "sense_left")] for row in rows
    ]
    assert told == [[False, codes, 2], [True, [], 0], [True, codes, 0]]
    assert list(rows[0]["judgement"])[-3:] == ["valid", "sense_checks", "sense_left"]
    assert quality == {
        "judged_count": 3,
        "valid_count": 2,
        "sense_checked_count": 2,
        "sense_clean_count": 1,
        "sense_checks": codes,
    }


def test_run_without_a_judge_has_no_valid_and_no_checked_texts(api, tea_dataset, owner):
    run = create_run(request=request_for(tea_dataset, stages=["plan", "write"]), actor=owner).run
    work_on(run)

    quality = api.get(f"/api/v1/runs/{run.public_id}/").json()["text_quality"]

    assert quality == {
        "judged_count": 0,
        "valid_count": 0,
        "sense_checked_count": 0,
        "sense_clean_count": 0,
        "sense_checks": [],
    }


def test_findings_are_counted_by_code(api, full_run):
    work_on(full_run)
    judgement = full_run.run_takes.first().judgement
    for is_left, code, severity in (
        (False, "ALREADY_ON", "soft"), (False, "ALREADY_ON", "soft"), (True, "ALREADY_ON", "soft"),
        (False, "EVENT_MISSING", "hard"),
    ):  # fmt: skip
        JudgeFinding.objects.create(
            judgement=judgement, is_left=is_left, code=code, severity=severity, detail="-"
        )

    counts = api.get(f"/api/v1/runs/{full_run.public_id}/findings/").json()

    wanted = {"EVENT_MISSING": ("hard", 1, 0), "ALREADY_ON": ("soft", 2, 1)}
    found = {
        row["code"]: (row["severity"], row["found_count"], row["left_count"])
        for row in counts
        if row["code"] in wanted
    }
    assert found == wanted


def test_run_says_its_options_and_its_published_dataset(api, full_run):
    work_on(full_run)

    shown = api.get(f"/api/v1/runs/{full_run.public_id}/").json()

    assert shown["published_dataset"] == Run.objects.get().published_dataset.public_id
    assert shown["stages"] == ["plan", "correct", "write", "judge", "video", "publish"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"writer": "somebody"}, "writer"),
        ({"judge": "rules"}, "judge"),
        ({"budget_usd": 0}, "budget_usd"),
    ],
)
def test_launch_names_the_option_that_is_wrong(api, tea_dataset, body, field):
    request = {"dataset": tea_dataset.public_id, "seed": 1, **body}

    answer = api.post("/api/v1/runs/", request, format="json")

    assert (answer.status_code, list(answer.json())) == (400, [field])


def test_launch_through_every_stage_with_an_own_endpoint(api, tea_dataset, endpoint):
    stages = ["plan", "correct", "write", "judge", "publish"]
    body = {
        "dataset": tea_dataset.public_id, "seed": 1, "stages": stages, "judge": endpoint.public_id,
    }  # fmt: skip

    shown = api.post("/api/v1/runs/", body, format="json").json()

    options = RunOptions(judge=endpoint.public_id).to_dict()
    assert (shown["stages"], shown["options"]) == (stages, options)


@pytest.mark.parametrize("path", ["rewrites/", "findings/"])
def test_lists_cost_the_same_queries_for_one_take_and_three(
    api, tea_dataset, owner, full_run, path, django_assert_num_queries
):
    request = request_for(
        tea_dataset, stages=full_run.stages, takes=tea_dataset.takes.filter(uid="tea-a")
    )
    one = create_run(request=request, actor=owner).run
    work_on(one)
    work_on(full_run)

    queries = {"rewrites/": 3, "findings/": 2}[path]
    with django_assert_num_queries(queries):
        api.get(f"/api/v1/runs/{one.public_id}/{path}")
    with django_assert_num_queries(queries):
        api.get(f"/api/v1/runs/{full_run.public_id}/{path}")


def test_takes_have_the_state_of_their_videos(api, full_run):
    work_on(full_run)
    TakeVideo.objects.filter(run_take__position=1).update(
        skipped="", path="generated/a/b.mp4", maker="bridge", splice_path="packets",
        clip_count=2, frame_count=300, duration_s=10.0, seconds=1.5, result={"reasons": []},
    )  # fmt: skip

    rows = api.get(f"/api/v1/runs/{full_run.public_id}/takes/").json()["results"]

    assert rows[0]["video"]["skipped"] == "No video is linked to the take."
    assert rows[1]["video"] == {
        "skipped": "", "maker": "bridge", "splice_path": "packets", "clip_count": 2,
        "frame_count": 300, "duration_s": 10.0, "seconds": 1.5, "result": {"reasons": []},
    }  # fmt: skip


def test_takes_of_a_run_without_the_video_stage_have_none(api, tea_run):
    work_on(tea_run)

    rows = api.get(f"/api/v1/runs/{tea_run.public_id}/takes/").json()["results"]

    assert [row["video"] for row in rows] == [None, None, None]
