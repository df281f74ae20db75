"""Assistants that watch a recording live: what they were asked and did, event by event."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotation.models import Job
from annotation.models.columns import one_of
from annotation.models.corpus import new_public_id
from benchmarks.models.item_sets import ItemSet
from generation.models import TextEndpoint

# A column of the tables is called `settings`.
USER = settings.AUTH_USER_MODEL


class LiveRun(models.Model):
    """A model that watches one recording of an item set while it plays.

    Only who started it and administrators see it. `recording` is the opaque name. `settings` have
    pictures, seconds between decisions, temperature, budget and roles. The recording's clock is at
    `position_s`, and goes on from there since `playing_since` where that is a time. `figures` are
    those of `live_figures` so far, and `state` is what the next decision begins with: with each
    event they would fill hundreds of megabytes an hour.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    item_set = models.ForeignKey(ItemSet, on_delete=models.CASCADE, related_name="live_runs")
    recording = models.CharField(max_length=24)
    owner = models.ForeignKey(
        USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="live_runs"
    )
    endpoint = models.ForeignKey(
        TextEndpoint, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    settings = models.JSONField(default=dict, blank=True)
    length_s = models.FloatField()
    position_s = models.FloatField(default=0.0)
    playing_since = models.DateTimeField(null=True, blank=True)
    figures = models.JSONField(default=dict, blank=True)
    state = models.JSONField(default=dict, blank=True)
    job = models.OneToOneField(
        Job, null=True, blank=True, on_delete=models.PROTECT, related_name="live_run"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"live run {self.public_id}"

    @property
    def payer_key(self) -> str:
        """The key under which paid calls of this run are recorded."""
        return f"live:{self.public_id}"


class LiveEventKind(models.TextChoices):
    DECIDED = "decided", "Decided"
    SKIPPED = "skipped", "Skipped"
    ENDED = "ended", "Ended"


class LiveEvent(models.Model):
    """Something that happened at `time_s` of the recording; `number` counts those of a run from 1.

    `shown` is what the page gets of it. `requests` are what was asked: [{"role", "call",
    "prompt_version", "until_s", "pictures"}], the pictures by their seconds; the call has their
    hashes.
    """

    run = models.ForeignKey(LiveRun, on_delete=models.CASCADE, related_name="events")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=LiveEventKind.choices)
    time_s = models.FloatField()
    shown = models.JSONField(default=dict, blank=True)
    requests = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="live_event_once"),
            one_of("kind", LiveEventKind.values, "live_event_kind_known"),
        ]

    def __str__(self) -> str:
        return f"event {self.number} of run {self.run_id}"


class LiveCommandKind(models.TextChoices):
    PLAY = "play", "Play"
    PAUSE = "pause", "Pause"
    STEP = "step", "Step"
    ASK = "ask", "Ask"
    STOP = "stop", "Stop"


class LiveCommand(models.Model):
    """What the person at the page wants; taken by the worker in the order of the rows."""

    run = models.ForeignKey(LiveRun, on_delete=models.CASCADE, related_name="commands")
    kind = models.CharField(max_length=8, choices=LiveCommandKind.choices)
    text = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [one_of("kind", LiveCommandKind.values, "live_command_kind_known")]

    def __str__(self) -> str:
        return f"{self.kind} of run {self.run_id}"
