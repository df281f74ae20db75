"""Takes are worked on exactly once, whole or not at all, and fail with a reason of their own."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import AuditEntry, Job, JobStatus, Step
from annotation.services.records.jobs import MOST_LOSSES, claim_job
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.files.plan_json import plan_from_dict, plan_to_dict
from generation.engine.planner.files.profile_files import stored_profile
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profiles import SHIPPED_PROFILES
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.stages import Stage
from generation.models import MadeSemRep, RunTake, TakePlan
from generation.selectors.plans.procedures import prepare_take
from generation.services.run_work import work_on_takes
from generation.services.runs import cancel_run, create_run, resume_run, retry_failed_takes
from generation.tasks import work_on_takes as task
from tests.generation.tea import TEA_STEPS, add_take, request_for


def job_ids_of(run):
    return list(RunTake.objects.filter(run=run).values_list("job_id", flat=True))


def documents_of(run):
    plans = TakePlan.objects.filter(run_take__run=run).order_by("run_take__position")
    return {plan.run_take.take.uid: plan.document for plan in plans}


def planned_alone(run, run_take):
    """Return the published form of what the engine plans for one take of a run."""
    procedure = prepare_take(run_take.take).procedure
    profile = stored_profile(run.profile)
    statistics = RunStatistics.from_dict(run.run_statistics) if run.run_statistics else None
    plan = plan_take(procedure, profile=profile, seed=run.seed, run_statistics=statistics)
    return plan_to_dict(correct_plan(plan, profile=profile, seed=run.seed))


@pytest.mark.parametrize("profile_name", ["piev", "published"])
def test_work_stores_what_the_engine_plans(tea_dataset, owner, profile_name):
    run = create_run(
        request=request_for(tea_dataset, profile=SHIPPED_PROFILES[profile_name]), actor=owner
    ).run

    work_on_takes(job_ids=job_ids_of(run))

    expected = {take.take.uid: planned_alone(run, take) for take in run.run_takes.all()}
    assert documents_of(run) == expected


def test_work_closes_jobs_moves_takes_and_counts(tea_run):
    work_on_takes(job_ids=job_ids_of(tea_run))

    rows = RunTake.objects.filter(run=tea_run).select_related("job", "plan")
    plans = {row.pk: plan_from_dict("", row.plan.document) for row in rows}
    assert [(row.job.status, row.stages_done) for row in rows] == [(JobStatus.DONE, 2)] * 3
    assert [(row.plan.error_count, row.plan.correction_count) for row in rows] == [
        (len(plans[row.pk].errors), len(plans[row.pk].corrections)) for row in rows
    ]
    assert [row.plan.warning_count for row in rows] == [3, 3, 3]


def test_task_run_twice_changes_nothing(tea_run):
    task(job_ids_of(tea_run))
    before = documents_of(tea_run)
    times = list(TakePlan.objects.order_by("pk").values_list("planned_at", flat=True))

    task(job_ids_of(tea_run))

    assert documents_of(tea_run) == before
    assert list(TakePlan.objects.order_by("pk").values_list("planned_at", flat=True)) == times
    assert AuditEntry.objects.filter(action="run_take.correct").count() == 3


def test_plan_of_a_take_does_not_depend_on_the_other_takes(tea_dataset, owner, tea_run):
    work_on_takes(job_ids=job_ids_of(tea_run))
    chosen = tea_dataset.takes.filter(uid="tea-b")
    alone = create_run(request=request_for(tea_dataset, takes=chosen), actor=owner).run

    work_on_takes(job_ids=job_ids_of(alone))

    assert documents_of(alone) == {"tea-b": documents_of(tea_run)["tea-b"]}


def test_take_with_bad_input_fails_with_a_reason_and_the_others_go_on(tea_run):
    Step.objects.filter(take__uid="tea-b", index=4).update(semrep="((")

    work_on_takes(job_ids=job_ids_of(tea_run))

    rows = RunTake.objects.filter(run=tea_run).select_related("job", "take")
    assert {row.take.uid: row.job.status for row in rows} == {
        "tea-a": JobStatus.DONE,
        "tea-b": JobStatus.FAILED,
        "tea-c": JobStatus.DONE,
    }
    failed = rows.get(take__uid="tea-b")
    assert failed.job.error.startswith("take tea-b, step 4: semrep is '(('; expected PREDICATE(")
    assert (failed.stages_done, TakePlan.objects.filter(run_take=failed).count()) == (0, 0)
    entry = AuditEntry.objects.get(action="run_take.fail")
    assert entry.detail == {"take": "tea-b", "attempt": 1, "reason": failed.job.error}


def test_text_without_a_word_is_named(tea_dataset, owner):
    add_take(tea_dataset, "noise", ["Open the box", "!!!", "Close the box"])
    run = create_run(request=request_for(tea_dataset), actor=owner).run

    work_on_takes(job_ids=job_ids_of(run))

    error = Job.objects.get(run_take__run=run, run_take__take__uid="noise").error
    assert error == (
        "take noise, step 1: text is '!!!'; expected an instruction; it is not an instruction: "
        "it has no word"
    )


def test_made_representations_are_cached_by_normal_text(tea_dataset, owner, tea_run):
    shouted = [text.upper() for text in TEA_STEPS]
    add_take(tea_dataset, "shouted", shouted)
    run = create_run(request=request_for(tea_dataset), actor=owner).run

    work_on_takes(job_ids=job_ids_of(run))

    assert MadeSemRep.objects.count() == len(TEA_STEPS)
    spoken, loud = documents_of(run)["tea-a"], documents_of(run)["shouted"]
    assert [step["semantic_representation"] for step in loud["steps"]] == [
        step["semantic_representation"] for step in spoken["steps"]
    ]


def test_cached_representation_is_used_instead_of_the_analyser(tea_run):
    work_on_takes(job_ids=job_ids_of(tea_run)[:1])
    MadeSemRep.objects.filter(text="turn on the kettle").update(semrep="BOIL(Object: kettle)")

    work_on_takes(job_ids=job_ids_of(tea_run)[1:])

    assert documents_of(tea_run)["tea-b"]["steps"][1]["predicate"] == "BOIL"


def test_worker_of_a_cancelled_run_writes_nothing(tea_run, owner, monkeypatch):
    job_ids = job_ids_of(tea_run)
    claimed = claim_job(job_id=job_ids[0])
    cancel_run(run=tea_run, actor=owner)
    monkeypatch.setattr("annotation.services.records.jobs.claim_job", lambda job_id: claimed)

    work_on_takes(job_ids=job_ids[:1])

    assert TakePlan.objects.count() == 0
    assert Job.objects.get(pk=job_ids[0]).status == JobStatus.CANCELLED
    assert RunTake.objects.get(job_id=job_ids[0]).stages_done == 0


def test_resumed_run_has_the_plans_of_an_uninterrupted_run(tea_dataset, tea_run, owner):
    undisturbed = create_run(request=request_for(tea_dataset), actor=owner).run
    work_on_takes(job_ids=job_ids_of(undisturbed))
    work_on_takes(job_ids=job_ids_of(tea_run)[:1])
    cancel_run(run=tea_run, actor=owner)

    work_on_takes(job_ids=resume_run(run=tea_run, actor=owner))

    assert documents_of(tea_run) == documents_of(undisturbed)


def test_run_without_corrections_stores_none(tea_dataset, owner):
    run = create_run(request=request_for(tea_dataset, stages=[Stage.PLAN]), actor=owner).run

    work_on_takes(job_ids=job_ids_of(run))

    plans = TakePlan.objects.filter(run_take__run=run)
    assert [plan.correction_count for plan in plans] == [None] * 3
    assert ["corrections" in plan.document for plan in plans] == [False] * 3


def test_take_over_which_workers_end_fails_with_its_reason_on_the_page_until_somebody_retries(
    tea_run, owner, owner_client
):
    first, *others = job_ids_of(tea_run)
    for _ in range(MOST_LOSSES):
        claim_job(job_id=first)
        Job.objects.filter(pk=first).update(lease_until=timezone.now() - timedelta(seconds=1))

    work_on_takes(job_ids=[first, *others])

    page = owner_client.get(reverse("run-detail", args=[tea_run.public_id])).content.decode()
    assert "The worker stopped 5 times in a row" in page
    assert "Retry failed" in page
    retry_failed_takes(run=tea_run, actor=owner)
    work_on_takes(job_ids=[first])
    statuses = tea_run.run_takes.values_list("job__status", "job__stop_reason")
    assert list(statuses) == [(JobStatus.DONE, "")] * 3
