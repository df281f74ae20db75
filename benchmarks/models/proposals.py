"""Step proposals: what a queued job proposes as the timed steps of recordings."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Dataset, Job, Round
from annotation.models.corpus import new_public_id
from benchmarks.models.features import FeatureSet
from generation.models import TextEndpoint

# A column of the tables is called `settings`.
USER = settings.AUTH_USER_MODEL


class StepProposals(models.Model):
    """Proposed steps of the recordings of one data set that have `features`.

    `owner` and administrators see them. Its `job` works through `recordings`. A text model, the
    `describer`, captions, groups and aligns the pieces; without one these are given to the steps in
    order. `audit` is the round of segments in which people check what was proposed.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="step_proposals")
    features = models.ForeignKey(
        FeatureSet, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    # The name that the features and the describer had then; "" for no describer.
    features_name = models.CharField(max_length=200)
    describer = models.ForeignKey(
        TextEndpoint, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    describer_name = models.CharField(max_length=200, blank=True)
    budget_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    owner = models.ForeignKey(
        USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="step_proposals"
    )
    audit = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    code_version = models.CharField(max_length=40, blank=True)
    job = models.OneToOneField(
        Job, null=True, blank=True, on_delete=models.PROTECT, related_name="step_proposals"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="step_proposals_name_once"),
            models.CheckConstraint(condition=~Q(name=""), name="step_proposals_has_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_finished(self) -> bool:
        return self.finished_at is not None

    @property
    def payer_key(self) -> str:
        """The key under which paid calls are recorded."""
        return f"proposals:{self.public_id}"


class ProposedRecording(models.Model):
    """What was proposed for one recording, `key` being "take:<uid>" or "trace:<uid>".

    `stages` has what each stage made, by its name. `fault` says why there are no steps.
    """

    proposals = models.ForeignKey(
        StepProposals, on_delete=models.CASCADE, related_name="recordings"
    )
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=300)
    stages = models.JSONField(default=dict, blank=True)
    fault = models.TextField(blank=True)

    class Meta:
        ordering = ["proposals", "position"]
        constraints = [
            models.UniqueConstraint(fields=["proposals", "key"], name="proposed_recording_once"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def uid(self) -> str:
        return self.key.partition(":")[2]

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The proposed steps, once there are any."""
        found: list[dict[str, Any]] = self.stages.get("steps", [])
        return found
