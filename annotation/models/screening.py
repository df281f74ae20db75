"""What screening rules found of the raters of a round, and what a person decided."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.records import ComputedByJob
from annotation.models.round import Round

RULE_CHARACTERS = 16


class ScreeningState(models.TextChoices):
    """Rules accept, flag or cannot tell; only a person excludes, and may accept who was flagged."""

    ACCEPTED = "accepted", "Accepted"
    FLAGGED = "flagged", "Flagged"
    NOT_TESTED = "not_tested", "Not tested"
    EXCLUDED = "excluded", "Excluded"


class ScreeningPlan(ComputedByJob):
    """The thresholds of a round's rules, and how far ratings were when the rules were last run.

    Where there are many ratings, `job` runs the rules.

    `thresholds` is `annotation.analytics.raters.screening.Thresholds` as an object, empty for the
    usual ones; `changed_at` is when a person set them last.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="screening_plan")
    thresholds = models.JSONField(default=dict, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)
    run_at = models.DateTimeField(null=True, blank=True)
    change_count = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"screening of round {self.round_id}"


class ScreeningResult(models.Model):
    """What one rule found of one rater, or with the rule `DECISION` what a person decided.

    `reason` is a sentence; `made_by` started the rules or decided. `metric` is where it was found,
    empty where the rule is about all of them.
    """

    DECISION = "decision"

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="screening_results")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="screening_results"
    )
    rule = models.CharField(max_length=RULE_CHARACTERS)
    metric = models.CharField(max_length=32, blank=True)
    value = models.FloatField(null=True, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    state = models.CharField(max_length=12, choices=ScreeningState.choices)
    reason = models.TextField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["round", "rater", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "rater", "rule"], name="screening_result_once_per_rule"
            ),
            models.CheckConstraint(
                condition=~Q(state=ScreeningState.EXCLUDED) | Q(rule="decision"),
                name="screening_only_people_exclude",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="screening_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.rule}: {self.state}"
