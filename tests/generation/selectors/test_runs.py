"""Who sees which run, and how far it is: hand-counted, and in one query."""

from datetime import timedelta

import pytest
from django.http import Http404
from django.utils import timezone

from annotation.models import Job, JobStatus
from generation.engine.stages import Stage
from generation.models import Run, RunTake
from generation.selectors import runs
from generation.selectors.runs import StageProgress
from generation.selectors.totals import run_totals
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.generation.tea import request_for


def test_own_and_shared_runs_are_visible(tea_dataset, owner, outsider, annotator, administrator):
    private = create_run(request=request_for(tea_dataset), actor=owner).run
    shared = create_run(request=request_for(tea_dataset, is_shared=True), actor=owner).run

    seen = {user.username: set(runs.visible_runs(user)) for user in
            (owner, outsider, annotator, administrator)}  # fmt: skip

    assert seen == {
        "owner": {private, shared},
        "outsider": {shared},
        "annotator": set(),
        "administrator": {private, shared},
    }


def test_shared_run_can_be_seen_but_not_changed_by_others(tea_dataset, owner, outsider):
    shared = create_run(request=request_for(tea_dataset, is_shared=True), actor=owner).run

    assert runs.get_run_for_user(outsider, shared.public_id) == shared
    with pytest.raises(Http404):
        runs.get_changeable_run(outsider, shared.public_id)


def set_state(run, position, status, *, stages_done=0, started_at=None, passed_at=None):
    run_take = run.run_takes.get(position=position)
    RunTake.objects.filter(pk=run_take.pk).update(stages_done=stages_done, passed_at=passed_at)
    lease = timezone.now() if status == JobStatus.RUNNING else None
    Job.objects.filter(pk=run_take.job_id).update(
        status=status, started_at=started_at, lease_until=lease
    )


def test_progress_counts_stages_rate_and_time_left(tea_dataset, owner, tea_run):
    now = timezone.now()
    start = now - timedelta(seconds=10)
    Run.objects.filter(pk=tea_run.pk).update(queued_at=start - timedelta(seconds=1))
    passed = {"started_at": start, "passed_at": now - timedelta(seconds=2)}
    set_state(tea_run, 0, JobStatus.DONE, stages_done=2, **passed)
    set_state(tea_run, 1, JobStatus.RUNNING, stages_done=1, **passed)

    progress = runs.progress_of(tea_run, now=now)

    assert (progress.state, progress.is_finished, progress.left_s) == ("running", False, 20)
    assert progress.stages == (
        StageProgress(Stage.PLAN, 3, 2, 0, 0, rate_per_s=0.2, left_s=5.0),
        StageProgress(Stage.CORRECT, 3, 1, 0, 0, rate_per_s=0.1, left_s=20.0),
    )


def test_progress_of_a_resumed_run_counts_the_time_since_then(tea_run):
    now = timezone.now()
    long_ago = now - timedelta(days=3)
    Run.objects.filter(pk=tea_run.pk).update(queued_at=now - timedelta(seconds=8))
    set_state(tea_run, 0, JobStatus.DONE, stages_done=2, started_at=long_ago, passed_at=long_ago)
    start = now - timedelta(seconds=4)
    set_state(tea_run, 1, JobStatus.DONE, stages_done=2, started_at=start, passed_at=now)

    progress = runs.progress_of(tea_run, now=now)

    assert [stage.done_count for stage in progress.stages] == [2, 2]
    assert [stage.rate_per_s for stage in progress.stages] == [0.25, 0.25]
    assert progress.left_s == 4


def test_failed_take_counts_at_its_stage_and_is_not_waited_for(tea_run):
    set_state(tea_run, 0, JobStatus.FAILED, stages_done=1)

    progress = runs.progress_of(tea_run)

    assert [stage.failed_count for stage in progress.stages] == [0, 1]
    assert progress.failed_count == 1


@pytest.mark.parametrize(
    ("statuses", "state"),
    [
        (["queued", "queued", "queued"], "queued"),
        (["done", "queued", "queued"], "running"),
        (["done", "running", "queued"], "running"),
        (["done", "cancelled", "failed"], "cancelled"),
        (["done", "done", "failed"], "finished with failures"),
        (["done", "done", "done"], "finished"),
    ],
)
def test_state_is_one_word_for_the_whole_run(tea_run, statuses, state):
    for position, status in enumerate(statuses):
        set_state(tea_run, position, status)

    assert runs.progress_of(tea_run).state == state


def test_progress_of_many_runs_is_one_query(tea_dataset, owner, django_assert_num_queries):
    many = [create_run(request=request_for(tea_dataset), actor=owner).run for _ in range(3)]

    with django_assert_num_queries(1):
        progress = runs.progress_by_run(many)

    assert [progress[run.pk].take_count for run in many] == [3, 3, 3]


def test_totals_add_up_the_plans(tea_run):
    assert run_totals(tea_run).plans.plan_count == 0
    work_on_takes(job_ids=[take.job_id for take in tea_run.run_takes.all()])

    totals = run_totals(tea_run).plans

    plans = [take.plan for take in tea_run.run_takes.select_related("plan")]
    assert totals.plan_count == 3
    assert totals.error_count == sum(plan.error_count for plan in plans)
    assert totals.correction_count == sum(plan.correction_count for plan in plans)
    assert totals.warning_count == 3
