"""The videos that a run made of its takes."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from generation.models.runs import RunTake


class TakeVideo(models.Model):
    """The video of a take's rewrite, or why it has none (`skipped`).

    `path` is relative to the media folder, `maker` the backend that made the clips. `edits` is the
    edit list with the real times of the finished video, `result` what the splice did and how it was
    verified. `seconds` is how long clips and splice took in the last attempt.
    """

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="made_video")
    skipped = models.TextField(blank=True)
    maker = models.CharField(max_length=64, blank=True)
    path = models.CharField(max_length=500, blank=True)
    splice_path = models.CharField(max_length=16, blank=True)
    clip_count = models.PositiveIntegerField(default=0)
    frame_count = models.PositiveIntegerField(default=0)
    duration_s = models.FloatField(default=0.0)
    seconds = models.FloatField(default=0.0)
    edits = models.JSONField(default=dict, blank=True)
    result = models.JSONField(default=dict, blank=True)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(Q(skipped="") & ~Q(path="")) | (~Q(skipped="") & Q(path="")),
                name="take_video_made_or_skipped",
            ),
        ]

    def __str__(self) -> str:
        return self.path or self.skipped
