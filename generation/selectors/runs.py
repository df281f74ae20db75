"""Read runs: who may see which, how far they are, and what happened to their takes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.models import JobStatus, Role, User
from annotation.selectors.corpus.blinding import get_unhidden, hidden_datasets
from generation.engine.stages import Stage
from generation.models import Endpoint, Run, RunTake

# The rule of `endpoints_for_user`, in plain SQL because it runs before every request of a run; a
# run without an owner is the site's own.
MAY_ASK_SQL = """
SELECT 1 FROM generation_run r CROSS JOIN {table} e
LEFT JOIN annotation_user u ON u.id = r.owner_id
WHERE r.id = %s AND e.id = %s AND (
  u.id IS NULL OR u.is_superuser OR u.role = %s
  OR (u.role = %s AND (e.is_shared OR e.owner_id = u.id)))
"""


def visible_runs(user: User) -> QuerySet[Run]:
    """The runs that the user may see: own and shared, or all, or none.

    Runs that made what the user rates in an open campaign are hidden, so that they reveal nothing,
    and so are runs over a data set that is hidden, whose takes and name they show.
    """
    hidden = hidden_datasets(user).values("pk")
    return openable_runs(user).exclude(Q(published_dataset__in=hidden) | Q(dataset__in=hidden))


def openable_runs(user: User) -> QuerySet[Run]:
    """The runs that the user may see when no campaign hides them."""
    if user.is_administrator:
        return Run.objects.all()
    if user.is_researcher:
        return Run.objects.filter(Q(owner=user) | Q(is_shared=True))
    return Run.objects.none()


def may_change_run(user: User, run: Run) -> bool:
    """Whether the user may cancel, resume, retry and clone the run."""
    return user.is_administrator or (user.is_researcher and run.owner_id == user.pk)


def get_run_for_user(user: User, public_id: str) -> Run:
    """A visible run; raises Http404 if there is none, or the error that says it is hidden."""
    runs = visible_runs(user).select_related("dataset", "owner", "cloned_from", "published_dataset")
    return get_unhidden(user, runs, openable_runs(user), public_id)


def get_changeable_run(user: User, public_id: str) -> Run:
    run = get_run_for_user(user, public_id)
    if not may_change_run(user, run):
        raise Http404
    return run


def get_run_take_for_user(user: User, public_id: str, position: int) -> RunTake:
    """A take of a visible run by its 0-based position; raises Http404."""
    run = get_run_for_user(user, public_id)
    takes = RunTake.objects.select_related("take", "job", "plan").filter(run=run)
    run_take = get_object_or_404(takes, position=position)
    run_take.run = run
    return run_take


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The positions of the previous and the next take; None at the ends."""

    previous: int | None
    next: int | None


def neighbours_of(run_take: RunTake) -> Neighbours:
    """The positions of the takes next to this one (one query)."""
    last = run_take.run.run_takes.count() - 1
    position = run_take.position
    return Neighbours(
        previous=position - 1 if position > 0 else None,
        next=position + 1 if position < last else None,
    )


@dataclass(frozen=True, slots=True)
class StageProgress:
    """How far one stage of a run is.

    `rate_per_s` is measured since work began after the run's takes were last queued; None if
    nothing was done since. `left_s` is None if nothing is left or no rate is known. Long work
    reports its parts: `part_count` sums those of the takes in progress. Takes that wait for a
    person (`waiting_count`) are neither done nor counted in `left_s`.
    """

    stage: Stage
    total_count: int
    done_count: int
    failed_count: int
    cancelled_count: int
    rate_per_s: float | None
    left_s: float | None
    waiting_count: int = 0
    done_part_count: int = 0
    part_count: int = 0

    @property
    def is_done(self) -> bool:
        return self.done_count == self.total_count


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: its takes by state, and every stage."""

    take_count: int
    queued_count: int
    running_count: int
    done_count: int
    failed_count: int
    cancelled_count: int
    waiting_count: int
    started_at: datetime | None
    last_passed_at: datetime | None
    stages: tuple[StageProgress, ...]

    @property
    def unfinished_count(self) -> int:
        return self.queued_count + self.running_count + self.waiting_count

    @property
    def is_at_work(self) -> bool:
        """Whether a worker has something to do."""
        return self.queued_count + self.running_count > 0

    @property
    def is_finished(self) -> bool:
        return self.unfinished_count == 0

    @property
    def fingerprint(self) -> str:
        """A text that changes whenever a take changes its state."""
        counts = (
            self.queued_count,
            self.running_count,
            self.waiting_count,
            self.done_count,
            self.failed_count,
            self.cancelled_count,
        )
        return "-".join(map(str, counts))

    @property
    def state(self) -> str:
        if self.running_count or (self.queued_count and self.done_count):
            return "running"
        if self.queued_count:
            return "queued"
        if self.waiting_count:
            return "waiting for you"
        if self.cancelled_count:
            return "cancelled"
        return "finished with failures" if self.failed_count else "finished"

    @property
    def left_s(self) -> float | None:
        """The seconds that the slowest stage still needs, None if no stage knows."""
        return max((it.left_s for it in self.stages if it.left_s is not None), default=None)

    @property
    def took_s(self) -> float | None:
        """How long a finished run has worked since it was last queued."""
        if self.started_at is None or self.last_passed_at is None:
            return None
        return (self.last_passed_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class _Group:
    """The takes of a run that have passed the same stages and whose jobs have the same status."""

    run_id: int
    stages_done: int
    job__status: str
    take_count: int
    recent_count: int
    started: datetime | None
    passed: datetime | None
    done_parts: int
    parts: int


def progress_of(run: Run, *, now: datetime | None = None) -> RunProgress:
    """How far a run is (one query)."""
    return progress_by_run([run], now=now)[run.pk]


def progress_by_run(runs: Iterable[Run], *, now: datetime | None = None) -> dict[int, RunProgress]:
    """How far each of the runs is, by primary key (one query for all of them)."""
    by_id = {run.pk: run for run in runs}
    this_leg = Q(job__started_at__gte=F("run__queued_at"))
    rows = (
        RunTake.objects.filter(run__in=list(by_id))
        .order_by()
        .values("run_id", "stages_done", "job__status")
        .annotate(
            take_count=Count("pk"),
            recent_count=Count("pk", filter=Q(passed_at__gte=F("run__queued_at"))),
            started=Min("job__started_at", filter=this_leg),
            passed=Max("passed_at", filter=Q(passed_at__gte=F("run__queued_at"))),
            done_parts=Sum("job__done_count"),
            parts=Sum("job__total_count"),
        )
    )
    groups: dict[int, list[_Group]] = {run_id: [] for run_id in by_id}
    for row in rows:
        groups[row["run_id"]].append(_Group(**row))
    moment = now or timezone.now()
    return {run_id: _progress(by_id[run_id], of_run, moment) for run_id, of_run in groups.items()}


def _progress(run: Run, groups: list[_Group], now: datetime) -> RunProgress:
    count_by_status = {
        status: sum(group.take_count for group in groups if group.job__status == status)
        for status in JobStatus
    }
    started_at = min((group.started for group in groups if group.started), default=None)
    passed_at = max((group.passed for group in groups if group.passed), default=None)
    # While a run only waits for people, the clock of its rates stands still.
    is_at_work = count_by_status[JobStatus.QUEUED] + count_by_status[JobStatus.RUNNING] > 0
    until = now if is_at_work else passed_at
    elapsed_s = (until - started_at).total_seconds() if until and started_at else 0.0
    return RunProgress(
        take_count=sum(group.take_count for group in groups),
        **{f"{status}_count": count for status, count in count_by_status.items()},
        started_at=started_at,
        last_passed_at=passed_at,
        stages=tuple(
            _stage_progress(Stage(stage), index, groups, elapsed_s)
            for index, stage in enumerate(run.stages)
        ),
    )


def _stage_progress(
    stage: Stage, index: int, groups: list[_Group], elapsed_s: float
) -> StageProgress:
    stopped = {
        status: sum(group.take_count for group in groups if _stands_at(group, index, status))
        for status in (JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.WAITING)
    }
    done_count = sum(group.take_count for group in groups if group.stages_done > index)
    recent_count = sum(group.recent_count for group in groups if group.stages_done > index)
    # Takes that stopped at an earlier stage do not reach this one unless they are retried, and
    # nobody knows when those that wait for a person will.
    lost_count = sum(
        group.take_count
        for group in groups
        if group.stages_done <= index and group.job__status in stopped
    )
    total_count = sum(group.take_count for group in groups)
    left_count = total_count - done_count - lost_count
    rate = recent_count / elapsed_s if recent_count and elapsed_s > 0 else None
    at_work = [group for group in groups if _stands_at(group, index, JobStatus.RUNNING)]
    return StageProgress(
        stage=stage,
        total_count=total_count,
        done_count=done_count,
        failed_count=stopped[JobStatus.FAILED],
        cancelled_count=stopped[JobStatus.CANCELLED],
        rate_per_s=rate,
        left_s=left_count / rate if rate and left_count else None,
        waiting_count=stopped[JobStatus.WAITING],
        done_part_count=sum(group.done_parts for group in at_work),
        part_count=sum(group.parts for group in at_work),
    )


def _stands_at(group: _Group, index: int, status: JobStatus) -> bool:
    return group.stages_done == index and group.job__status == status


def run_takes(run: Run) -> QuerySet[RunTake]:
    """The takes of a run in working order, with their products but without the long documents."""
    products = ("plan", "rewrite", "judgement")
    takes = RunTake.objects.filter(run=run).select_related("take", "job", *products, "made_video")
    documents = [f"{name}__document" for name in products]
    documents += ["judgement__attempts", "made_video__edits", "made_video__result"]
    findings = F("judgement__hard_left") + F("judgement__soft_left")
    return takes.defer(*documents).annotate(findings_left=findings).order_by("position")


# Takes that are done but were not published because of hard findings.
WITHHELD = Q(
    job__status=JobStatus.DONE,
    judgement__hard_left__gt=0,
    plan__error_count__gt=0,
    published_trace__isnull=True,
)


def withheld_takes(run: Run) -> QuerySet[RunTake]:
    return RunTake.objects.filter(WITHHELD, run=run)


def failed_takes(run: Run) -> QuerySet[RunTake]:
    return run_takes(run).filter(job__status=JobStatus.FAILED)


def may_ask(run_id: int, endpoint: Endpoint) -> bool:
    """Whether a run may ask an endpoint now, which is whether its owner may use it."""
    roles = [str(Role.ADMINISTRATOR), str(Role.RESEARCHER)]
    with connection.cursor() as cursor:
        cursor.execute(
            MAY_ASK_SQL.format(table=endpoint._meta.db_table), [run_id, endpoint.pk, *roles]
        )
        return cursor.fetchone() is not None
