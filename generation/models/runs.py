"""Generation runs: what was launched, on which takes, what was planned and published."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Dataset, Job, Take, Trace
from annotation.models.columns import one_of
from annotation.models.corpus import new_public_id
from annotation.models.people import user_column
from generation.backends.exceptions import Outcome


class Run(models.Model):
    """One launched generation job: settings, seed, takes; it ends by publishing traces.

    `profile` is the whole planning profile as it was at launch, so that a run can be understood and
    repeated after the shipped profiles have changed. `stages` are the members of `Stage` that this
    run goes through, in order. `options` are the settings of single stages (models, budgets).
    `run_statistics` are the figures over its takes that some profiles normalise with; they and the
    profile never change after launch. `queued_at` is when its takes were last put on the queue.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200)
    owner = user_column("runs")
    is_shared = models.BooleanField(default=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="runs")
    profile_name = models.CharField(max_length=64)
    profile = models.JSONField()
    seed = models.PositiveBigIntegerField()
    stages = models.JSONField()
    options = models.JSONField(default=dict, blank=True)
    run_statistics = models.JSONField(default=dict, blank=True)
    code_version = models.CharField(max_length=40, blank=True)
    cloned_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="clones"
    )
    published_dataset = models.OneToOneField(
        Dataset, null=True, blank=True, on_delete=models.SET_NULL, related_name="produced_by"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField(default=timezone.now)
    cancelled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="run_has_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def payer_key(self) -> str:
        """The key under which calls that the run pays for are recorded."""
        return f"run:{self.public_id}"


class StopReason(models.TextChoices):
    """Why a run stopped by itself; only for a spent budget is more money enough to go on."""

    BUDGET_SPENT = Outcome.BUDGET_SPENT, "Budget spent"
    NO_PRICE = Outcome.NO_PRICE, "No price"
    NOT_ALLOWED = Outcome.NOT_ALLOWED, "Not allowed"


class RunTake(models.Model):
    """One take of a run; `stages_done` counts the stages of the run that it has passed.

    `passed_at` is when it passed the last of them. `stop_reason` is set if the run stopped by
    itself at this take, with the message in `stop_words`; both are emptied when it is queued again.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="run_takes")
    take = models.ForeignKey(Take, on_delete=models.PROTECT, related_name="run_takes")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="run_take")
    position = models.PositiveIntegerField()
    stages_done = models.PositiveSmallIntegerField(default=0)
    passed_at = models.DateTimeField(null=True, blank=True)
    stop_reason = models.CharField(max_length=16, choices=StopReason, blank=True)
    stop_words = models.TextField(blank=True)

    class Meta:
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "take"], name="run_take_once"),
            models.UniqueConstraint(fields=["run", "position"], name="run_take_position_once"),
            one_of("stop_reason", ["", *StopReason], "run_take_stop_reason_known"),
        ]
        indexes = [models.Index(fields=["run", "stages_done"], name="run_take_progress")]

    def __str__(self) -> str:
        return f"take {self.take_id} of run {self.run_id}"


class TakePlan(models.Model):
    """The plan of one take in a run, in the published form, with its counts for quick sums.

    `correction_count` is empty if the run simulates no corrections. `input_hash` is the hash of the
    take when it was planned, so that a later change is noticed.
    """

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="plan")
    document = models.JSONField()
    error_count = models.PositiveSmallIntegerField()
    correction_count = models.PositiveSmallIntegerField(null=True, blank=True)
    warning_count = models.PositiveSmallIntegerField(default=0)
    input_hash = models.CharField(max_length=64)
    planned_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"plan of {self.run_take_id}"


class PublishedTrace(models.Model):
    """Which take of a run a published trace came from; raters never see it."""

    trace = models.OneToOneField(Trace, on_delete=models.CASCADE, related_name="published_from")
    run_take = models.OneToOneField(
        RunTake, on_delete=models.CASCADE, related_name="published_trace"
    )

    def __str__(self) -> str:
        return f"trace {self.trace_id}"
