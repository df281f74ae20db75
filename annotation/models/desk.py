"""The disagreement desk: cases in which raters differed, their discussion, and how they ended."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.engine.ratings.adjudication import SHOWN_CAUSES, Cause, letter_of
from annotation.models.corpus import Event, Trace, new_public_id
from annotation.models.people import user_column
from annotation.models.rating import METRIC_CHARACTERS, VALUE_CHARACTERS
from annotation.models.round import Round

CAUSE_CHARACTERS = 20
SIDE_CHARACTERS = 9
CLIENT_KEY_CHARACTERS = 40


class CaseState(models.TextChoices):
    """How far a case is; a decided one can be decided anew."""

    OPEN = "open", "Open"
    DISCUSSED = "discussed", "Discussed"
    DECIDED = "decided", "Decided"


class Side(models.TextChoices):
    """Which recording a time mark belongs to."""

    REFERENCE = "reference", "Reference"
    TRACE = "trace", "Trace"


class Case(models.Model):
    """One metric of one event (of the whole trace where `event` is null) that raters differed on.

    `score` is the disagreement from 0 to 1, null where fewer than two answered. An empty `metric`
    is a case about what raters said of the event. `reason` says in words why it was decided so.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="cases")
    trace = models.ForeignKey(Trace, on_delete=models.PROTECT, related_name="cases")
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.PROTECT, related_name="cases"
    )
    metric = models.CharField(max_length=METRIC_CHARACTERS, blank=True)
    score = models.FloatField(null=True, blank=True)
    is_flagged = models.BooleanField(default=False)
    state = models.CharField(max_length=9, choices=CaseState.choices, default=CaseState.OPEN)
    cause = models.CharField(
        max_length=CAUSE_CHARACTERS,
        blank=True,
        choices=[(cause.value, SHOWN_CAUSES[cause]) for cause in Cause],
    )
    reason = models.TextField(blank=True)
    decided_by = user_column("+")
    decided_at = models.DateTimeField(null=True, blank=True)
    drawn_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["round", "-score", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "event", "metric"],
                name="case_once_per_event",
                condition=Q(event__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["round", "trace", "metric"],
                name="case_once_per_trace",
                condition=Q(event__isnull=True),
            ),
            models.CheckConstraint(
                condition=Q(state="decided", decided_at__isnull=False) & ~Q(cause="")
                | Q(state__in=["open", "discussed"], decided_at__isnull=True, cause=""),
                name="case_decided_with_cause",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_decided(self) -> bool:
        return self.state == CaseState.DECIDED


class CaseRater(models.Model):
    """A rater who submitted the trace of a case; `place` 0 is A, 1 is B, and stays so."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="raters")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="cases"
    )
    place = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["case", "place"]
        constraints = [
            models.UniqueConstraint(fields=["case", "rater"], name="case_rater_once"),
            models.UniqueConstraint(fields=["case", "place"], name="case_place_once"),
        ]

    def __str__(self) -> str:
        return f"{letter_of(self.place)} of {self.case_id}"


class CaseComment(models.Model):
    """What somebody said of a case, with the moment of one recording that it is about, if any.

    `client_key` is the id that the browser gave the text: sent twice, it counts once.
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="case_comments"
    )
    text = models.TextField()
    side = models.CharField(max_length=SIDE_CHARACTERS, blank=True, choices=Side.choices)
    time_s = models.FloatField(null=True, blank=True)
    client_key = models.CharField(max_length=CLIENT_KEY_CHARACTERS)
    written_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["case", "written_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["case", "author", "client_key"], name="case_comment_once"
            ),
            models.CheckConstraint(
                condition=Q(side="", time_s__isnull=True)
                | Q(side__in=["reference", "trace"], time_s__gte=0),
                name="case_comment_mark_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:40]


class AdjudicatedValue(models.Model):
    """The value that a discussion ended on. It is no rating and enters no figure of agreement."""

    case = models.OneToOneField(Case, on_delete=models.CASCADE, related_name="adjudicated")
    value = models.CharField(max_length=VALUE_CHARACTERS)
    decided_by = user_column("+")
    decided_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.value
