"""The corpus: data sets, their takes with steps, and the traces with trace steps and events.

Ids that people see in files (`uid`, `step_id`, `event_id`) are the source's own; ids that go into
addresses (`public_id`) are random, so that no page of a rater tells where a trace came from.
"""

import secrets
from pathlib import PurePath

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q

from annotation.engine.taxonomy import (
    MODS_WITH_EVENT,
    MODS_WITHOUT_REFERENCE,
    ErrorType,
    EventKind,
    Mod,
    Speaker,
    event_type_choices,
)
from annotation.engine.videos.storage_prefix import (
    StoragePrefix,
    StoragePrefixError,
    is_storage_address,
)
from annotation.models.columns import one_of
from annotation.models.people import user_column

PUBLIC_ID_BYTES = 9


def new_public_id() -> str:
    """12 random URL-safe characters (72 bits); never a hyphen first, the mark of options."""
    while (public_id := secrets.token_urlsafe(PUBLIC_ID_BYTES)).startswith("-"):
        pass
    return public_id


def _times_are_ordered(name: str) -> models.CheckConstraint:
    both_missing = Q(start_s__isnull=True, end_s__isnull=True)
    ordered = Q(start_s__gte=0, end_s__gte=F("start_s"))
    return models.CheckConstraint(condition=both_missing | ordered, name=name)


class Dataset(models.Model):
    """A named set of takes and traces from one source or one generation setting.

    `owner` and administrators see it; `is_shared` opens it to every researcher of the site.
    Videos stay where they are: `video_folder` names the folder or storage prefix and
    `video_pattern` how a recording's stem becomes a file name below it.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200, unique=True)
    format = models.CharField(max_length=32)
    owner = user_column("datasets")
    is_shared = models.BooleanField(default=False)
    video_folder = models.CharField(max_length=500, blank=True)
    video_pattern = models.CharField(max_length=200, default="{stem}.mp4")
    native_labels = models.JSONField(default=dict, blank=True)
    derived = models.JSONField(default=dict, blank=True)
    import_warnings = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="dataset_has_name"),
        ]

    def __str__(self) -> str:
        return self.name


class OpenedPlace(models.Model):
    """A folder or storage prefix below which researchers may link videos.

    The places of the setting `VIDEO_ROOTS` are open too; these are opened while the site runs.
    """

    address = models.CharField(max_length=500, unique=True)
    opened_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["address"]

    def __str__(self) -> str:
        return self.address

    def clean(self) -> None:
        if is_storage_address(self.address):
            try:
                self.address = str(StoragePrefix.parse(self.address))
            except StoragePrefixError as error:
                raise ValidationError({"address": str(error)}) from error
        elif not PurePath(self.address).is_absolute() or "\x00" in self.address:
            expected = "Give the absolute path of a folder on the server, or s3://bucket/prefix."
            raise ValidationError({"address": expected})


class Video(models.Model):
    """One recording on disk, with what its probe found. `path` is relative to the video folder.

    A file that somebody uploaded has a `folder` of its own, below the media folder.
    In an object storage `etag` names the content that was linked; of a file on disk, `content` says
    what `hashed_version` found while it was ingested.
    The three fields on key frames are known once the recording was ingested: reading the whole file
    takes too long while linking. `has_closed_groups` stays None where the container does not tell.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="videos")
    stem = models.CharField(max_length=255)
    folder = models.CharField(max_length=500, blank=True)
    path = models.CharField(max_length=500)
    size_bytes = models.PositiveBigIntegerField()
    etag = models.CharField(max_length=200, blank=True)
    content = models.CharField(max_length=120, blank=True)
    container = models.CharField(max_length=64)
    video_codec = models.CharField(max_length=32)
    pixel_format = models.CharField(max_length=32, blank=True)
    audio_codec = models.CharField(max_length=32, blank=True)
    audio_rate = models.PositiveIntegerField(null=True, blank=True)
    audio_channels = models.PositiveSmallIntegerField(null=True, blank=True)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    rotation_degrees = models.SmallIntegerField(default=0)
    frame_rate = models.FloatField()
    frame_count = models.PositiveIntegerField(null=True, blank=True)
    duration_s = models.FloatField()
    start_s = models.FloatField(default=0)
    is_rate_variable = models.BooleanField(null=True, blank=True)
    key_frame_count = models.PositiveIntegerField(null=True, blank=True)
    key_frame_distance_s = models.FloatField(null=True, blank=True)
    has_closed_groups = models.BooleanField(null=True, blank=True)
    warnings = models.JSONField(default=list, blank=True)
    linked_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "stem"], name="video_stem_once"),
            models.CheckConstraint(
                condition=Q(duration_s__gt=0, frame_rate__gt=0, width__gt=0, height__gt=0),
                name="video_measures_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def address(self) -> str:
        """The folder or storage prefix of its file."""
        return self.folder or self.dataset.video_folder


class Take(models.Model):
    """One mistake-free reference: a recording, or a written procedure without video.

    `intervals` are [start, end] in seconds, as in `procedure.Take`.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="takes")
    uid = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    scenario = models.CharField(max_length=200)
    video_stem = models.CharField(max_length=255, blank=True)
    video = models.ForeignKey(Video, null=True, blank=True, on_delete=models.SET_NULL)
    order_deviations = models.PositiveIntegerField(default=0)
    intervals = models.JSONField(default=list, blank=True)
    content_hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["dataset", "uid"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "uid"], name="take_uid_once"),
            models.CheckConstraint(condition=~Q(uid=""), name="take_has_uid"),
        ]
        indexes = [models.Index(fields=["dataset", "scenario"], name="take_by_scenario")]

    def __str__(self) -> str:
        return self.name


class Step(models.Model):
    """One keystep of a take; `index` is 0-based in procedure order."""

    take = models.ForeignKey(Take, on_delete=models.CASCADE, related_name="steps")
    index = models.PositiveIntegerField()
    step_id = models.CharField(max_length=100, blank=True)
    text = models.TextField()
    start_s = models.FloatField(null=True, blank=True)
    end_s = models.FloatField(null=True, blank=True)
    is_essential = models.BooleanField(null=True, blank=True)
    semrep = models.TextField(blank=True)
    taxonomy_path = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["take", "index"]
        constraints = [
            models.UniqueConstraint(fields=["take", "index"], name="step_index_once"),
            models.CheckConstraint(condition=~Q(text=""), name="step_has_text"),
            _times_are_ordered("step_times_ordered"),
        ]

    def __str__(self) -> str:
        return self.text


class Trace(models.Model):
    """A mistake-aware sequence aligned to its reference take.

    `provenance` (generator, run, source file) and the source's `uid` are for researchers only.
    `has_placeholders`: its video has placeholders for clips, and nobody rates the picture.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="traces")
    take = models.ForeignKey(Take, on_delete=models.PROTECT, related_name="traces")
    uid = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    video_stem = models.CharField(max_length=255, blank=True)
    video = models.ForeignKey(Video, null=True, blank=True, on_delete=models.SET_NULL)
    has_placeholders = models.BooleanField(default=False)
    reference_reason = models.CharField(max_length=300, blank=True)
    is_reference_manual = models.BooleanField(default=False)
    provenance = models.JSONField(default=dict, blank=True)
    content_hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["dataset", "uid"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "uid"], name="trace_uid_once"),
            models.CheckConstraint(condition=~Q(uid=""), name="trace_has_uid"),
        ]

    def __str__(self) -> str:
        return self.name


class Event(models.Model):
    """What is rated: one error or one correction of a trace.

    `proposed_type` is the planned or natively mapped type; raters never see it, because naming
    the type is one of their tasks.
    """

    # Other indexes begin with it.
    trace = models.ForeignKey(
        Trace, on_delete=models.CASCADE, related_name="events", db_index=False
    )
    index = models.PositiveIntegerField()
    event_id = models.CharField(max_length=100)
    kind = models.CharField(max_length=16, choices=[(kind, kind) for kind in EventKind])
    proposed_type = models.CharField(
        max_length=ErrorType.MAX_LENGTH, blank=True, choices=event_type_choices
    )
    target = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="corrections"
    )

    class Meta:
        ordering = ["trace", "index"]
        # Those of a kind are counted for whole data sets.
        indexes = [models.Index(fields=["trace", "kind"], name="event_trace_kind")]
        constraints = [
            models.UniqueConstraint(fields=["trace", "index"], name="event_index_once"),
            models.UniqueConstraint(fields=["trace", "event_id"], name="event_id_once"),
            models.CheckConstraint(condition=~Q(event_id=""), name="event_has_id"),
            one_of("kind", EventKind, "event_kind_known"),
            models.CheckConstraint(
                condition=Q(kind=EventKind.CORRECTION) | Q(target__isnull=True),
                name="event_only_corrections_have_target",
            ),
        ]

    def __str__(self) -> str:
        return self.event_id


class TraceStep(models.Model):
    """One row of a trace; its constraints say which marks have a text, a step, an event."""

    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="steps")
    index = models.PositiveIntegerField()
    mod = models.CharField(max_length=2, choices=[(mod, mod.name.lower()) for mod in Mod])
    text = models.TextField(blank=True)
    step_id = models.CharField(max_length=100, blank=True)
    start_s = models.FloatField(null=True, blank=True)
    end_s = models.FloatField(null=True, blank=True)
    reference_step = models.ForeignKey(
        Step, null=True, blank=True, on_delete=models.PROTECT, related_name="trace_steps"
    )
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.CASCADE, related_name="steps"
    )
    labels = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["trace", "index"]
        constraints = [
            models.UniqueConstraint(fields=["trace", "index"], name="trace_step_index_once"),
            one_of("mod", Mod, "trace_step_mod_known"),
            models.CheckConstraint(
                condition=(~Q(mod=Mod.DELETION) & ~Q(text=""))
                | Q(mod=Mod.DELETION, text="", start_s__isnull=True, reference_step__isnull=False),
                name="trace_step_text_unless_deleted",
            ),
            models.CheckConstraint(
                condition=~Q(mod__in=sorted(MODS_WITHOUT_REFERENCE))
                | Q(reference_step__isnull=True),
                name="trace_step_added_has_no_reference",
            ),
            models.CheckConstraint(
                condition=~Q(mod__in=sorted(MODS_WITH_EVENT)) | Q(event__isnull=False),
                name="trace_step_mistake_has_event",
            ),
            models.CheckConstraint(
                condition=~Q(mod=Mod.UNCHANGED) | Q(event__isnull=True),
                name="trace_step_unchanged_has_no_event",
            ),
            _times_are_ordered("trace_step_times_ordered"),
        ]

    def __str__(self) -> str:
        return self.text or f"deleted step {self.index}"


class Utterance(models.Model):
    """Something that is said in the recording of a take or a trace, by its time."""

    take = models.ForeignKey(
        Take, null=True, blank=True, on_delete=models.CASCADE, related_name="utterances"
    )
    trace = models.ForeignKey(
        Trace, null=True, blank=True, on_delete=models.CASCADE, related_name="utterances"
    )
    index = models.PositiveIntegerField()
    who = models.CharField(max_length=16, choices=[(who, who) for who in Speaker])
    start_s = models.FloatField()
    end_s = models.FloatField()
    text = models.TextField()
    reason = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["take", "trace", "index"]
        constraints = [
            models.UniqueConstraint(fields=["take", "index"], name="utterance_of_take_once"),
            models.UniqueConstraint(fields=["trace", "index"], name="utterance_of_trace_once"),
            models.CheckConstraint(
                condition=Q(take__isnull=True, trace__isnull=False)
                | Q(take__isnull=False, trace__isnull=True),
                name="utterance_of_one_recording",
            ),
            one_of("who", Speaker, "utterance_speaker_known"),
            models.CheckConstraint(condition=~Q(text=""), name="utterance_has_text"),
            _times_are_ordered("utterance_times_ordered"),
        ]

    def __str__(self) -> str:
        return self.text


class TaskGraph(models.Model):
    """Ordering constraints of one scenario: nodes (id, text) and edges (before id, after id)."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="task_graphs")
    scenario = models.CharField(max_length=200)
    nodes = models.JSONField()
    edges = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "scenario"], name="task_graph_once"),
        ]

    def __str__(self) -> str:
        return self.scenario
