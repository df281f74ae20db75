"""Launch, cancel, resume, retry and clone runs. Nothing here sends messages: see `launch`.

Every function that queues takes returns the ids of their jobs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.exceptions import NotNowError
from annotation.models import AT_WORK, Dataset, Job, JobStatus, Take, User
from annotation.selectors.records.status import installed_version
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import cancel_jobs, enqueue_jobs, requeue_jobs
from annotation.services.records.locks import lock_datasets
from generation.engine.planner.files.corpus_role_priors import role_priors_of, with_role_priors
from generation.engine.planner.files.plan_files import needs_run_statistics
from generation.engine.planner.files.profile_files import profile_to_dict, stored_profile
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import RunStatistics, run_statistics_of
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage, ordered_stages
from generation.models import Run, RunTake
from generation.selectors.launching.models import options_unusable_for
from generation.selectors.plans.procedures import prepare_takes, semreps_of_dataset
from generation.selectors.run_stops import stopped_takes
from generation.selectors.runs import withheld_takes
from generation.services.clips.videos import forget_files
from generation.services.texts.semreps import cache_semreps

JOB_KIND = "generation.work_on_takes"
# The largest whole number that every JSON reader keeps exact.
MAX_SEED = 2**53 - 1
# Below the number of variables that any database allows in one statement.
ROWS_AT_ONCE = 1000
UNFINISHED = (*AT_WORK, JobStatus.WAITING)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to launch. `takes` are takes of the data set, None for all of them."""

    name: str
    dataset: Dataset
    profile: Profile
    seed: int
    stages: Sequence[Stage]
    takes: QuerySet[Take] | None = None
    is_shared: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    cloned_from: Run | None = None


@dataclass(frozen=True, slots=True)
class Launched:
    """A run whose rows are written, and the jobs to send messages for."""

    run: Run
    job_ids: list[int]


@transaction.atomic
def create_run(*, request: RunRequest, actor: User | None) -> Launched:
    """Write a run with its takes and jobs, and the figures that its profile normalises with.

    Raises ValidationError if the request has no take, no name, a seed out of range, or a stage
    without the one that it needs, or if the data set was deleted just now.
    """
    try:
        lock_datasets([request.dataset])
    except Http404 as error:
        raise ValidationError(str(error)) from error
    takes = takes_of_request(request)
    stages = _checked_stages(request)
    profile = profile_with_dataset_priors(request.profile, request.dataset)
    statistics = _statistics_of(takes, profile)
    run = Run(
        name=request.name,
        owner=actor,
        is_shared=request.is_shared,
        dataset=request.dataset,
        profile_name=profile.name,
        profile=profile_to_dict(profile),
        seed=request.seed,
        stages=[str(stage) for stage in stages],
        options=request.options,
        run_statistics=statistics.to_dict() if statistics else {},
        code_version=installed_version(),
        cloned_from=request.cloned_from,
    )
    run.full_clean()
    run.save()
    job_ids = _add_takes(run, takes, actor)
    record(
        actor=actor,
        action="run.clone" if request.cloned_from else "run.create",
        subject=f"run:{run.public_id}",
        detail={
            "name": run.name,
            "dataset": run.dataset.public_id,
            "profile": run.profile_name,
            "seed": run.seed,
            "stages": run.stages,
            "takes": len(job_ids),
            "cloned_from": request.cloned_from.public_id if request.cloned_from else None,
        },
    )
    return Launched(run, job_ids)


def takes_of_request(request: RunRequest) -> QuerySet[Take]:
    """The takes that a request asks for, in the order in which they are worked on."""
    takes = Take.objects.all() if request.takes is None else request.takes
    return takes.filter(dataset=request.dataset).order_by("name", "uid")


def _checked_stages(request: RunRequest) -> list[Stage]:
    if not 0 <= request.seed <= MAX_SEED:
        raise ValidationError(f"The seed is {request.seed}; expected 0 to {MAX_SEED}.")
    try:
        is_freeform = RunOptions.from_dict(request.options).is_freeform
        return ordered_stages(request.stages, is_freeform=is_freeform)
    except ValueError as error:
        raise ValidationError(f"The stages are wrong: {error}.") from error


def profile_with_dataset_priors(profile: Profile, dataset: Dataset) -> Profile:
    """The profile with role priors from the data set, unless it has its own.

    They come from the whole data set and not from the takes of the run, so that a take's plan does
    not depend on which other takes are in the run.
    """
    if profile.wrong_execution.role_priors:
        return profile
    semreps = semreps_of_dataset(dataset)
    return with_role_priors(profile, role_priors_of(semreps)) if semreps else profile


def _statistics_of(takes: QuerySet[Take], profile: Profile) -> RunStatistics | None:
    """The figures over the takes, None if the profile needs none; faulty takes do not count."""
    if not needs_run_statistics(profile):
        return None

    def readable() -> Iterator[Procedure]:
        for prepared in prepare_takes(takes):
            if not isinstance(prepared, FormatError):
                cache_semreps(prepared.new_semreps)
                yield prepared.procedure

    try:
        return run_statistics_of(readable(), profile=profile)
    except ValueError as error:
        raise ValidationError(f"Profile {profile.name} cannot be used here: {error}.") from error


def _add_takes(run: Run, takes: QuerySet[Take], actor: User | None) -> list[int]:
    """Write one job and one row per take and return the job ids in working order."""
    job_ids: list[int] = []
    take_ids = takes.values_list("pk", flat=True).iterator(chunk_size=ROWS_AT_ONCE)
    for chunk in _chunks(enumerate(take_ids)):
        key_by_position = {position: f"{run.public_id}:{position}" for position, _ in chunk}
        ids = enqueue_jobs(
            kind=JOB_KIND,
            payload_by_key={key: {} for key in key_by_position.values()},
            created_by=actor,
        )
        job_by_key = dict(Job.objects.filter(pk__in=ids).values_list("key", "pk"))
        rows = [
            RunTake(
                run=run,
                take_id=take_id,
                job_id=job_by_key[key_by_position[position]],
                position=position,
            )
            for position, take_id in chunk
        ]
        RunTake.objects.bulk_create(rows)
        job_ids += [row.job_id for row in rows]
    if not job_ids:
        raise ValidationError(f"Data set {run.dataset.name} has no take to work on.")
    return job_ids


def _chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while chunk := list(islice(rest, ROWS_AT_ONCE)):
        yield chunk


@transaction.atomic
def cancel_run(*, run: Run, actor: User | None) -> int:
    """Stop a run and return how many takes were stopped; what is done stays done."""
    stopped_count = sum(cancel_jobs(job_ids=ids) for ids in _chunks(_job_ids(run, *UNFINISHED)))
    if stopped_count:
        Run.objects.filter(pk=run.pk).update(cancelled_at=timezone.now())
    _note(run, actor, "run.cancel", stopped_count)
    return stopped_count


@transaction.atomic
def resume_run(*, run: Run, actor: User | None) -> list[int]:
    """Put the cancelled takes of a run back on the queue and return their jobs.

    This includes the take at which the run stopped by itself, because its budget was spent or a
    model was not available to it.
    """
    job_ids = _requeue_stopped(run)
    _note(run, actor, "run.resume", len(job_ids))
    return job_ids


@transaction.atomic
def retry_failed_takes(*, run: Run, actor: User | None) -> list[int]:
    """Put the failed takes of a run back on the queue and return their jobs."""
    job_ids = _requeued(run, _job_ids(run, JobStatus.FAILED))
    _note(run, actor, "run.retry", len(job_ids))
    return job_ids


@transaction.atomic
def publish_withheld(*, run: Run, actor: User | None) -> list[int]:
    """Let the run publish texts with hard findings; return the jobs of the takes it withheld.

    These go back to the video stage, if the run has one, since withheld takes have no video yet.
    """
    locked = Run.objects.select_for_update().order_by().only("pk", "options").get(pk=run.pk)
    run.options = {**locked.options, "publishes_hard_findings": True}
    Run.objects.filter(pk=run.pk).update(options=run.options)
    takes = list(withheld_takes(run).order_by("position").values_list("pk", "job_id"))
    first = next((s for s in run.stages if s in {Stage.VIDEO, Stage.PUBLISH}), None)
    if first is not None:
        RunTake.objects.filter(pk__in=[pk for pk, _ in takes]).update(
            stages_done=run.stages.index(first)
        )
    job_ids = _requeued(run, [job_id for _, job_id in takes], with_done=True)
    _note(run, actor, "run.publish_withheld", len(job_ids))
    return job_ids


@transaction.atomic
def raise_budget(*, run: Run, budget_usd: float, actor: User | None) -> list[int]:
    """Raise the budget of a run and return the jobs of the takes that it had stopped.

    The take at which the money ran out and those that were cancelled go back on the queue; answers
    are recorded, so nothing is paid for twice. Takes that failed for another reason stay failed.
    Raises ValidationError if the run has no budget, or already one as high.
    """
    locked = Run.objects.select_for_update().order_by().only("pk", "options").get(pk=run.pk)
    before = RunOptions.from_dict(locked.options).budget_usd
    if before is None:
        raise ValidationError("This run has no budget that could be raised.")
    if not before < budget_usd < float("inf"):
        raise ValidationError(f"The budget is ${before:.2f}; expected more than that.")
    run.options = {**locked.options, "budget_usd": budget_usd}
    Run.objects.filter(pk=run.pk).update(options=run.options)
    job_ids = _requeue_stopped(run)
    _note(run, actor, "run.budget", len(job_ids), before=before, budget_usd=budget_usd)
    return job_ids


def _requeue_stopped(run: Run) -> list[int]:
    """Put cancelled takes, and those at which the run stopped, back on the queue; return jobs."""
    cancelled = RunTake.objects.filter(run=run, job__status=JobStatus.CANCELLED)
    takes = (cancelled | stopped_takes(run)).order_by("position")
    return _requeued(run, list(takes.values_list("job_id", flat=True)), cancelled_at=None)


def _requeued(
    run: Run, job_ids: Iterable[int], *, with_done: bool = False, **changes: object
) -> list[int]:
    """Put jobs of a run back on the queue and return them; `changes` go to the run if any do."""
    requeued = [
        job_id
        for ids in _chunks(job_ids)
        for job_id in requeue_jobs(job_ids=ids, with_done=with_done)
    ]
    for ids in _chunks(requeued):
        stopped = RunTake.objects.filter(job__in=ids).exclude(stop_reason="")
        stopped.update(stop_reason="", stop_words="")
    if requeued:
        Run.objects.filter(pk=run.pk).update(queued_at=timezone.now(), **changes)
    return requeued


class RunUnfinishedError(NotNowError):
    """A run with takes still queued or in progress cannot be deleted."""


@transaction.atomic
def delete_run(*, run: Run, actor: User | None) -> None:
    """Delete a finished or cancelled run with its plans; its takes and data sets stay.

    So do its videos, if the data set that it published still exists.

    Raises RunUnfinishedError while takes are queued or in progress.
    """
    takes = RunTake.objects.filter(run=run)
    unfinished_count = takes.filter(job__status__in=UNFINISHED).count()
    if unfinished_count:
        raise RunUnfinishedError(
            f"{unfinished_count} takes of {run.name} are not finished; cancel the run first."
        )
    detail = {"name": run.name, "dataset": run.dataset.public_id, "takes": takes.count()}
    job_ids = list(takes.values_list("job_id", flat=True))
    run_subject = f"run:{run.public_id}"
    keeps_videos = run.published_dataset_id is not None
    transaction.on_commit(partial(forget_files, run.public_id, keeps_videos=keeps_videos))
    run.delete()
    for ids in _chunks(job_ids):
        Job.objects.filter(pk__in=ids).delete()
    record(actor=actor, action="run.delete", subject=run_subject, detail=detail)


def _job_ids(run: Run, *statuses: JobStatus) -> list[int]:
    takes = RunTake.objects.filter(run=run, job__status__in=statuses).order_by("position")
    return list(takes.values_list("job_id", flat=True))


def _note(run: Run, actor: User | None, action: str, take_count: int, **more: object) -> None:
    subject = f"run:{run.public_id}"
    record(actor=actor, action=action, subject=subject, detail={**more, "takes": take_count})


def clone_run(*, run: Run, seed: int, actor: User | None) -> Launched:
    """Launch the same takes under the same profile and stages with another seed.

    Raises ValidationError if the actor may not use the models: a shared run may use models that its
    owner shares with nobody. `actor` None is the command line, which may use all.
    """
    if actor is not None and (faults := options_unusable_for(actor, run)):
        raise ValidationError(f"You cannot clone {run.name}. {' '.join(faults)}")
    request = RunRequest(
        name=f"{base_name(run)}, seed {seed}",
        dataset=run.dataset,
        profile=stored_profile(run.profile),
        seed=seed,
        stages=[Stage(stage) for stage in run.stages],
        takes=Take.objects.filter(run_takes__run=run),
        options=run.options,
        cloned_from=run,
    )
    return create_run(request=request, actor=actor)


def base_name(run: Run) -> str:
    """The name of a run without the seed that a clone's name ends with."""
    return run.name.removesuffix(f", seed {run.seed}")
