"""What a recording needs to be shown: a proxy, pictures and a waveform."""

from django.db import models

from annotation.models.corpus import Video
from annotation.models.records import Job


class VideoIngest(models.Model):
    """The ingestion of one recording: the job that it waits for, or its products.

    `digest` names everything that the products depend on. `folder` holds their files, relative to
    the media folder; it is empty until the job is done. `proxy` is what the proxy file is and
    `reasons` why there is one: both are empty where browsers play the recording as it is. Then
    `copy` names the file with the same picture and sound that does not say where they come from
    (`name`, `content`); empty where the recording was ingested before there was one.
    `thumbnails`, `sprite` and `proxy` are the JSON of `annotation.engine.videos.stills` and
    `annotation.backends.media.proxy`; `peaks` are loudness values from 0 to 100, evenly over its
    time. `detail` is the JSON of `annotation.engine.videos.recording_detail`; empty where the
    recording was ingested before there was one.
    """

    video = models.OneToOneField(Video, on_delete=models.CASCADE, related_name="ingest")
    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    digest = models.CharField(max_length=64)
    folder = models.CharField(max_length=200, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    notes = models.JSONField(default=list, blank=True)
    proxy = models.JSONField(default=dict, blank=True)
    copy = models.JSONField(default=dict, blank=True)
    sprite = models.JSONField(default=dict, blank=True)
    detail = models.JSONField(default=dict, blank=True)
    seconds = models.FloatField(default=0.0)
    finished_at = models.DateTimeField(null=True, blank=True)
    # Last in the table too: SQLite reads a row from its start, and these are most of it.
    thumbnails = models.JSONField(default=list, blank=True)
    peaks = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(folder="", finished_at__isnull=True)
                | (~models.Q(folder="") & models.Q(finished_at__isnull=False)),
                name="video_ingest_finished_has_folder",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.video_id}: {self.folder or 'not made'}"

    @property
    def is_watchable(self) -> bool:
        """Whether there is a file of it that does not say where the recording comes from."""
        return bool(self.folder and (self.proxy or self.copy))

    @property
    def has_telling_proxy(self) -> bool:
        """Whether its proxy has the clock and size of its own that proxies of earlier days had.

        They were not named then.
        """
        return bool(self.proxy) and "name" not in self.proxy

    @property
    def is_lacking(self) -> bool:
        """Whether it was finished before there was all that is made of a recording today."""
        is_whole = self.detail and self.is_watchable and not self.has_telling_proxy
        return bool(self.folder) and not is_whole
