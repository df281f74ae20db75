"""Assessments, which are participants on item sets, with their answers and figures."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Job
from annotation.models.columns import one_of
from annotation.models.corpus import new_public_id
from benchmarks.engine.task import AnswerStatus
from benchmarks.models.agents import AgentCall, AgentEndpoint
from benchmarks.models.item_sets import Item, ItemSet
from generation.models import TextCall, TextEndpoint

# A column of the tables is called `settings`.
USER = settings.AUTH_USER_MODEL
STATUSES = [(status.value, status.value.replace("_", " ")) for status in AnswerStatus]


class ParticipantKind(models.TextChoices):
    """What kind of participant answers."""

    ENDPOINT = "endpoint", "Model"
    AGENT = "agent", "Agent"
    TRAINED = "trained", "Trained model"
    FILE = "file", "File"
    PERSON = "person", "Person"
    REVIEW = "review", "People in a review"
    BASELINE = "baseline", "Baseline"


class Assessment(models.Model):
    """One participant on one item set.

    `name` is the participant's exact name. `settings` decide the answers besides the items:
    pictures, variant of the prompt, repeats, judges, temperature, budget, or the recipe of a
    training. Models that are asked or trained have a `job`. Answers are final from `frozen_at` on;
    `counts` is their number by status, `usage` what they cost: {"usd" (None without a price),
    "tokens_in", "tokens_out", "seconds", and for one answer "seconds_median" and "seconds_p95"},
    empty where no model was asked.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    item_set = models.ForeignKey(ItemSet, on_delete=models.PROTECT, related_name="assessments")
    kind = models.CharField(max_length=12, choices=ParticipantKind.choices)
    name = models.CharField(max_length=300)
    endpoint = models.ForeignKey(
        TextEndpoint, null=True, blank=True, on_delete=models.SET_NULL, related_name="assessments"
    )
    agent = models.ForeignKey(
        AgentEndpoint, null=True, blank=True, on_delete=models.SET_NULL, related_name="assessments"
    )
    person = models.ForeignKey(
        USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="assessments_taken"
    )
    owner = models.ForeignKey(
        USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="assessments"
    )
    settings = models.JSONField(default=dict, blank=True)
    job = models.OneToOneField(
        Job, null=True, blank=True, on_delete=models.PROTECT, related_name="assessment"
    )
    counts = models.JSONField(default=dict, blank=True)
    usage = models.JSONField(default=dict, blank=True)
    # The hash of an uploaded file.
    file_hash = models.CharField(max_length=64, blank=True)
    code_version = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="assessment_has_name"),
            one_of("kind", ParticipantKind.values, "assessment_kind_known"),
            models.UniqueConstraint(
                fields=["item_set", "person"],
                condition=Q(person__isnull=False),
                name="assessment_person_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def asked(self) -> TextEndpoint | AgentEndpoint | None:
        """The model or the agent that is asked; None where it was deleted, or nobody is."""
        return self.endpoint or self.agent

    @property
    def payer_key(self) -> str:
        """The key under which paid calls of this assessment are recorded."""
        return f"assessment:{self.public_id}"


class Answer(models.Model):
    """The answer to one item, or why there is none, for one `repeat`.

    A model's answer has its `call`, an agent's its `agent_call`: the last one, see `AnswerStage`.
    `seconds` is how long all of them took, None where nobody was asked or nothing came.
    `raw` is the answer as it came, `value` what it was read to, `reason` why it was not read. `saw`
    lists the pictures that the participant got and the examples that it was shown before. `judged`
    holds each judge's judgement by name. `state` is what a conversation about the next item of the
    sequence begins with (`Task.converse`).
    """

    assessment = models.ForeignKey(Assessment, on_delete=models.CASCADE, related_name="answers")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="answers")
    repeat = models.PositiveSmallIntegerField(default=0)
    status = models.CharField(max_length=12, choices=STATUSES)
    raw = models.TextField(blank=True)
    value = models.JSONField(null=True, blank=True)
    reason = models.TextField(blank=True)
    saw = models.JSONField(default=dict, blank=True)
    judged = models.JSONField(default=dict, blank=True)
    state = models.JSONField(default=dict, blank=True)
    call = models.ForeignKey(
        TextCall, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    agent_call = models.ForeignKey(
        AgentCall, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    seconds = models.FloatField(null=True, blank=True)
    answered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["assessment", "item", "repeat"], name="answer_once"),
            one_of("status", AnswerStatus, "answer_status_known"),
            models.CheckConstraint(
                condition=~Q(status=AnswerStatus.READ) | Q(value__isnull=False),
                name="answer_read_has_value",
            ),
        ]

    def __str__(self) -> str:
        return f"answer {self.pk}"


class AnswerStage(models.Model):
    """Another request about the item of an answer, where its variant or its task takes several.

    The participant's last request is the answer's own. With a `role` somebody else was asked
    (`Task.roles`). Of a conversation `status`, `reason` and `saw` are as an answer's.
    """

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()
    role = models.CharField(max_length=40, blank=True)
    status = models.CharField(max_length=12, blank=True, choices=STATUSES)
    reason = models.TextField(blank=True)
    saw = models.JSONField(default=dict, blank=True)
    call = models.ForeignKey(
        TextCall, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    agent_call = models.ForeignKey(
        AgentCall, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["answer", "number"]
        constraints = [
            models.UniqueConstraint(fields=["answer", "number"], name="answer_stage_once")
        ]

    def __str__(self) -> str:
        return f"stage {self.number} of answer {self.answer_id}"


class Figure(models.Model):
    """A measure of one assessment, over all items or one group, with its interval.

    For a trained model it is the mean over seeds, and `spread` their standard deviation.
    """

    assessment = models.ForeignKey(Assessment, on_delete=models.CASCADE, related_name="figures")
    measure = models.CharField(max_length=64)
    # "" over all items; else the name of a breakdown and one of its values.
    group = models.CharField(max_length=64, blank=True)
    group_value = models.CharField(max_length=200, blank=True)
    value = models.FloatField(null=True, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    spread = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    method = models.CharField(max_length=16, blank=True)
    item_count = models.PositiveIntegerField()
    recording_count = models.PositiveIntegerField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assessment", "measure", "group", "group_value"], name="figure_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.measure} of {self.assessment_id}"
