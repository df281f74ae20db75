"""Queues of rounds that a model's answers sort."""

from django.conf import settings
from django.db import models

from annotation.models import Round
from benchmarks.engine.tasks.model_as_rater.screening import SortingRule
from benchmarks.models.assessments import Assessment


class QueueSorting(models.Model):
    """That the queues of a round are sorted by a model's answers; raters never learn of it.

    `metrics` are those that its verdicts allow, `name` the model's. `before` are the places that
    assignments had, by their row ids.
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
