"""Runs are launched, cancelled, resumed, retried and cloned, and the audit log says by whom."""

from importlib.metadata import PackageNotFoundError

import pytest
from django.core.exceptions import ValidationError

from annotation.models import AuditEntry, Job, JobStatus, Step
from annotation.selectors.records import status
from generation.engine.planner.files.profile_files import profile_to_dict, stored_profile
from generation.engine.planner.profiles import PIEV, PUBLISHED
from generation.engine.stages import Stage
from generation.models import Run, RunTake, TakePlan
from generation.services import runs
from generation.services.run_work import work_on_takes
from tests.factories import DatasetFactory
from tests.generation.tea import add_take, request_for


def statuses_of(run):
    takes = RunTake.objects.filter(run=run).select_related("job")
    return [run_take.job.status for run_take in takes]


def last_entry():
    entry = AuditEntry.objects.first()
    return entry.actor, entry.action, entry.subject, entry.detail


def test_create_run_queues_every_take_in_order(tea_dataset, owner):
    launched = runs.create_run(request=request_for(tea_dataset), actor=owner)

    rows = RunTake.objects.filter(run=launched.run).select_related("take", "job")
    assert [(row.position, row.take.uid, row.job.status) for row in rows] == [
        (0, "tea-a", "queued"),
        (1, "tea-b", "queued"),
        (2, "tea-c", "queued"),
    ]
    assert [row.job_id for row in rows] == launched.job_ids
    assert {row.job.kind for row in rows} == {"generation.work_on_takes"}


def test_create_run_stores_the_whole_profile(tea_run):
    assert tea_run.profile == profile_to_dict(PIEV)
    assert stored_profile(tea_run.profile) == PIEV
    assert tea_run.run_statistics == {}


def test_create_run_stores_which_version_of_the_code_launched_it(tea_dataset, owner, monkeypatch):
    monkeypatch.setattr(runs, "installed_version", lambda: "1.2.3")

    run = runs.create_run(request=request_for(tea_dataset), actor=owner).run

    run.refresh_from_db()
    assert run.code_version == "1.2.3"


def test_code_needs_no_installed_version(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(status, "noted_version", lambda: "")
    monkeypatch.setattr(status, "version", missing)

    assert status.installed_version.__wrapped__() == ""


def test_create_run_estimates_role_priors_from_the_whole_data_set(tea_dataset, owner):
    Step.objects.filter(take__uid="tea-c", index=2).update(
        semrep="GET(Agent: you, Object: cup, Origin: from(shelf))"
    )
    chosen = tea_dataset.takes.filter(uid="tea-a")

    run = runs.create_run(request=request_for(tea_dataset, takes=chosen), actor=owner).run

    third = pytest.approx(1 / 3)
    assert run.profile["wrong_execution"]["role_priors"] == {
        "GET": {"Agent": third, "Object": third, "Origin": third}
    }


def test_create_run_computes_statistics_for_the_published_profile(tea_dataset, owner):
    add_take(tea_dataset, "short", ["Open the door"])
    request = request_for(tea_dataset, profile=PUBLISHED)

    run = runs.create_run(request=request, actor=owner).run

    assert run.run_statistics["duration_range_s"] == [2.0, 20.0]
    assert run.run_statistics["density_range"] == [30.0, 30.0]
    assert run.run_statistics["reuse_by_predicate"]["FILL"] == [3, 3]


def test_create_run_leaves_faulty_takes_out_of_the_statistics(tea_dataset, owner):
    add_take(tea_dataset, "noise", ["!!!", "Open the door"])

    run = runs.create_run(request=request_for(tea_dataset, profile=PUBLISHED), actor=owner).run

    assert run.run_statistics["duration_range_s"] == [20.0, 20.0]
    assert run.run_takes.count() == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "The seed is -1; expected 0 to 9007199254740991."),
        ({"seed": 2**53}, "The seed is 9007199254740992; expected 0 to 9007199254740991."),
        (
            {"stages": [Stage.CORRECT]},
            "The stages are wrong: stage correct needs stage plan; expected both or neither.",
        ),
        ({"stages": []}, "The stages are wrong: no stage is chosen; expected at least plan."),
        ({"name": ""}, "This field cannot be blank."),
    ],
)
def test_create_run_refuses_an_impossible_request(tea_dataset, owner, changes, message):
    with pytest.raises(ValidationError) as refusal:
        runs.create_run(request=request_for(tea_dataset, **changes), actor=owner)

    assert message in refusal.value.messages
    assert (Run.objects.count(), Job.objects.count()) == (0, 0)


def test_create_run_refuses_a_data_set_without_takes(owner):
    empty = DatasetFactory(name="Empty", owner=owner)

    with pytest.raises(ValidationError, match="Data set Empty has no take to work on"):
        runs.create_run(request=request_for(empty), actor=owner)

    assert (Run.objects.count(), AuditEntry.objects.count()) == (0, 0)


def test_create_run_is_in_the_audit_log(tea_dataset, tea_run, owner):
    assert last_entry() == (
        owner,
        "run.create",
        f"run:{tea_run.public_id}",
        {
            "name": "Tea, seed 123",
            "dataset": tea_dataset.public_id,
            "profile": "piev",
            "seed": 123,
            "stages": ["plan", "correct"],
            "takes": 3,
            "cloned_from": None,
        },
    )


def test_cancel_stops_unfinished_takes(tea_run, owner):
    work_on_takes(job_ids=[tea_run.run_takes.get(position=0).job_id])

    stopped_count = runs.cancel_run(run=tea_run, actor=owner)

    assert stopped_count == 2
    assert statuses_of(tea_run) == [JobStatus.DONE, JobStatus.CANCELLED, JobStatus.CANCELLED]
    assert Run.objects.get().cancelled_at is not None
    assert last_entry() == (owner, "run.cancel", f"run:{tea_run.public_id}", {"takes": 2})


def test_resume_queues_the_cancelled_takes_only(tea_run, owner):
    work_on_takes(job_ids=[tea_run.run_takes.get(position=0).job_id])
    runs.cancel_run(run=tea_run, actor=owner)
    queued_at = Run.objects.get().queued_at

    job_ids = runs.resume_run(run=tea_run, actor=owner)

    assert job_ids == [take.job_id for take in tea_run.run_takes.filter(position__gt=0)]
    assert statuses_of(tea_run) == [JobStatus.DONE, JobStatus.QUEUED, JobStatus.QUEUED]
    assert Run.objects.get().cancelled_at is None
    assert Run.objects.get().queued_at > queued_at
    assert last_entry() == (owner, "run.resume", f"run:{tea_run.public_id}", {"takes": 2})


def test_retry_queues_the_failed_takes_only_and_mended_input_passes(tea_run, owner):
    Step.objects.filter(take__uid="tea-b", index=0).update(semrep="((")
    work_on_takes(job_ids=[take.job_id for take in tea_run.run_takes.all()])
    Step.objects.filter(take__uid="tea-b", index=0).update(semrep="")

    job_ids = runs.retry_failed_takes(run=tea_run, actor=owner)
    work_on_takes(job_ids=job_ids)

    assert job_ids == [tea_run.run_takes.get(position=1).job_id]
    assert statuses_of(tea_run) == [JobStatus.DONE] * 3
    assert Job.objects.get(pk=job_ids[0]).error == ""
    assert AuditEntry.objects.filter(action="run.retry").get().detail == {"takes": 1}


def test_delete_takes_plans_and_jobs_and_leaves_the_takes(tea_dataset, tea_run, owner):
    work_on_takes(job_ids=[take.job_id for take in tea_run.run_takes.all()])
    subject = f"run:{tea_run.public_id}"

    runs.delete_run(run=tea_run, actor=owner)

    assert (Run.objects.count(), TakePlan.objects.count(), Job.objects.count()) == (0, 0, 0)
    assert tea_dataset.takes.count() == 3
    detail = {"name": "Tea, seed 123", "dataset": tea_dataset.public_id, "takes": 3}
    assert last_entry() == (owner, "run.delete", subject, detail)


def test_delete_refuses_a_run_that_is_not_done(tea_run, owner):
    with pytest.raises(runs.RunUnfinishedError, match="3 takes of Tea, seed 123 are not finished"):
        runs.delete_run(run=tea_run, actor=owner)

    assert tea_run.run_takes.count() == 3


def test_clone_has_the_same_takes_and_settings_and_another_seed(tea_dataset, owner):
    chosen = tea_dataset.takes.filter(uid__in=["tea-a", "tea-c"])
    run = runs.create_run(request=request_for(tea_dataset, takes=chosen), actor=owner).run

    clone = runs.clone_run(run=run, seed=7, actor=owner).run

    assert (clone.name, clone.seed, clone.cloned_from) == ("Tea, seed 7", 7, run)
    assert (clone.profile, clone.stages) == (run.profile, run.stages)
    assert [take.take.uid for take in clone.run_takes.all()] == ["tea-a", "tea-c"]
    assert last_entry()[1] == "run.clone"
