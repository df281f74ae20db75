"""The recordings of a round of segments, each person's segments of them, and the log of changes.

`segments.engine` defines segment, gesture and scheme. Nobody changes another person's segments: a
review or a correction is a segmentation of its own, `based_on` the earlier one.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.corpus import Dataset, Take, Trace, new_public_id
from annotation.models.people import user_column
from annotation.models.round import GuidelineVersion, Round

SEGMENTS = "segments"
# The `question` of a check that stores why two people differed.
CAUSE_QUESTION = "cause"
KEY_CHARACTERS = 40
NAME_CHARACTERS = 32


class Stage(models.TextChoices):
    """What people do with the segments of a recording."""

    LABEL = "label", "Label"
    AUDIT = "audit", "Audit"
    CORRECT = "correct", "Correct"
    REVIEW = "review", "Review"
    ADJUDICATE = "adjudicate", "Adjudicate"


class SegmentSource(models.TextChoices):
    """Where the segments come from that people start with."""

    NONE = "none", "None"
    STEPS = "steps", "The steps of the data set"
    FILE = "file", "A file of predictions"
    ROUND = "round", "An earlier round"


class SegmentRound(models.Model):
    """A round's scheme and stage, and where its segments come from.

    `has_locked_edges`: people label segments whose times are fixed (EgoOops, 3.4). `hides_author`:
    a reviewer does not see whose work it is. `resolution_s` None takes the scheme's.
    `control_count` recordings of an audit were never corrected, so that false alarms can be
    counted; auditors do not learn which.
    """

    round = models.OneToOneField(
        Round, on_delete=models.CASCADE, primary_key=True, related_name="segments"
    )
    scheme = models.CharField(max_length=NAME_CHARACTERS)
    scheme_version = models.PositiveSmallIntegerField()
    stage = models.CharField(max_length=12, choices=Stage.choices, default=Stage.LABEL)
    source = models.CharField(
        max_length=8, choices=SegmentSource.choices, default=SegmentSource.NONE
    )
    source_round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.RESTRICT, related_name="followed_by"
    )
    has_locked_edges = models.BooleanField(default=False)
    hides_author = models.BooleanField(default=True)
    control_count = models.PositiveIntegerField(default=0)
    resolution_s = models.FloatField(null=True, blank=True)

    class Meta:
        app_label = "annotation"
        constraints = [
            models.CheckConstraint(
                condition=Q(source=SegmentSource.ROUND, source_round__isnull=False)
                | (~Q(source=SegmentSource.ROUND) & Q(source_round__isnull=True)),
                name="segment_round_names_its_source",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} of round {self.round_id}"


class PublishedAs(models.TextChoices):
    """What a labelled recording becomes when it is published."""

    REFERENCE = "reference", "A reference"
    TRACE = "trace", "A trace"


class SegmentRecording(models.Model):
    """A recording of a round: that of `trace`, or that of `take` where `trace` is null.

    `take` has the procedure. The labelled recording is published as a reference, or as a trace of
    `take`. `proposals` are the segments that people start with, as `engine.model.Segment.to_dict`
    writes them; `proposal_source` names the model or person who made them, `proposal_scores` are
    its scores by segment key. People who work on a recording must never see either.
    `source_segmentation` is the work of an earlier round that this recording goes on from.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="recordings")
    take = models.ForeignKey(Take, on_delete=models.PROTECT, related_name="segment_recordings")
    trace = models.ForeignKey(
        Trace, null=True, blank=True, on_delete=models.PROTECT, related_name="segment_recordings"
    )
    published_as = models.CharField(
        max_length=12, choices=PublishedAs.choices, default=PublishedAs.REFERENCE
    )
    proposals = models.JSONField(default=list, blank=True)
    proposal_source = models.CharField(max_length=200, blank=True)
    proposal_scores = models.JSONField(default=dict, blank=True)
    source_segmentation = models.ForeignKey(
        "Segmentation", null=True, blank=True, on_delete=models.PROTECT, related_name="followed_by"
    )
    is_control = models.BooleanField(default=False)

    class Meta:
        app_label = "annotation"
        ordering = ["round", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "take"],
                name="segment_recording_take_once",
                condition=Q(trace__isnull=True, source_segmentation__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["round", "trace"],
                name="segment_recording_trace_once",
                condition=Q(trace__isnull=False, source_segmentation__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["round", "source_segmentation"], name="segment_recording_source_once"
            ),
        ]

    def __str__(self) -> str:
        return f"recording {self.pk} of round {self.round_id}"

    @property
    def recorded(self) -> Take | Trace:
        """The trace, or the take, of which this is the recording."""
        return self.trace or self.take


class SegmentationStatus(models.TextChoices):
    """Until the round closes, submitted work can be reopened by its person, or returned."""

    OPEN = "open", "Open"
    SUBMITTED = "submitted", "Submitted"
    RETURNED = "returned", "Returned"
    ACCEPTED = "accepted", "Accepted"
    REJECTED = "rejected", "Rejected"


DONE = (
    SegmentationStatus.SUBMITTED,
    SegmentationStatus.ACCEPTED,
    SegmentationStatus.REJECTED,
)


class RejectReason(models.TextChoices):
    """Why a recording cannot be segmented (Plan-Watch-Recover, H.3)."""

    QUALITY = "quality", "The picture is too poor"
    STEPS = "steps", "The steps cannot be corrected"
    PROCEDURE = "procedure", "It shows another procedure"


class Segmentation(models.Model):
    """One person's segments of one recording; `position` is its 0-based place in the queue.

    `head` counts its gestures. `content` is the version of take and trace when the person began:
    once these are replaced, nothing is saved. `based_on` is the segmentation that is reviewed,
    corrected or audited, or those that are adjudicated. `reason` says why it was returned or
    rejected. `first_head` is the head when it was first submitted, at `first_submitted_at`: figures
    are of that revision, whatever a review changed.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="segmentations")
    recording = models.ForeignKey(
        SegmentRecording, on_delete=models.CASCADE, related_name="segmentations"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="segmentations"
    )
    position = models.PositiveIntegerField()
    status = models.CharField(
        max_length=12, choices=SegmentationStatus.choices, default=SegmentationStatus.OPEN
    )
    content = models.CharField(max_length=16, blank=True)
    based_on = models.ManyToManyField("self", symmetrical=False, related_name="bases", blank=True)
    head = models.PositiveIntegerField(default=0)
    reject_reason = models.CharField(max_length=12, choices=RejectReason.choices, blank=True)
    reason = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    first_head = models.PositiveIntegerField(null=True, blank=True)
    first_submitted_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        app_label = "annotation"
        ordering = ["round", "person", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["recording", "person"], name="segmentation_once_per_person"
            ),
            models.CheckConstraint(
                condition=Q(status=SegmentationStatus.OPEN) | Q(started_at__isnull=False),
                name="segmentation_ends_after_it_began",
            ),
        ]
        indexes = [
            models.Index(fields=["person", "round", "position"], name="segmentation_queue"),
        ]

    def __str__(self) -> str:
        return self.public_id


class Segment(models.Model):
    """The current state of a segment (`segments.engine.model.Segment`), as its log gives it.

    A deleted segment keeps its row: its key is never used again, and its revision goes on.
    """

    segmentation = models.ForeignKey(
        Segmentation, on_delete=models.CASCADE, related_name="segments", db_index=False
    )
    key = models.CharField(max_length=KEY_CHARACTERS)
    track = models.CharField(max_length=NAME_CHARACTERS)
    start_s = models.FloatField(null=True, blank=True)
    end_s = models.FloatField(null=True, blank=True)
    step_id = models.CharField(max_length=200, blank=True)
    label = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    parent_key = models.CharField(max_length=KEY_CHARACTERS, blank=True)
    note = models.TextField(blank=True)
    is_flagged = models.BooleanField(default=False)
    is_proposal = models.BooleanField(default=False)
    is_deleted = models.BooleanField(default=False)
    revision = models.PositiveIntegerField()
    guideline = models.ForeignKey(
        GuidelineVersion, on_delete=models.RESTRICT, related_name="+", db_index=False
    )

    class Meta:
        app_label = "annotation"
        ordering = ["segmentation", "start_s", "end_s", "key"]
        constraints = [
            models.UniqueConstraint(fields=["segmentation", "key"], name="segment_key_once"),
            models.CheckConstraint(
                condition=Q(start_s__isnull=True, end_s__isnull=True)
                | Q(start_s__gte=0, end_s__gte=F("start_s")),
                name="segment_times_ordered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} of {self.segmentation_id}"


class SegmentEvent(models.Model):
    """The change of one segment by one gesture; rows are added and never altered.

    `head` is the gesture's number in its segmentation, the same for all its segments. `before` is
    null for a new segment. `raw_time_s` is the moment that a person marked, before the reaction
    time is subtracted. `client_id` and `client_sequence` identify a gesture that is sent twice.
    """

    segmentation = models.ForeignKey(
        Segmentation, on_delete=models.CASCADE, related_name="events", db_index=False
    )
    head = models.PositiveIntegerField()
    key = models.CharField(max_length=KEY_CHARACTERS)
    name = models.CharField(max_length=200)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField()
    raw_time_s = models.FloatField(null=True, blank=True)
    client_id = models.CharField(max_length=40)
    client_sequence = models.PositiveBigIntegerField()
    guideline = models.ForeignKey(
        GuidelineVersion, on_delete=models.RESTRICT, related_name="+", db_index=False
    )
    made_at = models.DateTimeField()
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "annotation"
        ordering = ["segmentation", "head", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["segmentation", "head", "key"], name="segment_event_once_per_head"
            ),
            models.UniqueConstraint(
                fields=["segmentation", "client_id", "client_sequence", "key"],
                name="segment_event_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.key}"


class SegmentCheck(models.Model):
    """One answer about one segment; it counts until the segment has another revision.

    `question` is one of the scheme's, or `CAUSE_QUESTION`. A changed answer is a new row; the last
    one counts.
    """

    segmentation = models.ForeignKey(Segmentation, on_delete=models.CASCADE, related_name="checks")
    key = models.CharField(max_length=KEY_CHARACTERS)
    segment_revision = models.PositiveIntegerField()
    question = models.CharField(max_length=NAME_CHARACTERS)
    answer = models.BooleanField()
    note = models.TextField(blank=True)
    client_id = models.CharField(max_length=40)
    client_sequence = models.PositiveBigIntegerField()
    made_at = models.DateTimeField()
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "annotation"
        ordering = ["segmentation", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["segmentation", "client_id", "client_sequence"], name="segment_check_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} of {self.key}: {'yes' if self.answer else 'no'}"


class SegmentViewing(models.Model):
    """The parts of a recording that a person has watched while segmenting it, as in `Viewing`.

    `watched` holds [start s, end s, first watched at (s since 1970)] without overlaps.
    """

    segmentation = models.OneToOneField(
        Segmentation, on_delete=models.CASCADE, related_name="viewing"
    )
    opened_at = models.DateTimeField()
    watched = models.JSONField(default=list, blank=True)
    refused_s = models.FloatField(default=0.0)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "annotation"

    def __str__(self) -> str:
        return f"viewing of {self.segmentation_id}"


class SegmentPublication(models.Model):
    """The round of segments that a data set was published from.

    `segmentations` has an object for each recording: uid, kind (reference or trace), segmentation
    (public id), person (an opaque code), head and status. `guideline` is the version's name.
    """

    dataset = models.OneToOneField(
        Dataset, on_delete=models.CASCADE, primary_key=True, related_name="made_of_segments"
    )
    round = models.ForeignKey(Round, on_delete=models.RESTRICT, related_name="publications")
    scheme = models.CharField(max_length=NAME_CHARACTERS)
    scheme_version = models.PositiveSmallIntegerField()
    guideline = models.CharField(max_length=32)
    segmentations = models.JSONField(default=list)
    made_by = user_column("+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "annotation"
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"{self.dataset_id} of round {self.round_id}"
