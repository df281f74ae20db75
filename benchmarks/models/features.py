"""Features of recordings: an array for each recording, with a row per some seconds."""

from django.db import models
from django.db.models import Q

from annotation.models import Dataset, Job
from annotation.models.corpus import new_public_id
from annotation.models.people import user_column

UPLOADED = "uploaded"


class FeatureSet(models.Model):
    """Arrays of recordings of one data set, all of the same `width` and `seconds_per_row`.

    `made_by` is "uploaded", or the extractor with its version, which then has a `job`. From
    `finished_at` on it never changes, and `content_hash` is over every array with its recording.
    `notes` name the recordings without an array, with the reason.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="feature_sets")
    owner = user_column("feature_sets")
    is_shared = models.BooleanField(default=False)
    seconds_per_row = models.FloatField(default=1.0)
    width = models.PositiveIntegerField(default=0)
    made_by = models.CharField(max_length=100, default=UPLOADED)
    notes = models.JSONField(default=list, blank=True)
    job = models.OneToOneField(
        Job, null=True, blank=True, on_delete=models.PROTECT, related_name="feature_set"
    )
    content_hash = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "owner", "name"], name="feature_set_name_once"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="feature_set_has_name"),
            models.CheckConstraint(
                condition=Q(seconds_per_row__gt=0) & (Q(finished_at__isnull=True) | Q(width__gt=0)),
                name="feature_set_measures_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_finished(self) -> bool:
        return self.finished_at is not None


class FeatureArray(models.Model):
    """The features of one recording: `file` is a .npy of float32, (rows, width).

    `recording` is the uid of its take or trace; `file` is relative to the media folder.
    """

    feature_set = models.ForeignKey(FeatureSet, on_delete=models.CASCADE, related_name="arrays")
    recording = models.CharField(max_length=200)
    rows = models.PositiveIntegerField()
    file = models.CharField(max_length=200)
    content_hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["feature_set", "recording"]
        constraints = [
            models.UniqueConstraint(fields=["feature_set", "recording"], name="feature_array_once"),
            models.CheckConstraint(condition=Q(rows__gt=0), name="feature_array_has_rows"),
        ]

    def __str__(self) -> str:
        return self.recording
