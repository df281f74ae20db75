"""What the application records of its own work: audit log, jobs, and processes."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.columns import one_of
from annotation.models.corpus import new_public_id
from annotation.models.people import user_column


class AuditEntry(models.Model):
    """Who changed what, when; every service that writes adds one in its own transaction."""

    actor = user_column("audit_entries")
    action = models.CharField(max_length=64)
    subject = models.CharField(max_length=64)
    detail = models.JSONField(default=dict, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["subject", "-id"], name="audit_by_subject")]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"

    @property
    def detail_pairs(self) -> list[tuple[str, object]]:
        """For templates, which take `detail.items` for a detail that is called so."""
        return list(self.detail.items())


class ProcessKind(models.TextChoices):
    """What a process of the site does."""

    WORKER = "worker", "Worker"
    SWEEPER = "sweeper", "Sweeper"


class Process(models.Model):
    """A worker or sweeper on any machine; `seen_at` is its last sign of life."""

    kind = models.CharField(max_length=12, choices=ProcessKind.choices)
    name = models.CharField(max_length=200)
    version = models.CharField(max_length=40, blank=True)
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["kind", "name"]
        verbose_name_plural = "processes"
        constraints = [
            models.UniqueConstraint(fields=["kind", "name"], name="process_once"),
            one_of("kind", ProcessKind.values, "process_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class JobStatus(models.TextChoices):
    """The life of a job; only a queued job can be claimed, only a running one finished.

    A waiting job needs somebody to act: no worker claims it until it is queued again.
    """

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    WAITING = "waiting", "Waiting"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class JobStop(models.TextChoices):
    """Why a job stopped other than by a fault in its work; `Job.error` says it in words."""

    WORKERS_LOST = "workers_lost", "Workers ended"
    BUDGET_SPENT = "budget_spent", "Budget spent"


# A worker has the job, or will have it in a moment.
AT_WORK = (JobStatus.QUEUED, JobStatus.RUNNING)


class Job(models.Model):
    """One piece of queued work. This row, not the broker, is the truth about it.

    A worker claims the row with a conditional update, extends `lease_until` while it works and
    writes its result only under the `attempt` that it claimed; a sweeper puts rows whose lease ran
    out back on the queue. `queued_at` is when a message was last sent for it.

    A queued job with a `lease_until` pauses until then, when it gets its next message together with
    others, `batch_size` at most. `losses` counts the leases that ran out in a row without progress,
    which is a `done_count` above `done_when_lost`.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    kind = models.CharField(max_length=32)
    key = models.CharField(max_length=120)
    payload = models.JSONField(default=dict)
    status = models.CharField(max_length=12, choices=JobStatus.choices, default=JobStatus.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    batch_size = models.PositiveSmallIntegerField(default=1)
    losses = models.PositiveSmallIntegerField(default=0)
    done_when_lost = models.PositiveIntegerField(default=0)
    done_count = models.PositiveIntegerField(default=0)
    total_count = models.PositiveIntegerField(default=0)
    result = models.JSONField(default=dict, blank=True)
    stop_reason = models.CharField(max_length=16, choices=JobStop, blank=True)
    error = models.TextField(blank=True)
    created_by = user_column("jobs")
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "key"], name="job_once"),
            one_of("status", JobStatus.values, "job_status_known"),
            models.CheckConstraint(
                condition=~Q(status=JobStatus.RUNNING) | Q(lease_until__isnull=False),
                name="job_running_has_lease",
            ),
            one_of("stop_reason", ["", *JobStop], "job_stop_reason_known"),
        ]
        indexes = [
            models.Index(fields=["status", "lease_until"], name="job_by_lease"),
            models.Index(fields=["queued_at"], name="job_by_queueing"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class ComputedByJob(models.Model):
    """A row that a job fills; the properties need `job` in the same query."""

    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        abstract = True

    @property
    def error(self) -> str:
        """Why the last attempt failed."""
        failed = self.job is not None and self.job.status == JobStatus.FAILED
        return self.job.error if self.job is not None and failed else ""

    @property
    def is_being_computed(self) -> bool:
        return self.job is not None and self.job.status in AT_WORK
