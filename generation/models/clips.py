"""The clips of a take's video: what each has to show, who makes it, and its state."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.columns import one_of
from annotation.models.people import user_column
from generation.engine.run_options import BUILT_IN_MAKERS
from generation.engine.splicing.edit_list import FOOTAGE_KINDS, PieceKind
from generation.models.runs import RunTake


class TakeEdits(models.Model):
    """The planned cuts of a take's video, before its clips exist.

    `document` is the edit list. `recording` says what the clips have to match: width and height of
    the upright picture (pixels), frames per second (as a fraction), whether it has sound.
    `style_lock` is sent with every prompt; `prompt_characters` is how long a prompt beside it may
    be.
    """

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="planned_edits")
    document = models.JSONField()
    recording = models.JSONField()
    style_lock = models.TextField(blank=True)
    prompt_characters = models.PositiveIntegerField()
    planned_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"edits of {self.run_take_id}"


class ClipState(models.TextChoices):
    """The state of a clip; in the first two it waits for a person."""

    PROMPT = "prompt", "Waiting for approval of the prompt"
    UPLOAD = "upload", "Waiting for an upload"
    MAKING = "making", "To be made"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"


class TakeClip(models.Model):
    """One clip of a take's video; `clip_id` is its name in the edit list.

    Times are seconds: `start_s` and `end_s` in the new video, `before_s` and `after_s` in the
    recording, where the frames beside the clip are. The video needs `duration_s`; `asked_s` is
    ordered, since models offer fixed lengths. `prompt` is the compiled prompt by its parts,
    `compiled_by` the rules or the model that compiled it; `edited_text` is what a person wrote
    instead. `key` identifies the place in the recording and what has to be seen there, so that
    another run can take over an upload. `sample` is raised to order the same clip once more, when
    the first was not good enough. `upload` is the file as uploaded, `file` the conformed clip, both
    relative to the media folder; `facts` says what the upload is and how it is adapted.
    """

    KINDS = [(kind.value, kind.value) for kind in PieceKind if kind not in FOOTAGE_KINDS]

    run_take = models.ForeignKey(RunTake, on_delete=models.CASCADE, related_name="clips")
    clip_id = models.CharField(max_length=32)
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=16, choices=KINDS)
    row_index = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField(blank=True)
    start_s = models.FloatField()
    end_s = models.FloatField()
    before_s = models.FloatField()
    after_s = models.FloatField()
    duration_s = models.FloatField()
    asked_s = models.FloatField()
    key = models.CharField(max_length=64)
    prompt = models.JSONField(default=dict, blank=True)
    compiled_by = models.CharField(max_length=200, blank=True)
    edited_text = models.TextField(blank=True)
    edited_by = user_column("edited_clips")
    edited_at = models.DateTimeField(null=True, blank=True)
    approved_by = user_column("approved_clips")
    approved_at = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=8, choices=ClipState.choices)
    reason = models.TextField(blank=True)
    maker = models.CharField(max_length=64)
    sample = models.PositiveSmallIntegerField(default=0)
    upload = models.CharField(max_length=500, blank=True)
    file = models.CharField(max_length=500, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    uploaded_by = user_column("uploaded_clips")
    uploaded_at = models.DateTimeField(null=True, blank=True)
    taken_from = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="taken_by"
    )

    class Meta:
        ordering = ["run_take", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run_take", "clip_id"], name="take_clip_once"),
            one_of("state", ClipState.values, "take_clip_state_known"),
        ]
        indexes = [
            models.Index(fields=["run_take", "state"], name="take_clip_by_state"),
            models.Index(fields=["key"], condition=~Q(upload=""), name="take_clip_upload_by_key"),
        ]

    def __str__(self) -> str:
        return f"{self.clip_id} of {self.run_take_id}"

    @property
    def prompt_text(self) -> str:
        """The prompt that is sent: what a person wrote, else the compiled one."""
        return self.edited_text or str(self.prompt.get("text", ""))

    @property
    def is_edited(self) -> bool:
        return bool(self.edited_text)

    @property
    def is_upload(self) -> bool:
        return bool(self.upload)

    @property
    def is_order(self) -> bool:
        return self.maker not in BUILT_IN_MAKERS and not self.is_upload

    @property
    def is_bridge(self) -> bool:
        return self.kind == PieceKind.BRIDGE

    @property
    def needs_person(self) -> bool:
        """Whether the take has to wait for a person because of this clip."""
        return self.state in {ClipState.PROMPT, ClipState.UPLOAD}
