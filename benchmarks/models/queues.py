"""Rounds whose queues are sorted by a model's answers."""

from django.conf import settings
from django.db import models

from annotation.models import Round
from benchmarks.engine.tasks.model_as_rater.screening import SortingRule
from benchmarks.models.assessments import Assessment


class QueueSorting(models.Model):
    """The sorting of a round's queues by a model's answers; raters are never told.

    `metrics` are those that the model's verdicts allow, `name` is the model's. `before` holds the
    positions before the sorting, by the row ids of assignments.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="queue_sorting")
    assessment = models.ForeignKey(
        Assessment, null=True, on_delete=models.SET_NULL, related_name="sorted_queues"
    )
    name = models.CharField(max_length=300)
    rule = models.CharField(
        max_length=24, choices=[(rule.value, rule.value) for rule in SortingRule]
    )
    metrics = models.JSONField(default=list)
    before = models.JSONField(default=dict)
    sorted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    sorted_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"queues of round {self.round_id} by {self.name}"
